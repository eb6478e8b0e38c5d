"""OpOnlyListener: passes on the ops of a backward pass inside a transform, but not its nodes and gradients.

The nodes of a transform's own tape exist only as long as the transform, and its tensors wrap those that the recorded
ops of the levels below work on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from backscope.autograd.transforms.transform_tensor import TransformTensor
from backscope.runtime.given import Value, Values
from backscope.runtime.listener import Listener
from backscope.runtime.listening import hub
from backscope.tensor.tensor import Tensor

if TYPE_CHECKING:
    from backscope.autograd.node import Node
    from backscope.ops.core.declaration import Op


class OpOnlyListener(Listener):
    """Passes calls about ops and tensors on to the listener `behind`, and drops those about nodes and gradients."""

    def __init__(self, behind: Listener) -> None:
        self.behind = behind

    def op(
        self,
        name: str,
        op: Op | None,
        args: Values,
        outputs: Values,
        node: Node | None,
        *,
        view: bool = False,
        in_place: bool = False,
    ) -> None:
        """Pass an op on."""
        self.behind.op(name, op, args, outputs, node, view=view, in_place=in_place)

    def applied(self, op: Op, first: Tensor, second: Value, out: Tensor, *made: Value) -> object:
        """Pass an elementwise op on."""
        return self.behind.applied(op, first, second, out, *made)

    def created(self, tensor: Tensor, origin: str) -> None:
        """Pass a new tensor on."""
        self.behind.created(tensor, origin)

    def aliased(self, tensor: Tensor, source: Tensor, origin: str = "data") -> None:
        """Pass on a tensor over the memory of another."""
        self.behind.aliased(tensor, source, origin)

    def mutated(self, tensor: Tensor, how: str) -> None:
        """Pass on a change of memory."""
        self.behind.mutated(tensor, how)

    def tangent_computed(self, tensor: Tensor, level: int, op: str | None, tangent: Tensor) -> None:
        """Pass on a tangent."""
        self.behind.tangent_computed(tensor, level, op, tangent)


@contextmanager
def only_ops(tensors: Values) -> Iterator[bool]:
    """Yield True if a pass from `tensors` belongs to a transform; listeners then get only its ops meanwhile."""
    inside = any(isinstance(t, TransformTensor) and t.inner is not None for t in tensors)
    listener = hub.listener
    if inside and listener is not None and not isinstance(listener, OpOnlyListener):
        hub.listener = OpOnlyListener(listener)
    try:
        yield inside
    finally:
        hub.listener = listener
