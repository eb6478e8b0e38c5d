"""The arithmetic that normalizations share: centring and scaling along dims, differentiated up to any order."""

from __future__ import annotations

import math
from math import isfinite

import numpy as np

from backscope.autograd.ones import number, ones
from backscope.ops.core.declaration import A, V, xp
from backscope.runtime.given import Dtype

Dims = tuple[int, ...]


def count(value: V, dims: Dims) -> int:
    """Return the number of elements in each mean along `dims`."""
    return math.prod([value.shape[d] for d in dims])


def mean(value: V, dims: Dims) -> V:
    """Compute the mean along `dims`, which keep length 1."""
    return xp.sum(value, dims, True) / count(value, dims)


def standardized(value: V, dims: Dims, eps: float) -> tuple[V, V]:
    """`value` with mean 0 and variance 1 along dims, and one over its standard deviation."""
    centred = value - mean(value, dims)
    scale = xp.rsqrt(mean(centred * centred, dims) + eps)
    return centred * scale, scale


def projected(value: V, normal: V, dims: Dims) -> V:
    """Subtract from `value` its mean and its component along the standardized values."""
    return value - mean(value, dims) - normal * mean(value * normal, dims)


def second(of_input: V, g: V, extra: V, normal: V, scale: V, dims: Dims) -> tuple[V, V]:
    """Differentiate scale * projected(g), the first gradient, by g and by the standardized input.

    `of_input` is the incoming gradient (None for 0), `extra` a further gradient of `normal`.
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


def statistics_dtype(input: A, weight: A | None, bias: A | None) -> Dtype:  # noqa: A002
    """Return the dtype of the statistics: that of the parameters."""
    return weight.dtype if weight is not None else bias.dtype if bias is not None else input.dtype


def standardized_rows(rows: A, eps: float) -> tuple[A, A, A]:
    """Rows with mean 0 and variance 1, their means, and one over their standard deviations."""
    length, kind = rows.shape[1], rows.dtype
    n = number(length or 1, kind)
    mean = rows.dot(ones(length, kind))
    mean /= n
    mean = mean[:, None]
    normal = rows - mean
    scale = np.vecdot(normal, normal)
    scale /= n
    steady = scale <= np.square(mean[:, 0]) * _STEADY
    if np.count_nonzero(steady):
        _centre_again(rows, steady, normal, mean, scale)
    if not isfinite(scale.dot(ones(len(scale), kind))):
        scale[_confuses(rows)] = np.nan
    scale += number(eps, kind)
    np.sqrt(scale, scale)
    np.reciprocal(scale, scale)
    scale = scale[:, None]
    normal *= scale
    return normal, mean, scale


_STEADY = 1e-10
"""Rows with a variance below this part of their squared mean may differ from it by rounding alone."""


def _centre_again(rows: A, steady: A, normal: A, mean: A, scale: A) -> None:
    """Work out again what the rounding of a mean has made of rows that are close to constant: of constant ones 0.

    PyTorch multiplies the square of a row's first mean by 0, which is NaN where that overflows and nothing precedes it.
    """
    length = rows.shape[1]
    chosen, means = rows[steady], mean[steady]
    means += (chosen - means).mean(1, keepdims=True)
    centred = chosen - means
    found = np.vecdot(centred, centred) / centred.dtype.type(length)
    if length < 8 or length % 8 == 0:
        found[np.isinf(np.square(means[:, 0])) & np.isfinite(found)] = np.nan
    mean[steady], normal[steady], scale[steady] = means, centred, found


def _confuses(rows: A) -> A:
    """Mark the rows that PyTorch finds no variance in: the square of the first mean in a lane overflows."""
    length = rows.shape[1]
    whole = length // 8 * 8
    means = [rows[:, whole:].mean(1, keepdims=True)] if whole < length else []
    if whole:
        means.append(rows[:, :whole].reshape(len(rows), -1, 8)[:, :16].mean(1))
    return np.isinf(np.square(np.concatenate(means, 1))).any(1)
