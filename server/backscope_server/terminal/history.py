"""The events, steps and lines of a debugged program so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from backscope.caption import Moment, Run
from backscope.protocol import events as ev
from backscope.protocol.file_lines import written

NODE_RUNS = (ev.NodeStarted, ev.GradAccumulated)
"""The events that moments of nodes begin with."""


class Encoded(Sequence[bytes]):
    """The events in encoded form: each is encoded on access, so that only the decoded ones are stored."""

    def __init__(self, events: list[ev.Event]) -> None:
        self._events = events

    def __len__(self) -> int:
        return len(self._events)

    @overload
    def __getitem__(self, at: int) -> bytes: ...

    @overload
    def __getitem__(self, at: slice) -> list[bytes]: ...

    def __getitem__(self, at: int | slice) -> bytes | list[bytes]:
        """A line, or a list of lines."""
        found = self._events[at]
        if isinstance(found, list):
            return [ev.encode(written(event)) for event in found]
        return ev.encode(written(found))


class History(Run):
    """A growing run, with the look-ups that the debugger needs."""

    def __init__(self) -> None:
        super().__init__()
        self.lines = Encoded(self.events)
        self._lines: list[int | None] = []
        """The line that the program was at in each of the first moments."""

    @property
    def complete(self) -> bool:
        """Return whether the program has finished."""
        return bool(self.events) and isinstance(self.events[-1], ev.ProgramFinished)

    def line_of(self, moment: Moment) -> int | None:
        """Return the line of a moment; for a node that runs, the line that made it."""
        if moment.main.line is not None:
            return moment.main.line
        facts = self.tape.nodes.get(getattr(moment.main, "node", None) or -1)
        return None if facts is None else facts.line

    def following(self, here: int, to: str) -> int | None:
        """Return the next moment that a step from moment `here` stops at, None where there is none.

        `to` is "moment", "node" or "backward", or any other kind of step, which stops at the next line.
        """
        line = self.line_of(self.moments[here])
        for number in range(here + 1, len(self.moments)):
            moment = self.moments[number]
            if to == "moment":
                return number
            if to == "node":
                found = isinstance(moment.main, NODE_RUNS)
            elif to == "backward":
                found = isinstance(moment.main, ev.BackwardStarted)
            else:
                found = self.line_of(moment) != line
            if found:
                return number
        return None

    def begins(self, number: int, line: int) -> bool:
        """Return whether the program came to a line with the moment of this number; a pass is at that of its call."""
        return self._running(number) == line and (number == 0 or self._running(number - 1) != line)

    def _running(self, number: int) -> int | None:
        """Return the line that the program was at in a moment."""
        known = self._lines
        while len(known) < number:  # The last moment may still grow.
            line = self.moments[len(known)].main.line
            known.append(line if line is not None or not known else known[-1])
        line = known[number] if number < len(known) else self.moments[number].main.line
        return line if line is not None or not known else known[min(number, len(known)) - 1]

    def line_at(self, seq: int) -> int | None:
        """Return the line of an event."""
        number = self.index(seq)
        line = self.events[seq].line
        return self.line_of(self.moments[number]) if line is None and number >= 0 else line
