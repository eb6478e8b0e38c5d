"""Breakpoints by a name, or on every thing of a kind: ops, nodes that free their saved tensors."""

from __future__ import annotations

from backscope.autograd.node import Node
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

    def freed(self, node: Node) -> None:
        """Reach the breakpoints on a node that has let go of its saved tensors."""
        # A change of a view that needs nothing of what was saved frees nothing, though it can't run again.
        if not getattr(node, "needs", True):
            return
        name = node.__class__.__name__
        if name in self.by_name or None in self.by_name:
            found = [*self.by_name.get(None, ()), *self.by_name.get(name, ())]
            self._reached.add(found, f"{name} freed what it saved.")
