"""UndefinedGrad and DelayedError of `torch._C._functions`, which put nodes without a derivative into a graph."""

from __future__ import annotations

from typing import Any

from backscope.autograd.function.delayed_error import erring
from backscope.autograd.node import Node, gradient_edge, next_sequence_nr
from backscope.autograd.plan import Plan
from backscope.runtime.given import Value, Values
from backscope.tensor.tensor import Tensor, alias


class UndefinedGradBackward(Node):
    """A node that sends no gradient on."""

    __slots__ = ()

    composite = True
    runs_without_gradient = True

    def run_tensors(self, node: Node, g: Value) -> list[Any]:
        """Return no gradient for each input."""
        return [None] * len(self.next)


UndefinedGradBackward.__module__ = "builtins"


def _nothing(node: Node, g: Value) -> list[Any]:
    return [None] * len(node.next)


_PLAN = Plan(_nothing)


class UndefinedGrad:
    """`UndefinedGrad()(tensor)` returns the tensor with a node that sends no gradient on."""

    def __call__(self, tensor: Tensor) -> Tensor:
        out: Tensor = alias(tensor, tensor._data)
        if not tensor._requires_grad:
            return out
        edge, nr = gradient_edge(tensor)
        node: Any = object.__new__(UndefinedGradBackward)
        node.sequence_nr = next_sequence_nr()
        node.next, node.next_nr = (edge,), (nr,) if edge is not None and edge.multi else None
        node.plan = _PLAN
        node.saved, node.versions, node.attrs = (), None, ()
        node.shape, node.dtype = out._data.shape, out._dtype
        node.grad = node.hooks = node.token = None
        out._requires_grad, out._grad_fn = True, node
        return out


class DelayedError:
    """`DelayedError(message, count)(*tensors)` returns the tensors with a node that raises the message."""

    def __init__(self, message: bytes | str, count: int) -> None:
        self.message = message.decode() if isinstance(message, bytes) else message
        self.count = count

    def __call__(self, *tensors: Value) -> Values:
        return erring(self.message, tensors)
