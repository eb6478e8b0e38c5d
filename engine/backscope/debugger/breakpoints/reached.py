"""The breakpoints that were reached and at which the program has not stopped yet."""

from __future__ import annotations

from collections.abc import Iterable

from backscope.debugger.breakpoints.armed import Armed, Reached


class ReachedBreakpoints:
    """Collects breakpoints while a moment is recorded; `entries` is one list for good, which hot paths hold on to."""

    __slots__ = ("entries",)

    def __init__(self) -> None:
        self.entries: list[Reached] = []

    def add(self, found: Iterable[Armed], note: str | None = None) -> None:
        """Add breakpoints, with a note for the user."""
        self.entries += [(armed, note) for armed in found]
