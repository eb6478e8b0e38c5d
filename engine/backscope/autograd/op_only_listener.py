"""What listeners get of a backward pass inside a transform: the ops that its formulas run, not the pass itself.

The nodes of a transform's own tape are gone with it, and its tensors wrap those that the ops below are recorded with.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from backscope.autograd.transform_level import Lifted
from backscope.runtime.listener import Listener
from backscope.runtime.listening import hub
from backscope.tensor.tensor import Tensor


class OpOnlyListener(Listener):
    """Calls on the listener behind it the moments of ops and tensors, and none of nodes and gradients."""

    def __init__(self, behind: Listener) -> None:
        self.behind = behind

    def op(
        self, name: str, op: Any, args: Any, outputs: Any, node: Any, *, view: bool = False, in_place: bool = False
    ) -> None:
        """Passes an op on."""
        self.behind.op(name, op, args, outputs, node, view=view, in_place=in_place)

    def applied(self, op: Any, first: Any, second: Any, out: Any, *made: Any) -> Any:
        """Passes an elementwise op on."""
        return self.behind.applied(op, first, second, out, *made)

    def created(self, tensor: Tensor, origin: str) -> None:
        """Passes a new tensor on."""
        self.behind.created(tensor, origin)

    def aliased(self, tensor: Tensor, source: Tensor, origin: str = "data") -> None:
        """Passes a tensor over the memory of another on."""
        self.behind.aliased(tensor, source, origin)

    def mutated(self, tensor: Tensor, how: str) -> None:
        """Passes a change of memory on."""
        self.behind.mutated(tensor, how)

    def tangent_computed(self, tensor: Tensor, level: int, op: str | None, tangent: Tensor) -> None:
        """Passes a tangent on."""
        self.behind.tangent_computed(tensor, level, op, tangent)


@contextmanager
def only_ops(tensors: Any) -> Iterator[bool]:
    """Whether a pass from these tensors belongs to a transform; if so, listeners get only its ops meanwhile."""
    inside = any(isinstance(t, Lifted) and t.inner is not None for t in tensors)
    listener = hub.listener
    if inside and listener is not None and not isinstance(listener, OpOnlyListener):
        hub.listener = OpOnlyListener(listener)
    try:
        yield inside
    finally:
        hub.listener = listener
