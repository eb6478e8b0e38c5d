"""cdist: the distances of all rows of one set to all rows of another."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.elementwise import broadcast_shape
from backscope.ops.core.namespace import argument_error, export
from backscope.ops.core.unsupported import no_kernel
from backscope.runtime.given import Value
from backscope.tensor.dtype import FLOATING, LOW_PRECISION
from backscope.tensor.tensor import Tensor

_FEW_ROWS = 25
"""The largest number of rows for which Euclidean distances are taken one by one, unless a call requests a product."""


@export(method=False)
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str | None = None) -> Value:
    """The distances of all rows of x1 to all rows of x2."""
    for place, x in enumerate((x1, x2), 1):
        if not isinstance(x, Tensor):
            raise argument_error("cdist", f"x{place}", place, x)
    for name, x in (("X1", x1), ("X2", x2)):
        if x._data.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {x._data.ndim}D")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}")
    if x1._dtype.category != FLOATING:
        raise RuntimeError(f"cdist only supports floating-point dtypes, X1 got: {x1._dtype.type_name}")
    if x1._dtype in LOW_PRECISION and x1._data.size and x2._data.size:
        raise no_kernel("cdist", x1._dtype)
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    rows = x1.shape[-2], x2.shape[-2]
    requested = compute_mode == "use_mm_for_euclid_dist"
    possible = compute_mode in (None, "use_mm_for_euclid_dist_if_necessary")
    if p == 2 and (requested or (possible and max(rows) > _FEW_ROWS)):
        return _by_product(x1, x2, rows)
    return apply(primitives["cdist_forward"], x1, x2, float(p))


def _by_product(x1: Value, x2: Value, rows: tuple[int, int]) -> Any:
    """Euclidean distances from one product of matrices, which is quicker for many rows and less exact."""
    columns = x1.shape[-1]
    batch = tuple(broadcast_shape(tuple(x1.shape[:-2]), tuple(x2.shape[:-2])))
    count = math.prod(batch)
    shape = (*batch, *rows)
    if not count * rows[0] * rows[1] * columns:
        return x1.new_zeros(shape)
    if count != 1:
        x1 = x1.expand(*batch, rows[0], columns).reshape(count, rows[0], columns)
        x2 = x2.expand(*batch, rows[1], columns).reshape(count, rows[1], columns)
    return _euclidean_dist(x1, x2).view(shape)


@op(
    symbol="‖xᵢ − yⱼ‖",
    conjugates=False,
    latex={
        "x1": r"\textstyle\sum_j g_{ij} \frac{x_i - y_j}{\lVert x_i - y_j \rVert}",
        "x2": r"\textstyle\sum_i g_{ij} \frac{y_j - x_i}{\lVert x_i - y_j \rVert}",
    },
    summary={
        "x1": "adds up, over the rows of {x2}, the incoming gradient along each difference",
        "x2": "adds up, over the rows of {x1}, the incoming gradient along each difference",
    },
)
class euclidean_dist:
    """The Euclidean distances of all pairs of rows, by a product of matrices."""

    def forward(x1: A, x2: A) -> A:
        first, second = ((x * x).sum(-1, keepdims=True) for x in (x1, x2))
        left = np.concatenate([x1 * -2, first, np.ones_like(first)], -1)
        right = np.concatenate([x2, np.ones_like(second), second], -1)
        return np.sqrt(np.maximum(left @ np.swapaxes(right, -1, -2), 0))

    def grad_x1(g: V, x1: V, x2: V, result: V, x1_shape: V) -> V:
        ratio = _ratio(g, result)
        return xp.sum_to_size(x1 * xp.sum(ratio, (-1,), True) - ratio @ x2, x1_shape)

    def grad_x2(g: V, x1: V, x2: V, result: V, x2_shape: V) -> V:
        ratio = xp.transpose(_ratio(g, result), -1, -2)
        return xp.sum_to_size(x2 * xp.sum(ratio, (-1,), True) - ratio @ x1, x2_shape)


@export("_euclidean_dist", method=False)
def _euclidean_dist(x1: Tensor, x2: Tensor) -> Any:
    """The Euclidean distances of all pairs of rows, by a product of matrices."""
    return apply(primitives["euclidean_dist"], x1, x2)


def _ratio(g: V, result: V) -> V:
    """Return the incoming gradient divided by the distances, 0 where these are 0."""
    zero = result == 0
    return xp.where(zero, xp.zeros_like(g), g / xp.where(zero, xp.ones_like(result), result))


@op(
    name="cdist_forward",
    grad_fn="CdistBackward0",
    symbol="‖xᵢ − yⱼ‖",
    latex={
        "x1": r"\textstyle\sum_j g_{ij} \frac{\partial\,\lVert x_i - y_j \rVert}{\partial x_i}",
        "x2": r"\textstyle\sum_i g_{ij} \frac{\partial\,\lVert x_i - y_j \rVert}{\partial y_j}",
    },
    summary={
        "x1": "adds up, over the rows of {x2}, the incoming gradient along each difference",
        "x2": "adds up, over the rows of {x1}, the incoming gradient along each difference",
    },
)
class all_distances:
    """The p-norms of the differences of all pairs of rows."""

    def forward(x1: A, x2: A, p: float) -> A:
        gaps = np.abs(x1[..., :, None, :] - x2[..., None, :, :])
        if p == 0:
            return (gaps != 0).sum(-1).astype(x1.dtype)
        if not gaps.size:
            return np.zeros(gaps.shape[:-1], x1.dtype)
        if p == np.inf:
            return gaps.max(-1)
        if p == 1:
            return gaps.sum(-1)
        return (gaps**p).sum(-1) ** x1.dtype.type(1 / p)

    def grad_x1(g: V, x1: V, x2: V, result: V, p: V, x1_shape: V) -> V:
        return xp.sum_to_size(_pull(g, x1, x2, result, p, -2), x1_shape)

    def grad_x2(g: V, x1: V, x2: V, result: V, p: V, x2_shape: V) -> V:
        found = xp.sum_to_size(-_pull(g, x1, x2, result, p, -3), x2_shape)
        return found if isinstance(found, Tensor) else found + found.dtype.type(0)  # Minus zeros become zeros.


def _pull(g: V, x1: V, x2: V, result: V, p: float, dim: int) -> V:
    """The gradient along each difference, summed over the other side's rows."""
    gaps = xp.unsqueeze(x1, -2) - xp.unsqueeze(x2, -3)
    spread, norms = xp.unsqueeze(g, -1), xp.unsqueeze(result, -1)
    if p == 0:
        slopes = xp.zeros_like(gaps)
    elif p == 1:
        slopes = xp.sign(gaps)
    elif p == np.inf:
        slopes = xp.sign(gaps) * (xp.abs(gaps) == norms)
    else:
        safe = xp.where(norms == 0, xp.ones_like(norms), norms)
        slopes = gaps * xp.abs(gaps) ** (p - 2) / safe ** (p - 1) if p != 2 else gaps / safe
        slopes = xp.where(norms == 0, xp.zeros_like(slopes), slopes)
        if p < 2:
            slopes = xp.where(gaps == 0, xp.zeros_like(slopes), slopes)
    return xp.sum(spread * slopes, (dim,), False)
