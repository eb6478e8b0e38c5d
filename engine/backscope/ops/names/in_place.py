"""In-place forms of ops that are not elementwise, and functions of `torch` that are in-place methods too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.autograd.transforms.transform_refusals import refuse_captured
from backscope.ops.core.arguments.dims import wrap_dim
from backscope.ops.core.arguments.number_casts import CAST_NAMES
from backscope.ops.core.declaration import A, K, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.elementwise import broadcast_shape
from backscope.ops.core.mutation import mutate
from backscope.ops.core.namespace import export, torch_functions
from backscope.ops.core.unsupported import no_kernel
from backscope.ops.linalg import added_products, matmul  # noqa: F401 - declare what has a form in place here
from backscope.runtime.given import Dtype, Shape, Value
from backscope.runtime.listening import hub
from backscope.tensor.dtype import bool_, int64
from backscope.tensor.strides import arranged
from backscope.tensor.tensor import Tensor


def _product(name: str) -> None:
    """Declare the in-place form of a product that is added to self."""
    function: Callable[..., Any] = torch_functions[name]

    def change(self: Tensor, *factors: Tensor, beta: Value = 1, alpha: Value = 1) -> Tensor:
        if self._data.ndim:
            function(self.detach(), *[f.detach() for f in factors])
        return mutate(name, self, *factors, beta, alpha)

    change.__name__ = change.__qualname__ = name + "_"
    change.__doc__ = f"{name} of self, in place."
    export(name + "_", function=False)(change)


for _name in ("addmm", "addmv", "addr", "addbmm", "baddbmm"):
    _product(_name)


@export(function=False)
def cumsum_(self: Tensor, dim: int, *, dtype: Dtype = None) -> Tensor:
    """Sums of all elements up to each along `dim`, in place."""
    wrap_dim(dim, self._data.ndim)
    _check_kept(self, dtype)
    if self._dtype is bool_:
        raise no_kernel("cumsum_out_cpu", self._dtype)
    return mutate("cumsum", self, dim)


@export(function=False)
def cumprod_(self: Tensor, dim: int, *, dtype: Dtype = None) -> Tensor:
    """Products of all elements up to each along `dim`, in place."""
    wrap_dim(dim, self._data.ndim)
    _check_kept(self, dtype)
    if self._dtype is bool_:
        raise no_kernel("cumprod_out_cpu", self._dtype)
    return mutate("cumprod", self, dim)


def _check_kept(self: Tensor, dtype: Dtype) -> None:
    """Raise RuntimeError for another dtype than that of the tensor that the result is written to."""
    if dtype not in (None, self._dtype):
        raise RuntimeError(
            f"Bad in-place call: input tensor dtype {CAST_NAMES[self._dtype.name]} and output tensor dtype "
            f"{CAST_NAMES[dtype.name]} should match"
        )


def _check_matrix(name: str, tensor: Tensor) -> None:
    if tensor._data.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")


@export(function=False)
def tril_(self: Tensor, diagonal: int = 0) -> Tensor:
    """Set what is above a diagonal to 0, in place."""
    _check_matrix("tril", self)
    return mutate("tril", self, diagonal, expanded=True)


@export(function=False)
def triu_(self: Tensor, diagonal: int = 0) -> Tensor:
    """Set what is below a diagonal to 0, in place."""
    _check_matrix("triu", self)
    return mutate("triu", self, diagonal, expanded=True)


@export(function=False)
def fill_diagonal_(self: Tensor, fill_value: Value, wrap: bool = False) -> Tensor:
    """Write one number on the main diagonal, in place; with `wrap` a tall matrix gets one diagonal below another."""
    refuse_captured(self, "fill_diagonal_")
    shape = self._data.shape
    if len(shape) < 2:
        raise RuntimeError("dimensions must larger than 1")
    if len(shape) > 2 and len(set(shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    step = sum(self.stride())  # type: ignore[attr-defined]
    count = min(shape)
    diagonal = self.as_strided((count,), (step,), self.storage_offset())  # type: ignore[attr-defined]
    diagonal.fill_(fill_value)
    if wrap and len(shape) == 2 and shape[0] > shape[1] + 1:
        rest = -(-(shape[0] * shape[1]) // step) - count
        start = self.storage_offset() + self.stride(0) * (shape[1] + 1)  # type: ignore[attr-defined]
        self.as_strided((rest,), (step,), start).fill_(fill_value)  # type: ignore[attr-defined]
    return self


@op(
    symbol="scatter [mask]",
    latex={"self": r"g \cdot [\lnot\,\text{mask}]", "source": r"g\ \text{where mask}"},
    summary={
        "self": "passes the incoming gradient on where the mask is False, 0 elsewhere",
        "source": "collects the incoming gradient where the mask is True",
    },
)
class masked_scatter:
    """self with the elements of source, in order, where the mask is True."""

    def forward(self: A, source: A, mask: K) -> A:
        shape = np.broadcast_shapes(self.shape, mask.shape)
        out = np.array(np.broadcast_to(self, shape), order="C")
        places = np.broadcast_to(mask, shape)
        out[places] = source.reshape(-1)[: int(places.sum())]
        return out

    def grad_self(g: V, mask: V, self_shape: V) -> V:
        return xp.sum_to_size(xp.masked_fill(g, mask, 0), self_shape)

    def grad_source(g: V, mask: V, source_shape: V) -> V:
        count = int(np.prod(source_shape, dtype=np.int64))
        picked = xp.masked_select(g, mask)
        rest = xp.zeros_of(g, (count - int(np.prod(picked.shape)),))
        whole = xp.cat([picked, rest], 0) if rest.shape[0] else picked
        return xp.reshape(whole, source_shape)


def _check_source(self: Tensor, source: Tensor) -> None:
    """Raise RuntimeError for a source of another dtype than self."""
    if source._dtype is not self._dtype:
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes but got"
            f"{self._dtype.type_name} and {source._dtype.type_name}"
        )


def _check_mask(mask: Tensor, shape: Shape, source: Tensor) -> None:
    """Raise RuntimeError for a mask that is not of bools, or that selects more elements of `shape` than source has."""
    if mask._dtype is not bool_:
        raise RuntimeError(
            f"masked_scatter_ only supports boolean masks, but got mask with dtype {mask._dtype.type_name}"
        )
    if source._data.size < np.broadcast_to(mask._data, shape).sum():
        raise RuntimeError("Number of elements of source < number of ones in mask")


@export("masked_scatter")
def _masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Any:  # noqa: A002
    """A copy with the elements of source, in order, where `mask` is True."""
    shape = broadcast_shape(mask._data.shape, input._data.shape)
    _check_source(input, source)
    _check_mask(mask, shape, source)
    return apply(primitives["masked_scatter"], input, source, mask)


@export(function=False)
def masked_scatter_(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Write the elements of source, in order, where `mask` is True, in place."""
    _check_source(self, source)
    mask = mask.expand(self._data.shape)  # type: ignore[attr-defined]
    _check_mask(mask, self._data.shape, source)
    return mutate("masked_scatter", self, source, mask)


