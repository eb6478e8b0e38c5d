"""Folding: summing the gradient of a broadcast value to the shape that it was broadcast from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from backscope.autograd.ones import ones
from backscope.autograd.sums import LONG, is_wide_float, sums
from backscope.runtime.given import Array, Value

if TYPE_CHECKING:
    from backscope.autograd.node import Node


def fold(gradient: Value, shape: tuple[int, ...]) -> Array:
    """Sum a raw gradient over the dims along which its input was broadcast."""
    if gradient is None or gradient.shape == shape:
        return gradient
    lead = gradient.ndim - len(shape)
    if lead == 1 and len(shape) == 1 and shape == gradient.shape[1:] and is_wide_float(gradient.dtype):
        return _sums(gradient, 0)
    dims = tuple(range(lead)) + tuple(i + lead for i, n in enumerate(shape) if n == 1 and gradient.shape[i + lead] != 1)
    if lead == gradient.ndim == 1 or not shape:
        return gradient.sum()
    if gradient.ndim == 2 and len(dims) == 1 and is_wide_float(gradient.dtype):
        return _sums(gradient, dims[0]).reshape(shape)
    return (sums(gradient, dims) if gradient.__class__ is np.ndarray else gradient.sum(axis=dims)).reshape(shape)


def _sums(gradient: Value, dim: int) -> Any:
    """Return the sums of a matrix along one dim."""
    count = gradient.shape[dim]
    if count and not gradient.strides[dim]:  # The gradient is itself broadcast: all rows are equal.
        return gradient.take(0, axis=dim) * gradient.dtype.type(count)
    if dim and count > LONG:
        return gradient.sum(axis=dim)
    summing = ones(count, gradient.dtype)
    first, second = (gradient, summing) if dim else (summing, gradient)
    # The method of an array has less overhead than the function.
    return first.dot(second) if gradient.__class__ is np.ndarray else np.matmul(first, second)


def folded(run: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return `run` of a plan with its results folded to the shapes of the inputs."""

    def made(node: Node, g: Value) -> Any:
        return [
            x if x is None or n is None else fold(x, n.shape[nr] if n.multi else n.shape)
            for x, (n, nr) in zip(run(node, g), node.edges(), strict=True)
        ]

    return made
