"""The maps along one dim that resampling is made of: nearest, linear, cubic, and their antialiased forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.ops.core.axis_map import AxisMap, picking
from backscope.ops.core.cache import recalled
from backscope.runtime.given import Value, Values
from backscope.tensor.dtype import dtype


def _step(n: int, out: int, align_corners: bool, scale: float | None, real: Value) -> Any:
    """Return the distance in the input between two neighbouring elements of the output."""
    if align_corners:
        return real(n - 1) / real(out - 1) if out > 1 else real(0)
    return real(1.0 / scale) if scale is not None and scale > 0 else real(n) / real(out)


def _sources(n: int, out: int, align_corners: bool, scale: float | None, real: Value) -> Any:
    """Return the position in the input of each element of the output, as real numbers."""
    step = _step(n, out, align_corners, scale, real)
    at = np.arange(out).astype(real)
    return step * at if align_corners else step * (at + real(0.5)) - real(0.5)


def _nearest(n: int, out: int, scale: float | None, shift: float) -> AxisMap:
    at = np.arange(out)
    if not shift and out == n:
        return picking(at, n)
    if not shift and out == 2 * n:
        return picking(at // 2, n)
    step = _step(n, out, False, scale, np.float32)
    found = np.floor((at.astype(np.float32) + np.float32(shift)) * step).astype(np.int64)
    return picking(np.minimum(found, n - 1), n)


def _taps(rows: list[Any], columns: list[Any], weights: list[Any], out: int, n: int) -> AxisMap:
    return AxisMap(np.concatenate(rows), np.concatenate(columns), np.concatenate(weights), (out, n))


def _linear(n: int, out: int, align_corners: bool, scale: float | None, real: Value, stored: Values) -> AxisMap:
    source = np.maximum(_sources(n, out, align_corners, scale, real), 0)
    first = np.minimum(source.astype(np.int64), n - 1)
    second = first + (first < n - 1)
    part = np.clip(source - first, 0, 1).astype(stored)
    at = np.arange(out)
    return _taps([at, at], [first, second], [stored(1) - part, part], out, n)


def _cubic_near(x: Value, a: float) -> Any:
    return ((a + 2) * x - (a + 3)) * x * x + 1


def _cubic_far(x: Value, a: float) -> Any:
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a


def _cubic(n: int, out: int, align_corners: bool, scale: float | None, real: Value, stored: Values) -> AxisMap:
    source = _sources(n, out, align_corners, scale, real)
    base = np.floor(source)
    t = source - base
    a = real(-0.75)
    weights = [
        w.astype(stored) for w in (_cubic_far(t + 1, a), _cubic_near(t, a), _cubic_near(1 - t, a), _cubic_far(2 - t, a))
    ]
    columns = [np.clip(base.astype(np.int64) + k, 0, n - 1) for k in (-1, 0, 1, 2)]
    return _taps([np.arange(out)] * 4, columns, weights, out, n)


def _triangle(x: Value) -> Any:
    return np.maximum(1 - np.abs(x), 0)


def _cubic_filter(x: Value) -> Any:
    x = np.abs(x)
    return np.where(x < 1, _cubic_near(x, -0.5), np.where(x < 2, _cubic_far(x, -0.5), 0))


def _lanczos_filter(x: Value) -> Any:
    return np.where(np.abs(x) < 3, np.sinc(x) * np.sinc(x / 3), 0)


_FILTERS: dict[str, tuple[Callable[[Any], Any], int]] = {
    "linear_aa": (_triangle, 2),
    "cubic_aa": (_cubic_filter, 4),
    "lanczos_aa": (_lanczos_filter, 6),
}


def _antialiased(name: str, n: int, out: int, align_corners: bool, scale: float | None, real: Value) -> AxisMap:
    """Return a map to weighted means over a support around each position, wider where the image shrinks."""
    window, size = _FILTERS[name]
    step = _step(n, out, align_corners, scale, real)
    reach = real(size * 0.5) * step if step >= 1 else real(size * 0.5)
    inverse = real(1) / step if step >= 1 else real(1)
    rows, columns, weights = [], [], []
    for i in range(out):
        centre = step * (real(i) + real(0.5))
        first = max(int(centre - reach + real(0.5)), 0)
        count = max(min(int(centre + reach + real(0.5)), n) - first, 0)
        w = window((np.arange(count) + first - centre + real(0.5)) * inverse)
        total = w.sum()
        rows.append(np.full(count, i))
        columns.append(np.arange(first, first + count))
        weights.append(w / total if total else w)
    return _taps(rows, columns, weights, out, n)


@recalled
def interpolating(
    kind: str, n: int, out: int, align_corners: bool, scale: float | None, double: bool, rounded: dtype | None
) -> AxisMap:
    """The map from a dim of length `n` to one of length `out`.

    Its weights are computed in float64 if `double`, else in float32, and rounded to the type `rounded` if there is one.
    """
    real = np.float64 if double else np.float32
    stored = real if rounded is None else rounded.scalar
    if kind == "nearest":
        return _nearest(n, out, scale, 0.0)
    if kind == "nearest_exact":
        return _nearest(n, out, scale, 0.5)
    if kind == "linear":
        return _linear(n, out, align_corners, scale, real, stored)
    if kind == "cubic":
        return _cubic(n, out, align_corners, scale, real, stored)
    return _antialiased(kind, n, out, align_corners, scale, real)
