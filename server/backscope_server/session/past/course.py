"""Plans the commands that bring a replay to a moment of the original run, with its changes by hand."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TypeAlias

from backscope.protocol.commands import Assign, Step, WatchChange
from backscope.protocol.events import Paused
from backscope.protocol.field_types import Number
from backscope_server.session.past.replay_comparison import ReplayComparison
from backscope_server.session.past.run_record import Change, RunRecord

_LINES = 2_000
"""Lines that are stepped over to find the one that a change by hand was made at."""


Point: TypeAlias = tuple[int, int, Number | None, str | None]
"""A change of an expression: its number, the first event with the new value, and that as number, text, or neither."""


class Unreachable(RuntimeError):
    """The error for a replay that cannot reach a moment of the run; the text says why."""


class Course:
    """Computes the commands that bring a paused program forward to a moment.

    The caller sends the commands, feeds the program's events to `comparison`, and calls `check` as they arrive.
    """

    def __init__(self, record: RunRecord, comparison: ReplayComparison) -> None:
        self._record = record
        self._comparison = comparison
        self._goal = 0
        self._floor = 0
        self._repeated_at: Paused | None = None
        """The pause of the run for the last repeated change, while this program is still paused there."""
        self._changed = -1
        """The index of the last change by hand that was made again."""

    def reaches(self, index: int) -> bool:
        """Return whether the moment at `index` is still ahead; False if the program has differed from its run."""
        return not self._comparison.over and self._comparison.difference is None and self._floor <= index

    def to(self, index: int) -> Iterator[Step | Assign]:
        """Yield the commands that bring the program to the moment after the event at `index`.

        The caller requests the next one when the last was carried out: after a step, when the program is paused again.

        Raises: Unreachable.
        """
        for change in self._record.changes(self._changed, index):
            if change.place is not self._repeated_at:
                yield from self._on(change.start)
            yield from self._change(change)
        yield from self._on(index)

    def check(self) -> None:
        """Raise Unreachable if the program has differed before the event that it is to reach."""
        difference = self._comparison.difference
        if difference is not None and difference.index <= self._goal:
            raise Unreachable(f"{difference} So what it held at event {self._record.seq(self._goal)} is not known.")

    def points(self, changes: list[WatchChange]) -> list[Point]:
        """Return the changes of watched expressions, by events of the original run, up to where the two differ."""
        comparison = self._comparison
        end = None if comparison.difference is None else comparison.difference.index
        found = [(change, max(0, comparison.index_of(change.seq))) for change in changes]
        return [
            (change.watch, self._record.seq(at), change.number, change.text)
            for change, at in found
            if end is None or at < end
        ]

    def ended(self) -> Unreachable:
        """Return the error for a program that has ended before it reached the moment."""
        if self._comparison.failure:
            return Unreachable(f"The program was run again, and that run was ended: {self._comparison.failure}")
        return Unreachable("The program was run again and ended before there was anything to be looked at.")

    def _on(self, index: int) -> Iterator[Step]:
        """Yield the command to run on to the event at `index`, or to the end if no stop is that late."""
        comparison = self._comparison
        comparison.settle()
        self._goal = index
        self.check()
        at_end = comparison.place is not None and comparison.place.where == "end"
        if comparison.index < index and not at_end:
            # Its own stops are events too, and so are those for going on.
            seq = index + (comparison.last - comparison.index) + 1
            self._repeated_at = None
            yield Step(id=0, to="seq", seq=seq, at_end=True)
            self._floor = index

    def _change(self, change: Change) -> Iterator[Step | Assign]:
        """Yield the commands that make a change by hand again, at its place."""
        made = change.event
        frame = change.frame
        found = change.place is self._repeated_at or (yield from self._find(change))
        if frame is None or not found:
            raise Unreachable(
                f"`{made.target} = {made.expression}` was set by hand at line {made.line}, and the program run again "
                "cannot be stopped at the same place. Ask for a moment before that change."
            )
        self._floor = self._comparison.index + 1
        # A change that was refused there is refused here too: its events up to then are compared.
        yield Assign(id=0, target=made.target, expression=made.expression, frame=frame)
        self._changed = change.index
        self._repeated_at = change.place

    def _find(self, change: Change) -> Generator[Step, None, bool]:
        """Yield commands within the moment up to the place of a change; return False if it is not reached."""
        wanted = change.place
        comparison = self._comparison
        self._goal = change.start
        for _ in range(_LINES):
            place = comparison.place
            if place is None or comparison.index != change.start:
                return False
            if wanted.where not in ("line", "before node") or _stop_place(place) == _stop_place(wanted):
                return True
            self._repeated_at = None
            yield Step(id=0, to="into" if wanted.where == "line" else "node")
        return False


def _stop_place(place: Paused) -> object:
    return place.where, place.line, place.node, place.stack
