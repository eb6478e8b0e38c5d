"""GradientEdge: a node and an output number, which backward() and grad() take in place of a tensor."""

from __future__ import annotations

from typing import Any, NamedTuple

from backscope.autograd.node import Node, gradient_edge, next_sequence_nr
from backscope.runtime.given import Value
from backscope.tensor.tensor import Tensor


class GradientEdge(NamedTuple):
    """A node and the number of the output that a gradient belongs to; the token keeps the graph alive."""

    node: Node
    output_nr: int
    ownership_token: object = None


def inner_node(node: Node) -> Node:
    """Return the engine's own node behind the object that a program has."""
    found: Node = getattr(node, "_engine_node", node)
    return found


# Any: a node, or the ctx of a Function with the attributes that a program gave it.
def node_of(tensor: Value) -> Any:
    """Return the node at which the gradient of a tensor or an edge arrives, as a program sees it."""
    if isinstance(tensor, GradientEdge):
        return tensor.node
    if tensor._node() is None and tensor.requires_grad:
        next_sequence_nr()  # PyTorch makes a view of a leaf to find its node.
    node, _ = gradient_edge(tensor)
    if node is None:
        raise AssertionError("Expected gradient function to be set")
    return node.public()


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Return the edge at which a tensor's gradient arrives; RuntimeError for a tensor that does not require grad."""
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    node = node_of(tensor)
    token = None
    if inner_node(node) is not node:
        token = inner_node(node)
        next_sequence_nr()  # PyTorch's token is a node of its own.
    return GradientEdge(node, tensor.output_nr, token)


get_gradient_edge.__annotations__ = {"tensor": Tensor, "return": GradientEdge}
GradientEdge.__module__ = get_gradient_edge.__module__ = "torch.autograd.graph"
