"""What nodes send in a pass, and its sums where several gradients arrive at one node."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import torch

from backscope.pytorch.values import Values

Edge = tuple[int, int]
"""The number of a node and that of its output."""

_BROADCAST = frozenset(
    {
        "AddBackward0", "SubBackward0", "MulBackward0", "DivBackward0", "PowBackward1", "MaximumBackward0",
        "MinimumBackward0", "ExpandBackward0", "Atan2Backward0", "WhereBackward0", "LerpBackward0", "LerpBackward1",
    }
)  # fmt: skip
"""Nodes whose gradients are summed over the dims that their op repeated."""


class Arrivals:
    """The sums of what has arrived in a pass at the nodes in `many`, which get gradients from several."""

    def __init__(self, values: Values, quiet: AbstractContextManager[None]) -> None:
        self.values = values
        self.many: set[int] = set()
        self._quiet = quiet
        self._sums: dict[Edge, torch.Tensor] = {}

    def sum(self, edge: Edge) -> torch.Tensor | None:
        """Return what has arrived so far."""
        return self._sums.get(edge)

    def reset(self, edge: Edge, before: torch.Tensor | None) -> None:
        """Go back to an earlier sum."""
        if before is None:
            self._sums.pop(edge, None)
        else:
            self._sums[edge] = before

    # Any: a value, as the journal has it.
    def add(self, edge: Edge, gradient: torch.Tensor) -> Any:
        """Return the sum at a node with this gradient added, None where it is the first."""
        if edge[0] not in self.many or self.values.detail != "all":
            return None
        waits = self._sums.get(edge)
        with self._quiet:
            if gradient.layout is not torch.strided:
                return None
            try:
                kept = gradient.detach().clone() if waits is None else waits + gradient.detach()
            except RuntimeError:  # A wrapper of torch.func: a pass of several gradients at once.
                return None
        self._sums[edge] = kept
        return None if waits is None else self.values.of(kept)


class Sending:
    """What a node sent along its `edges` in a pass; the user of a debugger may change it before it arrives."""

    def __init__(
        self,
        arrivals: Arrivals,
        name: str,
        edges: Sequence[Edge | None],
        came: torch.Tensor | None,
        sent: Sequence[torch.Tensor | None],
    ) -> None:
        self._arrivals = arrivals
        self._edges = edges
        self._came = came if name in _BROADCAST else None
        self._sent: list[torch.Tensor | None] = [None] * len(edges)
        self._before: dict[int, torch.Tensor | None] = {}
        # Any: the fields of a gradient_sent.
        self.rows: dict[int, tuple[Any, ...]] = {}
        """By the number of an input, its gradient as the journal has it."""
        self.change(sent)

    # Any: the fields of a gradient_sent.
    def change(self, sent: Sequence[torch.Tensor | None]) -> list[tuple[Any, ...]]:
        """Send these gradients instead; return those that are others now, or have other sums."""
        changed: list[tuple[Any, ...]] = []
        again: set[Edge] = set()
        for i, (edge, gradient) in enumerate(zip(self._edges, sent, strict=False)):
            if edge is None or gradient is None:
                continue
            if gradient is self._sent[i] and edge not in again:
                continue
            if edge not in again:
                again.add(edge)
                if i in self._before:
                    self._arrivals.reset(edge, self._before[i])
            self._before[i] = self._arrivals.sum(edge)
            self._sent[i] = gradient
            reduced = None
            if self._came is not None and gradient.shape != self._came.shape:
                reduced = list(self._came.shape)
            total = self._arrivals.add(edge, gradient)
            self.rows[i] = (i, *edge, self._arrivals.values.of(gradient), total, reduced)
            changed.append(self.rows[i])
        return changed
