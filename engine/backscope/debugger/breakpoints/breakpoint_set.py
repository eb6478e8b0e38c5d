"""The breakpoints of a run: by line for those on lines, in a Matching for all others."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from backscope.debugger.breakpoints.armed import Armed, Unusable
from backscope.debugger.breakpoints.pending import Pending
from backscope.debugger.stoppable_files import StoppableFiles
from backscope.protocol.commands import (
    Breakpoint,
    BreakpointPlace,
    LineBreakpoint,
    PendingBreakpoint,
    UnusableBreakpoint,
)


class BreakpointSet:
    """`lines` has the breakpoints on each line of the files so far, as events have it; `matching` all others.

    `match` makes a Matching, of the engine's or of PyTorch's moments, for the breakpoints that are not on lines.
    """

    # Any: a Matching of the one or the other.
    def __init__(self, files: StoppableFiles, pending: Pending, match: Callable[[Iterable[Armed]], Any]) -> None:
        self.lines: dict[int, list[Armed]] = {}
        self.matching = match(())
        self._match = match
        self._files = files
        self._on_lines: list[tuple[str | None, int, Armed]] = []
        """The file, the line that was asked for, and the breakpoint."""
        self._pending = pending
        self._known: dict[Breakpoint, Armed] = {}

    def set(
        self, breakpoints: Sequence[Breakpoint]
    ) -> tuple[list[BreakpointPlace], list[UnusableBreakpoint], list[PendingBreakpoint]]:
        """Replace all breakpoints; one that was set before keeps its count.

        Returns the lines of those on lines, those that cannot be set, and those on names that are unknown so far.
        Raises: Unusable where two have the same id, and then nothing has changed.
        """
        ids = [b.id for b in breakpoints]
        if len(set(ids)) < len(ids):
            raise Unusable("Two breakpoints have the same id.")
        known: dict[Breakpoint, Armed] = {}
        on_lines: list[tuple[str | None, int, Armed]] = []
        found: list[BreakpointPlace] = []
        others: list[Armed] = []
        unusable: list[UnusableBreakpoint] = []
        pending: list[PendingBreakpoint] = []
        for b in breakpoints:
            try:
                armed = self._known.get(b) or Armed(b)
                place = self._place(b) if isinstance(b, LineBreakpoint) else None
            except Unusable as error:
                unusable.append(UnusableBreakpoint(id=b.id, reason=str(error)))
                continue
            known[b] = armed
            if place is None or not isinstance(b, LineBreakpoint):
                others.append(armed)
                note = self._pending.note(b)
            else:
                found.append(place)
                on_lines.append((place.file, b.line, armed))
                note = self._pending.file_note(place.file) if self._files.number(place.file) is None else None
            if note is not None:
                pending.append(PendingBreakpoint(id=b.id, note=note))
        self._known, self._on_lines = known, on_lines
        self.place_lines()
        self.matching = self._match(others)
        return found, unusable, pending

    def place_lines(self) -> None:
        """Find the lines of all breakpoints on lines anew; called after a file was imported."""
        self.lines = {}
        for file, line, armed in self._on_lines:
            with contextlib.suppress(Unusable):  # The file has changed since it was read.
                place = self._files.place(file, self._files.nearest(file, line))
                if place is not None:
                    self.lines.setdefault(place, []).append(armed)

    def _place(self, wanted: LineBreakpoint) -> BreakpointPlace:
        file = None if wanted.file is None else self._files.find(wanted.file)
        return BreakpointPlace(id=wanted.id, line=self._files.nearest(file, wanted.line), file=file)
