"""GradientEdge: where a tensor's gradient is computed, as a value that can stand for the tensor in backward()."""

from __future__ import annotations

from typing import Any, NamedTuple

from backscope.autograd.node import Node, gradient_edge
from backscope.tensor.tensor import Tensor


class GradientEdge(NamedTuple):
    """A node and the number of the output that a gradient is for; the token keeps the graph alive."""

    node: Any
    output_nr: int
    ownership_token: Any = None


def inner_node(node: Any) -> Node:
    """The engine's own node behind what a program sees."""
    found: Node = getattr(node, "_engine_node", node)
    return found


def node_of(tensor: Any) -> Any:
    """The node whose gradient is that of a tensor (or an edge), as the program sees it."""
    if isinstance(tensor, GradientEdge):
        return tensor.node
    tensor._node()
    node, _ = gradient_edge(tensor)
    if node is None:
        raise AssertionError("Expected gradient function to be set")
    return node.public()


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The edge that the gradient of a tensor comes by; RuntimeError for a tensor that requires none."""
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    node = node_of(tensor)
    token = None if inner_node(node) is node else inner_node(node)
    return GradientEdge(node, tensor.output_nr, token)


get_gradient_edge.__annotations__ = {"tensor": Tensor, "return": GradientEdge}
GradientEdge.__module__ = get_gradient_edge.__module__ = "torch.autograd.graph"
