"""The breakpoints of a run: by line for those on lines, in a Matching for all others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from backscope.debugger.breakpoints.armed import Armed, Unusable
from backscope.debugger.breakpoints.pending import Pending
from backscope.debugger.stopping import Places
from backscope.protocol.commands import (
    Breakpoint,
    BreakpointPlace,
    LineBreakpoint,
    PendingBreakpoint,
    UnusableBreakpoint,
)


class BreakpointSet:
    """`lines` has the breakpoints on each line, `matching` all others.

    `match` makes a Matching, of the engine's or of PyTorch's moments, for the breakpoints that are not on lines.
    """

    # Any: a Matching of the one or the other.
    def __init__(self, places: Places, pending: Pending, match: Callable[[Iterable[Armed]], Any]) -> None:
        self.lines: dict[int, list[Armed]] = {}
        self.matching = match(())
        self._match = match
        self._places = places
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
        lines: dict[int, list[Armed]] = {}
        found: list[BreakpointPlace] = []
        others: list[Armed] = []
        unusable: list[UnusableBreakpoint] = []
        pending: list[PendingBreakpoint] = []
        for b in breakpoints:
            try:
                armed = self._known.get(b) or Armed(b)
                line = self._line(b) if isinstance(b, LineBreakpoint) else None
            except Unusable as error:
                unusable.append(UnusableBreakpoint(id=b.id, reason=str(error)))
                continue
            known[b] = armed
            if line is None:
                others.append(armed)
                if (note := self._pending.note(b)) is not None:
                    pending.append(PendingBreakpoint(id=b.id, note=note))
                continue
            lines.setdefault(line, []).append(armed)
            found.append(BreakpointPlace(id=b.id, line=line))
        self._known, self.lines = known, lines
        self.matching = self._match(others)
        return found, unusable, pending

    def _line(self, wanted: LineBreakpoint) -> int:
        line = self._places.nearest(wanted.line)
        if line is None:
            raise Unusable(f"No statement begins at line {wanted.line} or after it.")
        return line
