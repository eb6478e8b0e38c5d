"""Folding: a gradient of something that was broadcast, summed to the shape that it was broadcast from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.autograd.ones import ones


def fold(gradient: Any, shape: tuple[int, ...]) -> Any:
    """A raw gradient summed over the dims along which its input was broadcast to."""
    if gradient is None or gradient.shape == shape:
        return gradient
    lead = gradient.ndim - len(shape)
    if lead == 1 and len(shape) == 1 and shape == gradient.shape[1:]:
        kind = gradient.dtype
        if kind.kind == "f" and kind.itemsize >= 4:
            return _sums(gradient, 0)
    dims = tuple(range(lead)) + tuple(i + lead for i, n in enumerate(shape) if n == 1 and gradient.shape[i + lead] != 1)
    if lead == gradient.ndim == 1 or not shape:
        return gradient.sum()
    if gradient.ndim == 2 and len(dims) == 1 and gradient.dtype.kind == "f" and gradient.dtype.itemsize >= 4:
        return _sums(gradient, dims[0]).reshape(shape)
    return gradient.sum(axis=dims).reshape(shape)


LONG = 4096
"""Rows of up to so many elements are summed up one by one, others in pairs."""


def _sums(gradient: Any, dim: int) -> Any:
    """The sums of a matrix along one dim."""
    count = gradient.shape[dim]
    if count and not gradient.strides[dim]:  # It was itself broadcast: all are alike.
        return gradient.take(0, axis=dim) * gradient.dtype.type(count)
    if dim and count > LONG:
        return gradient.sum(axis=dim)
    summing = ones(count, gradient.dtype)
    first, second = (gradient, summing) if dim else (summing, gradient)
    # Of an array the method begins sooner than the functions do.
    return first.dot(second) if gradient.__class__ is np.ndarray else np.matmul(first, second)


def folded(run: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """`run` of a plan whose results are folded back to the shapes of the inputs."""

    def made(node: Any, g: Any) -> Any:
        return [
            x if x is None or n is None else fold(x, n.shape[nr] if n.multi else n.shape)
            for x, (n, nr) in zip(run(node, g), node.edges(), strict=True)
        ]

    return made
