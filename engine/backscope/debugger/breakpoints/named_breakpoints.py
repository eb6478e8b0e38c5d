"""Breakpoints by a name, or on every thing of a kind: ops, nodes that free their saved tensors."""

from __future__ import annotations

from backscope.debugger.breakpoints.armed import Armed
from backscope.debugger.breakpoints.reached import ReachedBreakpoints


class NamedBreakpoints:
    """`by_name` has the breakpoints for each name, and at None those for every name."""

    def __init__(self, reached: ReachedBreakpoints) -> None:
        self.by_name: dict[str | None, list[Armed]] = {}
        self._reached = reached

    def add(self, armed: Armed, name: str | None) -> None:
        """Add a breakpoint for a name, or for all with None."""
        self.by_name.setdefault(name, []).append(armed)

    def __bool__(self) -> bool:
        return bool(self.by_name)


class OpBreakpoints(NamedBreakpoints):
    """Breakpoints on ops and on custom Functions, after they ran forward."""

    def ran(self, name: str) -> None:
        """Reach the breakpoints on an op."""
        if found := self.by_name.get(name):
            self._reached.add(found)


class FreedBreakpoints(NamedBreakpoints):
    """Breakpoints on nodes that free their saved tensors."""

    def freed(self, name: str) -> None:
        """Reach the breakpoints on a node of this name that has let go of its saved tensors."""
        if name in self.by_name or None in self.by_name:
            found = [*self.by_name.get(None, ()), *self.by_name.get(name, ())]
            self._reached.add(found, f"{name} freed what it saved.")
