"""Elements and slices reduced into a tensor at the indices of a dim: scatter_reduce, index_reduce."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.function.delayed_error import erring
from backscope.autograd.transforms.level import levels
from backscope.ops.core.arguments.dims import wrap_dim
from backscope.ops.core.declaration import A, K, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.elementwise import broadcast_shape
from backscope.ops.core.mutation import mutate
from backscope.ops.core.namespace import export
from backscope.ops.core.unsupported import no_kernel
from backscope.ops.index.index_checks import (
    check_added_slices,
    check_fillable,
    check_in_self,
    check_range,
    check_scatter,
    check_written,
)
from backscope.ops.index.index_keys import element_key
from backscope.runtime.given import Dtype, Shape, Value
from backscope.runtime.warning import warn_once
from backscope.tensor.dtype import bool_, dtype
from backscope.tensor.tensor import Tensor, of_raw

REDUCTIONS = {"sum": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum}


def _combined(self: A, index: A, src: A, dim: int, reduce: str, include_self: bool) -> A:
    """Reduce the elements of src that have the same index, including the element of self by default."""
    if self.dtype.kind == "b":
        return _combined(self.view(np.uint8), index, src.view(np.uint8), dim, reduce, include_self).astype(bool)
    out = np.array(self, order="C")
    if not index.size:
        return out[()]
    flat, index, src = np.atleast_1d(out), np.atleast_1d(index), np.atleast_1d(src)
    places = element_key(index, dim)
    src = src[tuple(slice(n) for n in index.shape)]
    name = "sum" if reduce == "mean" else reduce
    if not include_self:
        start = {"sum": 0, "prod": 1, "amax": _least(out.dtype), "amin": _most(out.dtype)}[name]
        flat[places] = start
    REDUCTIONS[name].at(flat, places, src)
    if reduce == "mean":
        count = np.ones(flat.shape, np.int64) if include_self else np.zeros(flat.shape, np.int64)
        np.add.at(count, places, 1)
        count = np.maximum(count, 1)
        flat = (flat // count if out.dtype.kind in "iu" else flat / count).astype(out.dtype)
    return flat.reshape(out.shape)[()]


def _least(kind: Dtype) -> Any:
    if kind.kind in "fcV":
        return -np.inf
    return False if kind.kind == "b" else np.iinfo(kind).min


def _most(kind: Dtype) -> Any:
    if kind.kind in "fcV":
        return np.inf
    return True if kind.kind == "b" else np.iinfo(kind).max


@op(
    symbol="scatter",
    latex={"self": r"\frac{\partial\,\text{result}}{\partial\,\text{self}}\, g", "src": r"\text{gather}(g)"},
    summary={
        "self": "passes the incoming gradient on as the reduction {reduce} shares it",
        "src": "reads the incoming gradient at the indices, as the reduction {reduce} shares it",
    },
)
class scatter_reduce:
    """Elements of src reduced into self at the indices along a dim."""

    def forward(self: A, index: K, src: A, dim: int, reduce: str, include_self: bool) -> A:
        return _combined(self, index, src, dim, reduce, include_self)

    def grad(
        g: V, self: V, index: V, src: V, result: V, dim: V, reduce: V, include_self: V, src_shape: V
    ) -> tuple[V, V]:
        return _gradients(g, self, index, src, result, dim, reduce, include_self, src_shape, "scatter_reduce", "src")


def _gradients(
    g: V, self: V, index: V, src: V, result: V, dim: int, reduce: str, include_self: bool, src_shape: Any, *called: str
) -> tuple[V, V]:
    """Return the gradients of self and of the source; `called` has the names of the function and the source."""
    if reduce not in ("sum", "mean"):
        broadcast_shape(tuple(src_shape), tuple(index.shape))
    if reduce == "sum":
        own, other = g, xp.gather(g, dim, index)
    elif reduce == "mean":
        count = xp.ones_like(g) if include_self else xp.zeros_like(g)
        count = xp.scatter_add(count, xp.ones_like(src), dim, index)
        count = xp.where(count == 0, xp.ones_like(count), count)
        own = g / count
        other = xp.gather(g, dim, index) / xp.gather(count, dim, index)
    elif reduce == "prod":
        own, other = _prod_gradients(g, self, index, src, result, dim, include_self, *called)
    else:
        spread = xp.gather(result, dim, index)
        hits = src == spread
        mine = self == result
        ones = xp.where(hits, xp.ones_like(src), xp.zeros_like(src))
        start = xp.where(mine, xp.ones_like(self), xp.zeros_like(self))
        share = g / xp.scatter_add(start, ones, dim, index)
        own = start * share
        other = ones * xp.gather(share, dim, index)
    if not include_self:
        own = xp.scatter_value(own, dim, index, 0)
    return own, covering(other, src_shape, f"{called[0].title().replace('_', '')}Backward0")


def covering(g: V, shape: Shape, name: str) -> V:
    """Check that the index covers all of the source, as its gradient in PyTorch requires, and return the gradient."""
    if not len(shape):
        return xp.sum_to_size(g, ())
    if tuple(g.shape) != tuple(shape):
        raise RuntimeError(
            f"Function {name} returned an invalid gradient at index 1 - got {list(g.shape)} but expected shape "
            f"compatible with {list(shape)}"
        )
    return g


def _prod_gradients(
    g: V, self: V, index: V, src: V, result: V, dim: int, include_self: bool, name: str, source: str
) -> tuple[V, V]:
    """The product of all other factors, exactly where one of them is zero."""
    own = xp.where(self == 0, xp.ones_like(self), self)
    own = g * xp.scatter_reduce(own, index, src, dim, "prod", include_self) / own
    zero = xp.where(src == 0, xp.ones_like(src), xp.zeros_like(src))
    zeros = xp.gather(xp.scatter_add(xp.zeros_like(self), zero, dim, index), dim, index)
    alone = (src == 0) & (zeros == 1)
    others = xp.scatter_reduce(self, index, xp.where(alone, xp.ones_like(src), src), dim, "prod", include_self)
    divisor = xp.where(src == 0, xp.ones_like(src), src)
    other = xp.where(alone, xp.gather(g * others, dim, index), xp.gather(g * result, dim, index) / divisor)
    if isinstance(other, Tensor) and not levels and (zeros > 1).any():
        other = erring(
            f"{name}(): Double backward is unsupported for {source} when >1 zeros in {source} are scattered to the "
            "same position in self",
            (other,),
        )
    return own, other


def _check_reduce(reduce: str) -> None:
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")


def _check_kernel(reduce: str, kind: dtype) -> None:
    """Raise NotImplementedError for a dtype that PyTorch does not reduce so."""
    if kind is bool_ if reduce == "mean" else kind.is_complex and reduce.startswith("am"):
        raise no_kernel(f"scatter_gather_tensor_cpu_reduce_{reduce}", kind)


def _scatter_reduced(input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool) -> Any:  # noqa: A002
    """The arguments of scatter_reduce; RuntimeError for a dtype or an index that does not fit."""
    d = check_scatter(input, dim, index, src)
    _check_reduce(reduce)
    if index._data.size:
        if include_self:
            _check_kernel(reduce, src._dtype)
        check_range(input, d, index)
        if not include_self:  # PyTorch fills the elements first, for any dtype.
            _check_kernel(reduce, src._dtype)
    elif reduce == "mean" and src._dtype is bool_:
        raise no_kernel("div_floor_cpu", bool_)
    return input, index, src, d, reduce, include_self


@export("scatter_reduce")
def _scatter_reduce(
    input: Tensor,  # noqa: A002
    dim: int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> Any:
    """A copy with elements of src reduced into it at the indices along a dim."""
    return apply(primitives["scatter_reduce"], *_scatter_reduced(input, dim, index, src, reduce, include_self))


@export(function=False)
def scatter_reduce_(
    self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """Reduce elements of src into self at the indices along a dim, in place."""
    return mutate("scatter_reduce", *_scatter_reduced(self, dim, index, src, reduce, include_self))


def _spread_index(index: V, shape: Shape, dim: int) -> V:
    """Expand an index of slices to one of elements."""
    lengths = [1] * len(shape)
    lengths[dim] = -1
    return xp.expand(xp.reshape(index, tuple(lengths)), tuple(shape))


@op(
    symbol="reduce at",
    latex={
        "self": r"\frac{\partial\,\text{result}}{\partial\,\text{self}}\, g",
        "source": r"\frac{\partial\,\text{result}}{\partial\,\text{source}}\, g",
    },
    summary={
        "self": "passes the incoming gradient on as the reduction {reduce} shares it",
        "source": "reads the incoming gradient at the indices, as the reduction {reduce} shares it",
    },
)
class index_reduce:
    """Slices of source reduced into self at the indices of a dim."""

    def forward(self: A, dim: int, index: K, source: A, reduce: str, include_self: bool) -> A:
        if not self.ndim:
            flat = np.reshape(self, (1,)), np.reshape(index, (1,)), np.reshape(source, (1,))
            return _combined(*flat, 0, reduce, include_self).reshape(())[()]
        return _combined(self, _spread_index(np.asarray(index), source.shape, dim), source, dim, reduce, include_self)

    def grad(
        g: V, self: V, dim: V, index: V, source: V, result: V, reduce: V, include_self: V, source_shape: V
    ) -> tuple[V, V]:
        called = ("index_reduce", "source")
        if not len(g.shape):
            flat = [xp.reshape(v, (1,)) for v in (g, self, index, source, result)]
            own, other = _gradients(*flat, 0, reduce, include_self, (1,), *called)  # type: ignore[arg-type]
            return xp.reshape(own, ()), xp.reshape(other, tuple(source_shape))
        wide = _spread_index(index, source_shape, dim)
        return _gradients(g, self, wide, source, result, dim, reduce, include_self, source_shape, *called)


IN_BETA = "index_reduce() is in beta and the API may change at any time."


def _index_reduced(input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, include_self: bool) -> Any:  # noqa: A002
    """The arguments of index_reduce; RuntimeError for an unknown reduction."""
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    d = wrap_dim(dim, input.ndim)
    check_added_slices("index_reduce_", input, d, index, source)
    warn_once(IN_BETA)
    kind = input._dtype
    if not include_self:
        if kind.is_complex or kind is bool_:
            raise no_kernel("index_reduce_func_exclude_input_init", kind)
        check_fillable(input, d, index)
    if input._data.ndim < 2:
        if kind.is_complex or kind is bool_:
            raise no_kernel("index_func_", kind)
        check_in_self(input, d, index)
    elif index._data.size:
        if not input._data.shape[d]:
            raise IndexError(
                f"select(): index 0 out of range for tensor of size {list(input._data.shape)} at dimension {d}"
            )
        # PyTorch looks for the kernel at each slice, so the first index is checked before it.
        if kind.is_complex and reduce in ("amax", "amin") and 0 <= index._data.flat[0] < input._data.shape[d]:
            raise no_kernel("maximum_cpu" if reduce == "amax" else "minimum_cpu", kind)
        check_in_self(input, d, index)
        if kind is bool_ and reduce == "mean":
            raise no_kernel("div_floor_cpu", kind)
    return input, d, index, source, reduce, include_self


@export("index_reduce")
def _index_reduce(
    input: Tensor,  # noqa: A002
    dim: int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> Any:
    """A copy with slices of source reduced into it at the indices of a dim."""
    return apply(primitives["index_reduce"], *_index_reduced(input, dim, index, source, reduce, include_self))


@export(function=False)
def index_reduce_(
    self: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """Reduce slices of source into self at the indices of a dim, in place."""
    return mutate("index_reduce", *_index_reduced(self, dim, index, source, reduce, include_self))


REDUCING = (
    "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch "
    "release. Use torch.scatter_reduce instead for more reduction options."
)


@op(underivable=True, name="scatter_with", symbol="scatter")
class scatter_with:
    """Elements of src added or multiplied into self at the indices along a dim."""

    def forward(self: A, src: A, dim: int, index: K, reduce: str) -> A:
        out = np.array(self, order="C")
        if not index.size:
            return out[()]
        flat, places, part = np.atleast_1d(out), np.atleast_1d(index), np.atleast_1d(src)
        part = part[tuple(slice(n) for n in places.shape)]
        (np.add if reduce == "add" else np.multiply).at(flat, element_key(places, dim % flat.ndim), part)
        return flat.reshape(out.shape)[()]


def with_reduction(input: Tensor, dim: int, index: Tensor, src: Value, reduce: str) -> tuple[Any, ...]:  # noqa: A002
    """The arguments of a scatter that adds or multiplies; RuntimeError for any other reduction."""
    if isinstance(src, Tensor):
        warn_once(REDUCING)
    d = check_scatter(input, dim, index, src)
    if reduce not in ("add", "multiply"):
        raise RuntimeError("reduce argument must be either add or multiply.")
    if isinstance(src, Tensor):
        check_range(input, d, index)
    else:
        check_written(input, d, index, src)
        src = of_raw(np.full(index._data.shape, src if index._data.size else 0).astype(input._dtype.np))
    return input, src, d, index, reduce
