"""The response norm across channels that early image networks had."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.axis_map import AxisMap
from backscope.ops.core.cache import recalled
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.runtime.given import Value
from backscope.tensor.tensor import Tensor


@recalled
def _sums(channels: int, size: int) -> AxisMap:
    """Return the sums of neighbouring channels as PyTorch does: running sums that always contain the first channel."""
    before = int((size - 1) / 2 + 1)
    counts = np.zeros((channels, channels), np.int64)
    counts[0, : min(before, channels)] = 1
    for c in range(1, channels):
        counts[c] = counts[c - 1]
        if c < channels - before + 1:
            counts[c, c + before - 1] += 1
        if c > before:
            counts[c, c - before] -= 1
    return _of_counts(counts)


@recalled
def _sums_back(channels: int, size: int) -> AxisMap:
    """Return the sums that PyTorch uses for the gradient."""
    shift = int(size - (size - 1) / 2)
    counts = np.zeros((channels, channels), np.int64)
    for c in range(channels):
        counts[c, max(c - shift, 0) : max(min(c - shift + size, channels), 0)] = 1
    return _of_counts(counts)


def _of_counts(counts: Any) -> AxisMap:
    rows, columns = np.nonzero(counts)
    return AxisMap(rows, columns, counts[rows, columns].astype(np.float64), counts.shape)


@op(
    grad_fn="CrossMapLRN2dBackward",
    symbol="lrn",
    latex={"input": r"g\, s^{-\beta} - \frac{2 \alpha \beta}{n}\, \text{input} \textstyle\sum g\, \frac{y}{s}"},
    summary={"input": "divides the incoming gradient as {input} was, less what it adds to its neighbours' divisors"},
)
class cross_map_lrn2d:
    """Each channel divided by a power of the mean square of its neighbours."""

    def forward(input: A, size: int, alpha: float, beta: float, k: float) -> A:  # noqa: A002
        return input * _divisor(input, size, alpha, k) ** input.dtype.type(-beta)

    def grad_input(g: V, input: V, result: V, size: V, alpha: V, beta: V, k: V) -> V:  # noqa: A002
        return xp.cross_map_lrn2d_backward(g, input, result, size, alpha, beta, k)


def _divisor(value: A, size: int, alpha: float, k: float) -> A:
    kind = value.dtype.type
    return _sums(value.shape[1], size).apply(value * value, 1) * kind(alpha / size) + kind(k)


@op(
    grad_fn="CrossMapLRN2dBackwardBackward",
    symbol="lrn′",
    latex={"grad_output": r"\text{not implemented}"},
    summary={"grad_output": "has no formula, as in PyTorch"},
)
class cross_map_lrn2d_backward:
    """The gradient of cross_map_lrn2d."""

    def forward(grad_output: A, input: A, output: A, size: int, alpha: float, beta: float, k: float) -> A:  # noqa: A002
        kind = input.dtype.type
        divisor = _divisor(input, size, alpha, k)
        shared = _sums_back(input.shape[1], size).apply(grad_output * output / divisor, 1)
        return grad_output * divisor ** kind(-beta) - input * shared * kind(2 * alpha * beta / size)


def normalize_maps(input: Tensor, size: int, alpha: float, beta: float, k: float) -> Value:  # noqa: A002
    """Divide each channel by a power of the mean square of its neighbours; ValueError for anything but 4 dims."""
    if input._data.ndim != 4:
        raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input._data.ndim}D instead.")
    return apply(primitives["cross_map_lrn2d"], input, size, alpha, beta, k)
