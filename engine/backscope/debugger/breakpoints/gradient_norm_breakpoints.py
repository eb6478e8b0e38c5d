"""Breakpoints on gradients with a norm above or below a bound."""

from __future__ import annotations

from collections.abc import Iterable

from backscope.debugger.breakpoints.armed import Armed
from backscope.debugger.breakpoints.reached import ReachedBreakpoints
from backscope.summary.finiteness import Bounds


class GradientNormBreakpoints:
    """`bounds` has the bounds with their breakpoints."""

    def __init__(self, reached: ReachedBreakpoints) -> None:
        self.bounds = Bounds()
        self._reached = reached

    def arrived(self, gradients: Iterable[object], name: str) -> None:
        """Reach the breakpoints for the norms of the gradients that the node called `name` gets."""
        for gradient in gradients:
            if gradient is None:
                continue
            found = self.bounds.beyond(gradient)
            if found is not None:
                self._reach(*found, name)

    def arrived_with(self, norm: float | None, name: str) -> None:
        """Reach the breakpoints for a norm that is known, None for a gradient without numbers."""
        if norm is not None:
            self._reach(norm, self.bounds.outside(norm), name)

    def _reach(self, norm: float, armed: Iterable[Armed], name: str) -> None:
        self._reached.add(armed, f"The gradient of {name} has norm {norm:.6g}.")
