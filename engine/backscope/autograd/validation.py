"""Fitting gradients to the nodes that they go to: shapes are reduced, dtypes cast, and PyTorch's errors raised."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.autograd.node import Node, described
from backscope.autograd.unbroadcast import fold
from backscope.runtime.given import Value, Values
from backscope.tensor.dtype import cast, dtype
from backscope.tensor.tensor import Tensor

table = dtype.table

COMPLEX_FOR_REAL = (
    "Expected isFloatingType(grad.scalar_type()) || (input_is_complex == grad_is_complex) to be true, but got false.  "
    "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
)


def validated(node: Node, gradients: Values) -> list[Any]:
    """Fit the gradients that a node returned to the nodes that they go to; RuntimeError for one that does not fit."""
    edges = node.edges()
    if len(gradients) != len(edges):
        raise RuntimeError(
            f"Function {node.name()} returned an invalid number of gradients - expected {len(edges)}, but got "
            f"{len(gradients)}"
        )
    return [
        g
        if g is None or below is None
        else fitted(g, i, below, nr, lambda text: f"Function {node.name()} returned an {text}")
        for i, (g, (below, nr)) in enumerate(zip(gradients, edges, strict=True))
    ]


def fitted(gradient: Value, index: int, node: Node, nr: int, complete: Callable[[str], str]) -> Value:
    """Return a gradient, raw or Tensor, in the shape and dtype that input `nr` of a node takes.

    `complete` makes the whole error text from the part that describes the mismatch.
    """
    shape, kind = described(node, nr)
    is_tensor = isinstance(gradient, Tensor)
    own = gradient._data.shape if is_tensor else gradient.shape
    if own != shape:
        if not _reduces_to(own, shape):
            raise RuntimeError(
                complete(
                    f"invalid gradient at index {index} - got {list(own)} but expected shape compatible with "
                    f"{list(shape)}"
                )
            )
        gradient = gradient.sum_to_size(shape) if is_tensor else fold(gradient, shape)
    has = gradient._dtype if is_tensor else table[gradient.dtype]
    if has is kind or kind is None:
        return gradient
    if not has.is_floating_point and has.is_complex is not kind.is_complex:
        raise RuntimeError(COMPLEX_FOR_REAL)
    return gradient.to(kind) if is_tensor else cast(gradient, kind)


def _reduces_to(own: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Return True if summing over leading dims and dims of length 1 gives `shape`."""
    if len(shape) > len(own):
        return False
    pairs = zip(reversed(shape), reversed(own), strict=False)
    return all(wanted in (1, length) for wanted, length in pairs)
