"""Folding: a gradient of something that was broadcast, summed to the shape that it was broadcast from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def fold(gradient: Any, shape: tuple[int, ...]) -> Any:
    """A raw gradient summed over the dims along which its input was broadcast to."""
    if gradient is None or gradient.shape == shape:
        return gradient
    lead = gradient.ndim - len(shape)
    dims = tuple(range(lead)) + tuple(i + lead for i, n in enumerate(shape) if n == 1 and gradient.shape[i + lead] != 1)
    if lead == gradient.ndim == 1 or not shape:
        return gradient.sum()
    if dims == (0,) and gradient.ndim == 2 and gradient.dtype.kind == "f" and gradient.dtype.itemsize >= 4:
        return _column_sums(gradient).reshape(shape)
    return gradient.sum(axis=dims).reshape(shape)


def _column_sums(gradient: Any) -> Any:
    return np.ones(gradient.shape[0], gradient.dtype) @ gradient


def folded(run: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """`run` of a plan whose results are folded back to the shapes of the inputs."""

    def made(node: Any, g: Any) -> Any:
        return [
            x if x is None or n is None else fold(x, n.shape[nr] if n.multi else n.shape)
            for x, (n, nr) in zip(run(node, g), node.edges(), strict=True)
        ]

    return made
