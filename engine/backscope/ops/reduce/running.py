"""Running extremes and logarithms of running sums along a dim."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.arguments.dims import wrap_dim
from backscope.ops.core.channels_last import row_major
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.low_precision import accumulating
from backscope.ops.core.namespace import export
from backscope.ops.core.return_types import return_type
from backscope.ops.core.unsupported import no_kernel
from backscope.ops.pointwise.arithmetic import conj, dtype_of
from backscope.runtime.given import Array, Value, Values
from backscope.tensor.dtype import dtype
from backscope.tensor.number_limits import finfo
from backscope.tensor.tensor import Tensor


def _running_extreme(values: Values, dim: int, better: Value) -> tuple[Any, Any]:
    """Return the best element so far and its index; the last of equal ones, and NaN from the first NaN on."""
    if not values.ndim:
        return values[()], np.int64(0)
    lines = np.moveaxis(values, dim, 0)
    floating = lines.dtype.kind not in "iub"
    best, places = np.array(lines), np.zeros(lines.shape, np.int64)
    for k in range(1, len(lines)):
        takes = better(lines[k], best[k - 1])
        if floating:
            takes = (takes & ~np.isnan(best[k - 1])) | np.isnan(lines[k])
        best[k] = np.where(takes, lines[k], best[k - 1])
        places[k] = np.where(takes, k, places[k - 1])
    return (
        np.ascontiguousarray(np.moveaxis(best, 0, dim)),
        np.ascontiguousarray(np.moveaxis(places, 0, dim)),
    )


def _declare(name: str, better: Value, word: str) -> None:
    def forward(self: A, dim: int) -> A:
        if self.ndim and self.size and self.dtype.kind == "c":
            raise no_kernel(name + "_cpu", dtype.table[self.dtype])
        return _running_extreme(self, dim, better)

    def grad_self(g: V, indices: V, self_shape: V, dim: V) -> V:
        if not len(self_shape):
            return g
        return xp.scatter_add(xp.zeros_of(g, tuple(self_shape)), g, dim, indices)

    forward.__annotations__ = {"self": "A", "dim": "int"}
    op(
        name=name,
        outputs=2,
        differentiable=1,
        returns=("values", "indices"),
        symbol=name,
        latex={"self": r"\text{sum of } g \text{ where each element is the extreme}"},
        summary={"self": f"sends each part of the incoming gradient to the {word} element so far"},
    )(type(name, (), {"forward": forward, "grad_self": grad_self}))
    kind = return_type(name, "values", "indices")

    def running(input: Tensor, dim: int) -> Any:  # noqa: A002
        wrap_dim(dim, input._data.ndim)
        return kind(*apply(primitives[name], input, dim))

    running.__doc__ = f"The {word} element so far along `dim`, and its index."
    export(name)(running)


_declare("cummax", np.greater_equal, "largest")
_declare("cummin", np.less_equal, "smallest")


def _logcumsumexp(values: Values, dim: int) -> Any:
    if not values.ndim:
        return values.copy()
    if values.dtype.kind != "c":
        return np.logaddexp.accumulate(values, axis=dim)
    lines = np.moveaxis(values, dim, 0)
    out = np.array(lines)
    for k in range(1, len(lines)):
        out[k] = _log_of_sum(lines[k], out[k - 1])
    return np.ascontiguousarray(np.moveaxis(out, 0, dim))


def _log_of_sum(a: Array, b: Array) -> Any:
    """log(exp(a) + exp(b)) of complex numbers, with an angle that is not reduced to a half turn."""
    less = a.real < b.real
    small: Array = np.where(less, a, b)
    large: Array = np.where(less, b, a)
    endless = ~np.isfinite(small.real) & (small.real == large.real)
    found = np.log1p(np.exp(small - large)) + large
    found = np.where(endless, np.where(small.real < 0, small, np.log(np.exp(small) + np.exp(large))), found)
    return np.where(np.isnan(a) | np.isnan(b), complex(np.nan, np.nan), found)


@op(
    symbol="logcumsumexp",
    latex={"self": r"e^{\text{self}} \sum_{j \ge i} g_j\, e^{-\text{result}_j}"},
    summary={"self": "sums g times exp of the saved {self} less the saved {result} from each place on"},
)
class logcumsumexp:
    """The logarithm of running sums of exponentials along a dim."""

    def forward(self: A, dim: int) -> A:
        return row_major(_logcumsumexp(accumulating(self), dim).astype(self.dtype, copy=False))

    def grad_self(g: V, self: V, result: V, dim: V) -> V:
        if not len(self.shape) or not (self._data if isinstance(self, Tensor) else self).size:
            return g
        return _through_logarithms(g, self, result, dim)


def _through_logarithms(g: V, value: V, result: V, dim: int) -> V:
    """Positive and negative parts of g apart, in logarithms, so that nothing overflows."""
    kind = dtype_of(value)
    d = dim % len(value.shape)
    if kind.is_complex:
        logarithm = xp.log(conj(g)) - result
        return conj(xp.exp(xp.flip(xp.logcumsumexp(xp.flip(logarithm, (d,)), d), (d,)) + value))
    smallest = finfo(kind).min
    size = xp.log(xp.abs(g))
    parts = []
    for positive in (True, False):
        wanted = g > 0 if positive else g < 0
        logarithm = xp.where(wanted, size, smallest) - result
        summed = xp.flip(xp.logcumsumexp(xp.flip(logarithm, (d,)), d), (d,))
        parts.append(xp.exp(summed + value))
    return parts[0] - parts[1]


@export("logcumsumexp")
def _public(input: Tensor, dim: int) -> Any:  # noqa: A002
    """The logarithm of running sums of exponentials along `dim`."""
    wrap_dim(dim, input._data.ndim)
    return apply(primitives["logcumsumexp"], input, dim)
