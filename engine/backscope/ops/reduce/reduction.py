"""Reductions: sums, means, products, any and all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.autograd.sums import sums
from backscope.ops.core.arguments.dims import as_dims, length, restore, wrap_dim, wrap_dims
from backscope.ops.core.channels_last import row_major
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply, to_array
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import argument_error, export
from backscope.ops.core.untracked_functions import measure
from backscope.ops.pointwise.arithmetic import conj
from backscope.runtime.given import Array, Dim, Shape, Value
from backscope.tensor import dtype as types
from backscope.tensor.dtype import LOW_PRECISION, cast, dtype
from backscope.tensor.sparse_values import NotImplementedForSparse, Sparse
from backscope.tensor.tensor import Tensor

_total: Any = np.add.reduce  # np.sum, but for the time that it takes to get there.


def accurate_sum(value: A, axis: Dim = None, keepdims: bool = False) -> A:
    """Sum with low precision types accumulated in float32."""
    if value.dtype.itemsize == 2 and dtype.table[value.dtype] in LOW_PRECISION:
        total = np.sum(np.asarray(value, np.float32), axis=axis, keepdims=keepdims)
        return row_major(cast(total, dtype.table[value.dtype]))
    if value.dtype.kind in "iub":
        return row_major(np.sum(value, axis=axis, keepdims=keepdims, dtype=value.dtype))
    return row_major(_total(value, None, None, None, keepdims) if axis is None else sums(value, axis, keepdims))


@op(
    name="sum_all",
    grad_fn="SumBackward0",
    symbol="sum",
    latex={"self": r"g \cdot \mathbf{1}"},
    summary={"self": "spreads the incoming {g} over all {self_numel} elements"},
)
class sum_all:
    """The sum of all elements."""

    def forward(self: A) -> A:
        return accurate_sum(self)

    def grad_self(g: V, self_shape: V) -> V:
        return xp.expand(g, self_shape)


@op(
    name="sum",
    grad_fn="SumBackward1",
    symbol="sum",
    latex={"self": r"g \cdot \mathbf{1}"},
    summary={"self": "spreads the incoming gradient over dim {dim} again"},
)
class sum_dim:
    """The sum along dims."""

    def forward(self: A, dim: Dim, keepdim: bool = False) -> A:
        return accurate_sum(self, wrap_dims(dim, self.ndim), keepdim)

    def grad_self(g: V, self_shape: V, dim: V, keepdim: V) -> V:
        return xp.expand(restore(g, self_shape, dim, keepdim), self_shape)


def _averaged(value: A, axes: Dim, keepdim: bool) -> A:
    kind = dtype.table[value.dtype]
    wide = value.astype(np.float32) if kind in LOW_PRECISION else value
    found = sums(wide, axes, keepdim) / wide.dtype.type(length(value.shape, axes))
    return cast(np.asarray(found), kind)[()] if wide is not value else found


def _spread(g: V, shape: Shape) -> V:
    """Return the gradient of each element of a mean: the incoming one divided by their number."""
    count = length(shape, range(len(shape)))
    if g.__class__ is np.float32 or g.__class__ is np.float64:
        if not shape:
            return g / count
        spread = np.empty(shape, g.dtype)
        spread.fill(g / count)
        return spread
    return xp.expand(g, shape) / count


@op(
    grad_fn="MeanBackward0",
    symbol="mean",
    latex={"self": r"\frac{g}{n}"},
    summary={"self": "spreads the incoming {g} over all {self_numel} elements, divided by {self_numel}"},
)
class mean_all:
    """The mean of all elements."""

    def forward(self: A) -> A:
        kind = self.dtype
        if kind.kind == "f" and kind.itemsize > 2:
            return _total(self, None) / kind.type(self.size)
        return _averaged(self, tuple(range(self.ndim)), False)

    def grad_self(g: V, self_shape: V) -> V:
        return _spread(g, self_shape)


@op(
    grad_fn="MeanBackward1",
    symbol="mean",
    latex={"self": r"\frac{g}{n}"},
    summary={"self": "spreads the incoming gradient over dim {dim} again, divided by its length"},
)
class mean_dim:
    """The mean along dims."""

    def forward(self: A, dim: Dim, keepdim: bool = False) -> A:
        return _averaged(self, wrap_dims(dim, self.ndim), keepdim)

    def grad_self(g: V, self_shape: V, dim: V, keepdim: V) -> V:
        spread = xp.expand(restore(g, self_shape, dim, keepdim), self_shape)
        return spread / length(self_shape, wrap_dims(dim, len(self_shape)))


@op(
    grad_fn="ProdBackward0",
    symbol="prod",
    latex={"self": r"g \cdot \frac{\text{result}}{\text{self}}"},
    summary={"self": "multiplies the incoming {g} by the product of the other elements"},
)
class prod_all:
    """The product of all elements."""

    def forward(self: A) -> A:
        return np.asarray(np.prod(wide(self), dtype=wide(self).dtype)).astype(self.dtype)[()]

    def grad_self(g: V, self: V, result: V, self_shape: V) -> V:
        if not len(self_shape):
            return g
        if np.all(raw_of(self) != 0):
            return g * conj(result / self)
        if not isinstance(self, Tensor) and np.count_nonzero(self == 0) > 1:
            return xp.zeros_like(self)
        return xp.reshape(product_gradient(g, xp.reshape(self, (-1,)), 0), self_shape)


@op(
    grad_fn="ProdBackward1",
    symbol="prod",
    latex={"self": r"g \cdot \frac{\text{result}}{\text{self}}"},
    summary={"self": "multiplies the incoming gradient by the product of the other elements of dim {dim}"},
)
class prod_dim:
    """The product along a dim."""

    def forward(self: A, dim: int, keepdim: bool = False) -> A:
        value = wide(self)
        found = np.prod(value, axis=dim if self.ndim else None, keepdims=keepdim, dtype=value.dtype)
        return row_major(np.asarray(found).astype(self.dtype, copy=False)[()])

    def grad_self(g: V, self: V, result: V, self_shape: V, dim: V, keepdim: V) -> V:
        if not len(self_shape):
            return g
        whole = restore(g, self_shape, dim, keepdim)
        if np.all(raw_of(self) != 0):
            return whole * conj(restore(result, self_shape, dim, keepdim) / self)
        return product_gradient(whole, self, dim % len(self_shape))


def product_gradient(g: V, value: V, dim: int) -> V:
    """g times the product of all other elements along `dim`, which may be zeros."""
    n = value.shape[dim]
    if n <= 1:
        return g
    one = xp.ones_like(xp.narrow(value, dim, 0, 1))
    before = xp.cumprod(xp.cat([one, xp.narrow(value, dim, 0, n - 1)], dim), dim)
    following = xp.flip(xp.narrow(value, dim, 1, n - 1), (dim,))
    after = xp.flip(xp.cumprod(xp.cat([one, following], dim), dim), (dim,))
    return g * conj(before * after)


def raw_of(value: V) -> Array:
    """The array under a value, of all examples inside vmap."""
    return getattr(value._data, "whole", value._data) if isinstance(value, Tensor) else value


def product_before(value: V, dim: int) -> V:
    parts = [xp.ones_like(xp.narrow(value, dim, 0, 1))]
    for i in range(value.shape[dim] - 1):
        parts.append(parts[-1] * xp.narrow(value, dim, i, 1))
    return xp.cat(parts, dim)


def summed_dtype(input: Tensor, kind: dtype | None) -> Value:  # noqa: A002
    """Convert the input to the result type of sums and products: int64 for integers, unless `kind` is another."""
    if kind is None:
        if input._dtype.category >= 2:
            return input
        kind = types.int64
    return input.to(kind)  # type: ignore[attr-defined]


@export("sum")
def _sum(
    input: Tensor,  # noqa: A002
    dim: Dim = None,
    keepdim: bool = False,
    *,
    dtype: dtype | None = None,
    axis: Dim = None,
    keepdims: bool = False,
    out: Value = None,
) -> Any:
    """The sum of all elements or along dims; integers are summed as int64."""
    if keepdim.__class__ is not bool:
        raise argument_error("sum", "keepdim", 3, keepdim, "bool")
    input = summed_dtype(input, dtype)  # noqa: A001
    dim = axis if dim is None else dim
    if dim is None and not (keepdim or keepdims):
        return apply(primitives["sum_all"], input)
    wrap_dims(dim, input._data.ndim)
    return apply(primitives["sum"], input, as_dims(dim) or (), bool(keepdim or keepdims))


def _sum_value(value: V, dim: Dim = None, keepdim: bool = False) -> V:
    if isinstance(value, Tensor):
        return _sum(value, dim, keepdim)
    return accurate_sum(value, None if dim is None else wrap_dims(dim, value.ndim), keepdim)


def _count(mask: V, like: V, dim: Dim) -> V:
    """Count the True values, in all or along dims that are kept, as a number of the type of `like`."""
    if isinstance(mask, Tensor):
        return _sum(mask, dim, dim is not None)
    axes = None if dim is None else wrap_dims(dim, mask.ndim)
    return np.sum(mask, axis=axes, keepdims=dim is not None).astype(like.dtype)


xp.sum = _sum_value
xp.count = _count


@export("mean")
def _mean(
    input: Tensor,  # noqa: A002
    dim: Dim = None,
    keepdim: bool = False,
    *,
    dtype: dtype | None = None,
    axis: Dim = None,
    out: Value = None,
) -> Any:
    """The mean of all elements or along dims; RuntimeError for integers."""
    if dtype is not None:
        input = input.to(dtype)  # type: ignore[attr-defined]  # noqa: A001
    if input._dtype.category < 2:
        which = "Input" if dtype is None else "Optional"
        raise RuntimeError(
            f"mean(): could not infer output dtype. {which} dtype must be either a floating point or complex dtype. "
            f"Got: {input._dtype.type_name}"
        )
    dim = axis if dim is None else dim
    if input._data.__class__ is Sparse:
        raise NotImplementedForSparse
    if dim is None and not keepdim:
        return apply(primitives["mean_all"], input)
    wrap_dims(dim, input._data.ndim)
    return apply(primitives["mean_dim"], input, as_dims(dim) or (), bool(keepdim))


@export("prod")
def _prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Any:  # noqa: A002
    """The product of all elements or along a dim."""
    input = summed_dtype(input, dtype)  # noqa: A001
    if dim is None:
        return apply(primitives["prod_all"], input)
    wrap_dim(dim, input._data.ndim)
    return apply(primitives["prod_dim"], input, dim, bool(keepdim))


def _undifferentiated(name: str, function: Callable[..., Any], kind: dtype) -> None:
    """Declare a reduction with a result that is not floating point."""

    def forward(self: A, dim: Dim, keepdim: bool) -> A:
        return row_major(cast(to_array(function(self, axis=wrap_dims(dim, self.ndim), keepdims=keepdim)), kind))

    found = measure(name, forward)

    def reduction(input: Tensor, dim: Dim = None, keepdim: bool = False) -> Any:  # noqa: A002
        wrap_dims(dim, input._data.ndim)
        out = found(input, dim, keepdim)
        # Bytes served as bools in older versions, and PyTorch still returns them here.
        return out.to(types.uint8) if input._dtype is types.uint8 and kind is types.bool_ else out

    reduction.__doc__ = f"{name} of all elements or along dims; not differentiable."
    export(name)(reduction)


_undifferentiated("any", np.any, types.bool_)
_undifferentiated("all", np.all, types.bool_)
_undifferentiated("count_nonzero", np.count_nonzero, types.int64)
