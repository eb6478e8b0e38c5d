"""NotImplementedNode: the node of an op that has no derivative."""

from __future__ import annotations

from typing import Any, NoReturn

from backscope.autograd.node import Node, gradient_edge, next_sequence_nr
from backscope.autograd.plan import Plan
from backscope.runtime.given import Value
from backscope.tensor.tensor import Tensor


class NotImplementedNode(Node):
    """Raises when a gradient reaches it; `attrs` holds the op's name."""

    __slots__ = ()

    prefix = "torch::autograd::"

    def name(self) -> str:
        """PyTorch's name, with its C++ namespace."""
        return "torch::autograd::NotImplemented"

    def run_tensors(self, node: Node, g: Value) -> NoReturn:
        """See refuse()."""
        refuse(self, g)


NotImplementedNode.__name__ = NotImplementedNode.__qualname__ = "NotImplemented"
NotImplementedNode.composite = True


def refuse(node: Node, g: Value) -> NoReturn:
    """Raise the error of an op without a derivative."""
    raise RuntimeError(f"derivative for {node.attrs[0]} is not implemented")


_PLAN = Plan(refuse)


def no_derivative(what: str) -> NotImplementedError:
    """Return the error for a formula that PyTorch does not have."""
    return NotImplementedError(f"the derivative for '{what}' is not implemented.")


def not_implemented(op: str, inputs: tuple[Tensor, ...], out: Tensor) -> Node:
    """Make the node for `out`, which the op computed from `inputs`."""
    node: Any = object.__new__(NotImplementedNode)
    edges = [gradient_edge(t) for t in inputs]
    node.sequence_nr = next_sequence_nr()
    node.next = tuple([e[0] for e in edges])
    node.next_nr = tuple([e[1] for e in edges])
    node.saved, node.versions, node.attrs = (), None, (op,)
    node.grad = node.hooks = node.token = None
    node.shape, node.dtype = out._data.shape, out._dtype
    node.plan = _PLAN
    found: Node = node
    return found