@op(
    symbol="put",
    latex={"self": r"g\ \text{elsewhere}", "source": r"g\ \text{at the indices}"},
    summary={
        "self": "passes the incoming gradient on except where elements were written",
        "source": "reads the incoming gradient where the elements were written",
    },
)
class put:
    """self with elements of source written, or added, at places counted in a row."""

    def forward(self: A, source: A, index: K, accumulate: bool = False) -> A:
        out = np.array(self)
        flat = out.reshape(-1)
        places, values = np.ravel(index), np.ravel(source)
        if accumulate:
            np.add.at(flat, places, values)
        else:
            flat[places] = values
        return arranged(flat.reshape(np.shape(self))[()], [self])

    def grad_self(g: V, index: V, accumulate: V) -> V:
        return g if accumulate else xp.put(g, xp.zeros_of(g, tuple(index.shape)), index, False)

    def grad_source(g: V, source_shape: V, index: V) -> V:
        return xp.reshape(xp.take(g, index), source_shape)


def _check_put(self: Tensor, index: Tensor, source: Tensor) -> None:
    if index._dtype is not int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {index._dtype.type_name}")
    if self._dtype is not source._dtype:
        raise RuntimeError(
            "put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{self._dtype.type_name} and source.dtype = {source._dtype.type_name}"
        )
    if index._data.size != source._data.size:
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source._data.size}, index.numel() = {index._data.size}"
        )
    count, places = self._data.size, index._data
    if places.size and not count:
        raise IndexError("put_(): Tried to put elements into an empty tensor")
    if places.size and not (places.min() >= -count and places.max() < count):
        wrong = places[(places < -count) | (places >= count)].flat[0] if places.ndim else places
        raise IndexError(f"out of range: tried to access index {wrong} on a tensor of {count} elements.")


@export("put")
def _put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Any:  # noqa: A002
    """A copy with elements of source written at places counted in a row."""
    _check_put(input, index, source)
    return apply(primitives["put"], input, source, index, accumulate)


@export(function=False)
def put_(self: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Write elements of source at places counted in a row, in place."""
    _check_put(self, index, source)
    return mutate("put", self, source, index, accumulate)


@export(function=False)
def conj_physical_(self: Tensor) -> Value:
    """The complex conjugate, in place; the elements of a real tensor do not change."""
    if not self._dtype.is_complex and self.__class__ is Tensor and not self._requires_grad:
        return mutate("copy", self, self, expanded=True, reported_as="conj_physical_")
    return primitives["conj_physical"].call_in_place(self)


def _each(name: str, count: int) -> None:
    """Declare a method that runs a Python function on each element, of untracked tensors only."""

    def change(self: Tensor, *args: Any) -> Tensor:
        *others, function = args if count == 1 else (*args[: count - 1], args[count - 1])
        if self._requires_grad:
            raise RuntimeError(
                f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead."
            )
        flat = self._array()
        if hub.keeper is not None:
            hub.keeper.before_change(flat)
        columns = [o._data.flat for o in others]
        for i, value in enumerate(list(flat.flat)):
            flat.flat[i] = function(value.item(), *[c[i].item() for c in columns])
        return self

    change.__name__ = change.__qualname__ = name
    change.__doc__ = "Replace each element by what a Python function makes of it."
    export(name, function=False)(change)


for _name, _count in (("apply_", 1), ("map_", 2), ("map2_", 3)):
    _each(_name, _count)

_OF_TORCH = (
    "abs acos acosh addmv arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh ceil clamp clamp_max "
    "clamp_min clip conj_physical cos cosh deg2rad detach erf erfc exp exp2 expm1 fill fix floor frac gcd i0 "
    "index_put lcm ldexp log log10 log1p log2 logit nan_to_num neg negative rad2deg reciprocal relu resize_as round "
    "rsqrt sigmoid sin sinc sinh sqrt square tan tanh trunc xlogy"
)
"""In-place methods that are functions of `torch` too, without their underscores."""


def publish_functions() -> None:
    """Make torch functions of the in-place methods that PyTorch has as such; run once all methods exist."""
    for name in _OF_TORCH.split():
        method = getattr(Tensor, name + "_", None)
        if method is not None:
            torch_functions.setdefault(name + "_", method)


def _alias(name: str, method: str) -> None:
    if not hasattr(Tensor, name) and hasattr(Tensor, method):
        setattr(Tensor, name, getattr(Tensor, method))


_alias("fix_", "trunc_")
