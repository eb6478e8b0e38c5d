"""Reads from a log what a replay of the run needs: the program, its events by index, and the values changed by hand.

The index of an event is the number of events before it, without `paused` and `resumed`: these depend on what the user
of the debugger did, so a replay does not repeat them.
"""

from __future__ import annotations

import threading
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from typing import Protocol, TypeVar

import msgspec

from backscope.diagnosis.why.answer import amount
from backscope.protocol import events
from backscope_server.session.program import Program

PAUSED = events.opening(events.Paused)
STOPS = (PAUSED, events.opening(events.Resumed))
"""The beginnings of the lines of the debugger's stops."""
_CHANGED = events.opening(events.ValueChanged)
_STOPS_OR_CHANGES = (*STOPS, _CHANGED)
_MOST_CHANGES = 1000
"""The most changes by hand that are kept of a run: a person makes fewer."""
_AT_ONCE = 1000
_OF_THE_SERVER = ("stopped", "limit", "cut")

_Event = TypeVar("_Event", bound=events.Event)


class Change(msgspec.Struct, frozen=True):
    """A value changed by hand: its event, at `index`, and the `place` where the program was paused for it.

    `start` is the index of the last event before the change: evaluating the new value may have recorded events too.
    """

    start: int
    index: int
    event: events.ValueChanged
    place: events.Paused

    @property
    def frame(self) -> int | None:
        """Return the number of the frame that it was made in; None where the log does not have that frame."""
        for number, at in enumerate(reversed(self.place.stack)):
            if (at.line, at.function) == (self.event.line, self.event.function):
                return number
        return None


class GrowingLog(Protocol):
    """A log that may still grow; `complete` once no event will follow."""

    @property
    def lines(self) -> Sequence[bytes]:
        """The encoded events; number `seq` is line `seq`."""

    @property
    def complete(self) -> bool:
        """Return whether no event will follow."""


class NotRunnable(ValueError):
    """The error for a run that cannot be run again; the text says why."""


class RunRecord:
    """A run as its log has it, which may still grow; a program of more than `source_bytes` is not run again."""

    def __init__(self, log: GrowingLog, source_bytes: int | None = None) -> None:
        self.lines = log.lines
        self._source_bytes = source_bytes
        self._log = log
        self._stops = array("q")
        self._changes: list[Change] = []
        self._scanned = 0
        self._paused: events.Paused | bytes | None = None
        self._scanning = threading.Lock()

    def program(self) -> Program:
        """The program that was run.

        Raises: NotRunnable.
        """
        started = _decode(self.lines[0], events.ProgramStarted) if self.lines else None
        if started is None:
            raise NotRunnable("The program has not begun yet.")
        source = started.source or ""
        if not source.strip():
            raise NotRunnable("This recording does not have the source of its program, so it cannot be run again.")
        most = self._source_bytes
        if most is not None and len(source.encode("utf-8", "replace")) > most:
            raise NotRunnable(
                f"The program of this recording is longer than {amount(most)}, the most that is run here."
            )
        return Program(source=source, filename=started.filename, seed=started.seed)

    @property
    def versions(self) -> dict[str, str]:
        """The versions of Python and packages that the program ran on."""
        started = _decode(self.lines[0], events.ProgramStarted) if self.lines else None
        return {} if started is None else started.versions

    @property
    def last(self) -> int:
        """The index of the last event that the program recorded itself, -1 where there is none."""
        lines = self.lines
        count = len(lines)
        if self._log.complete and count:
            finished = _decode(lines[-1], events.ProgramFinished)
            if finished is not None and finished.status in _OF_THE_SERVER:
                count -= 1
                error = _decode(lines[count - 1], events.ErrorRaised) if count else None
                count -= error is not None and error.stage == "limit"
        return self.index(count - 1) if count else -1

    def index(self, seq: int) -> int:
        """Return the index of the event `seq`; for `paused` and `resumed` that of the event before."""
        self.scan()
        return seq - bisect_right(self._stops, seq)

    def seq(self, index: int) -> int:
        """Return the seq of the event at `index`."""
        self.scan()
        stops = self._stops
        return index + bisect_right(range(len(stops)), index, key=lambda number: stops[number] - number)

    def changes(self, after: int, up_to: int) -> list[Change]:
        """Return the changes by hand with `index` greater than `after` and `start` less than `up_to`."""
        self.scan()
        return [change for change in self._changes if after < change.index and change.start < up_to]

    def scan(self) -> None:
        """Index the events that were logged since the last call; a caller may do this in a thread for a long log.

        Raises: NotRunnable, NotKept.
        """
        with self._scanning:
            while lines := self.lines[self._scanned : self._scanned + _AT_ONCE]:
                for seq, line in enumerate(lines, start=self._scanned):
                    if line.startswith(_STOPS_OR_CHANGES):
                        self._scanned = seq  # The next scan raises the same error at the same line.
                        self._take(seq, line)
                self._scanned = seq + 1

    def _take(self, seq: int, line: bytes) -> None:
        if line.startswith(STOPS):
            self._stops.append(seq)
            if line.startswith(PAUSED):
                self._paused = line
            return
        if len(self._changes) == _MOST_CHANGES:
            raise NotRunnable(f"More than {_MOST_CHANGES:,} values were changed by hand in this run.")
        changed = _decode(line, events.ValueChanged)
        place = self._place()
        if changed is not None and place is not None:
            start = place.seq - len(self._stops)
            if self._changes and self._changes[-1].place is place:
                start = self._changes[-1].index
            self._changes.append(Change(start, seq - len(self._stops), changed, place))

    def _place(self) -> events.Paused | None:
        """Return the event of the last pause so far; None where there was none."""
        if isinstance(self._paused, bytes):
            self._paused = _decode(self._paused, events.Paused)
        return self._paused


def _decode(line: bytes, kind: type[_Event]) -> _Event | None:
    event = events.decode(line)
    return event if isinstance(event, kind) else None
