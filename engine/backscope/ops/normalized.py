"""The arithmetic that normalizations share: centring and scaling along dims, differentiated up to any order."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.ops.declaration import A, V, xp

Dims = tuple[int, ...]


def count(value: V, dims: Dims) -> int:
    """How many elements each mean along `dims` is of."""
    return math.prod([value.shape[d] for d in dims])


def mean(value: V, dims: Dims) -> V:
    """The mean along dims, kept with length 1."""
    return xp.sum(value, dims, True) / count(value, dims)


def standardized(value: V, dims: Dims, eps: float) -> tuple[V, V]:
    """`value` with mean 0 and variance 1 along dims, and one over its standard deviation."""
    centred = value - mean(value, dims)
    scale = xp.rsqrt(mean(centred * centred, dims) + eps)
    return centred * scale, scale


def projected(value: V, normal: V, dims: Dims) -> V:
    """`value` without its mean and without its part along the standardized values: what standardizing lets through."""
    return value - mean(value, dims) - normal * mean(value * normal, dims)


def second(of_input: V, g: V, extra: V, normal: V, scale: V, dims: Dims) -> tuple[V, V]:
    """For the first gradient scale * projected(g): its gradient for g, and for the standardized input.

    `of_input` is what comes in for that gradient (None for nothing), `extra` the gradient for `normal` from elsewhere.
    """
    n = count(g, dims)
    if of_input is None:
        return None, scale * projected(extra, normal, dims)
    a, b = xp.sum(of_input * normal, dims, True), xp.sum(g * normal, dims, True)
    along = xp.sum(of_input * g, dims, True)
    sums = xp.sum(of_input, dims, True) * xp.sum(g, dims, True)
    total = along - sums / n - a * b / n
    onto = (b * of_input + a * g) * (scale * (-1 / n))
    if extra is not None:
        onto = onto + extra
    for_input = scale * projected(onto, normal, dims) - normal * (total * scale * scale / n)
    return scale * projected(of_input, normal, dims), for_input


def statistics_dtype(input: A, weight: A | None, bias: A | None) -> Any:  # noqa: A002
    """The type that statistics are kept in: that of the parameters."""
    return next((p.dtype for p in (weight, bias) if p is not None), input.dtype)


def standardized_rows(rows: A, eps: float) -> tuple[A, A, A]:
    """Rows with mean 0 and variance 1, their means, and one over their standard deviations."""
    n = max(rows.shape[1], 1)
    mean = (rows @ np.ones(rows.shape[1], rows.dtype))[:, None]
    mean /= n
    normal = rows - mean
    scale = np.vecdot(normal, normal)[:, None]
    scale /= n
    scale += eps
    scale = 1 / np.sqrt(scale)
    normal *= scale
    return normal, mean, scale
