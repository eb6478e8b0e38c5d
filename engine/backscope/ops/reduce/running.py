"""Running sums, products and extremes along a dim, and logarithms of running sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.transforms.level import levels
from backscope.ops.core.arguments.dims import wrap_dim
from backscope.ops.core.channels_last import row_major
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.low_precision import accumulating, wide
from backscope.ops.core.namespace import export, torch_functions
from backscope.ops.core.return_types import return_type
from backscope.ops.core.unsupported import no_kernel
from backscope.ops.pointwise.arithmetic import conj, dtype_of
from backscope.ops.reduce.reduction import product_before, raw_of, summed_dtype
from backscope.runtime.given import Array, Value, Values
from backscope.tensor.dtype import dtype
from backscope.tensor.number_limits import finfo
from backscope.tensor.tensor import Tensor


@op(
    symbol="cumsum",
    latex={"self": r"\textstyle\sum_{j \ge i} g_j"},
    summary={"self": "sums the incoming gradient from each place to the end of dim {dim}"},
)
class cumsum:
    """Running sums along a dim."""

    def forward(self: A, dim: int) -> A:
        if not self.ndim:
            return self[()]
        value = accumulating(self)
        sums = row_major(np.cumsum(value, axis=dim, dtype=value.dtype))
        if sums.dtype.kind in "fc":
            sums += 0  # A sum begins at 0, which makes -0 positive.
        return sums.astype(self.dtype, copy=False)

    def grad_self(g: V, dim: V) -> V:
        return _sum_from(g, dim)


def _sum_from(g: V, dim: int) -> V:
    """The sums of g from each place to the end of a dim."""
    if not len(g.shape):
        return g
    d = dim % len(g.shape)
    return xp.flip(xp.cumsum(xp.flip(g, (d,)), d), (d,))


@op(
    symbol="cumprod",
    latex={"self": r"\frac{\textstyle\sum_{j \ge i} g_j\, \text{result}_j}{\text{self}_i}"},
    summary={"self": "sums g times the saved {result} from each place to the end of dim {dim}, over the saved {self}"},
)
class cumprod:
    """Running products along a dim."""

    def forward(self: A, dim: int) -> A:
        return row_major(np.cumprod(wide(self), axis=dim)).astype(self.dtype, copy=False) if self.ndim else self[()]

    def grad_self(g: V, self: V, result: V, dim: V) -> V:
        shape = tuple(self.shape)
        if not shape or raw_of(self).size <= 1:
            return g
        d = dim % len(shape)
        if np.all(raw_of(self) != 0):
            return _sum_from(g * conj(result), d) / conj(self)
        if isinstance(self, Tensor):
            return _recorded_cumprod(g, self, d)
        return _cumprod_with_zeros(g, self, d)


def _cumprod_with_zeros(g: V, value: V, dim: int) -> V:
    n = value.shape[dim]
    columns = []
    for i in range(n):
        running = product_before(value, dim) if i else xp.ones_like(value)
        running = xp.narrow(running, dim, i, 1)
        total = xp.narrow(g, dim, i, 1) * conj(running)
        for j in range(i + 1, n):
            running = running * xp.narrow(value, dim, j, 1)
            total = total + xp.narrow(g, dim, j, 1) * conj(running)
        columns.append(total)
    return xp.cat(columns, dim)


def _recorded_cumprod(g: Value, value: Value, dim: int) -> Any:
    """Return for each element the sum of g times the products with it, without its factor; differentiable and exact."""
    n, value = value.shape[dim], conj(value)
    slices = []
    found = None if levels else xp.zeros_like(value)
    for k in range(n):
        before = value.narrow(dim, 0, k).prod(dim, True) if k else xp.ones_like(value.narrow(dim, 0, 1))
        omitted = before
        if k < n - 1:
            after = value.narrow(dim, k + 1, n - k - 1).cumprod(dim)
            omitted = xp.cat([before, before.expand(after.shape) * after if k else after], dim)
        total = (g.narrow(dim, k, n - k) * omitted).sum(dim)
        slices.append(total)
        if found is not None:
            found.select(dim, k).copy_(total)
    return torch_functions["stack"](slices, dim) if found is None else found


def _running(name: str, what: str) -> None:
    def run(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Any:  # noqa: A002
        input = summed_dtype(input, dtype)  # noqa: A001
        wrap_dim(dim, input._data.ndim)
        return apply(primitives[name], input, dim)

    run.__doc__ = f"Running {what} along `dim`; integers as int64."
    export(name)(run)


_running("cumsum", "sums")
_running("cumprod", "products")


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

    def grad_self(g: V, self: V, indices: V, dim: V) -> V:
        if not self.ndim:
            return g
        return xp.scatter_add(xp.zeros_of(g, tuple(self.shape)), g, dim, indices)

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
