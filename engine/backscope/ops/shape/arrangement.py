"""Turns, stacks and look-ups that make no node of their own, and norms that are held below a bound."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from backscope.ops.core.arguments.dims import wrap_dim, wrap_dims
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import argument_error, export, torch_functions as f
from backscope.ops.core.return_types import return_type
from backscope.ops.core.unsupported import no_kernel
from backscope.ops.create.creation import as_tensor, copied, tensor
from backscope.ops.reduce.extremes import shared_evenly
from backscope.runtime.given import Device, Dim, Dtype, Shape, Value, Values
from backscope.tensor import dtype as types
from backscope.tensor.dtype import BOOL, COMPLEX, INTEGER, default, int64
from backscope.tensor.size import Size
from backscope.tensor.tensor import Tensor, of_raw


@op(
    grad_fn="Rot90Backward0",
    symbol="rot90",
    latex={"self": r"\text{rot90}(g, -k)"},
    summary={"self": "turns the incoming gradient back"},
)
class rot90:
    """Turned by k quarters in the plane of two dims."""

    def forward(self: A, k: int, dims: Dim) -> A:
        return np.array(np.rot90(self, k, dims))

    def grad_self(g: V, k: V, dims: V) -> V:
        return xp.rot90(g, -k, dims)


@export("rot90")
def _rot90(input: Tensor, k: int = 1, dims: Dim = (0, 1)) -> Any:  # noqa: A002
    """Turned by k quarters from the first to the second of two dims."""
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if input.ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {input.ndim}")
    pair = tuple(wrap_dim(d, input.ndim) for d in dims)
    if pair[0] == pair[1]:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    return apply(primitives["rot90"], input, int(k), pair)


@op(
    outputs=2,
    returns=("min", "max"),
    symbol="min, max",
    latex={"self": r"g\ \text{at the extremes}"},
    summary={"self": "sends the incoming gradients to the smallest and the largest element"},
)
class aminmax:
    """The smallest and the largest element, of all or along a dim."""

    def forward(self: A, dim: int | None, keepdim: bool) -> Any:
        return np.asarray(np.min(self, dim, keepdims=keepdim))[()], np.asarray(np.max(self, dim, keepdims=keepdim))[()]

    def grad_self(g: V, self: V, min: V, max: V, dim: V, keepdim: V, self_shape: V) -> V:  # noqa: A002
        parts = []
        for part, extreme in ((g[0], min), (g[1], max)):
            if part is None:
                continue
            if dim is None or not len(self_shape):
                parts.append(shared_evenly(part, self, extreme))
                continue
            shown = extreme if keepdim else xp.unsqueeze(extreme, dim)
            spread = part if keepdim else xp.unsqueeze(part, dim)
            mask = self == shown
            count = xp.sum(mask, (dim,), True)
            parts.append(mask * (spread / count))
        return parts[0] if len(parts) == 1 else parts[0] + parts[1]


_AMINMAX = return_type("aminmax", "min", "max")


@export("aminmax")
def _aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> Any:  # noqa: A002
    """The smallest and the largest element, of all or along a dim."""
    d = None if dim is None else wrap_dim(dim, input.ndim)
    if d is None and not input._data.size:
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
        )
    if d is not None and input.ndim and not input._data.shape[d]:
        raise IndexError(f"aminmax: Expected reduction dim {d} to have non-zero size.")
    return _AMINMAX(*apply(primitives["aminmax"], input, d, bool(keepdim)))


def _reversed(self: Tensor) -> Any:
    """The elements of the first dim from the last to the first."""
    return self.flip(tuple(range(self.ndim))) if self.ndim else self  # type: ignore[attr-defined]


setattr(Tensor, "__reversed__", _reversed)


@export("column_stack", method=False)
def _column_stack(tensors: Values) -> Any:
    """Vectors as columns, and matrices, side by side."""
    if isinstance(tensors, Tensor):
        raise argument_error("column_stack", "tensors", 1, tensors, "tuple of Tensors")
    return f["cat"]([t.reshape(t.numel(), 1) if t.ndim < 2 else t for t in tensors], 1)


@export("row_stack", method=False)
def _row_stack(tensors: Values) -> Any:
    """Vectors as rows, and matrices, one above another."""
    return f["vstack"](tensors)


@export(method=False)
def broadcast_shapes(*shapes: Any) -> Any:
    """The shape that all broadcast to."""
    for s in shapes:
        if isinstance(s, (float, Tensor)):
            raise RuntimeError(f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {s}")
    given = [() if s is None else (s,) if isinstance(s, int) else tuple(s) for s in shapes]
    for s in given:
        if any(n < 0 for n in s):
            raise ValueError("Attempting to broadcast a dimension with negative length!")
        for place, n in enumerate(s):
            if not hasattr(n, "__index__"):
                raise TypeError(f"torch.Size() takes an iterable of 'int' (item {place} is '{type(n).__name__}')")
    length = max((len(s) for s in given), default=0)
    shape = [1] * length
    for number, s in enumerate(given):
        for back in range(1, len(s) + 1):
            if s[-back] not in (1, shape[-back]) and shape[-back] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {s[-back]} at {-back}! Mismatching argument at "
                    f"index {number} had {s}; but expected shape should be broadcastable to {shape}"
                )
            if s[-back] != 1:
                shape[-back] = s[-back]
    return Size(shape)


@export()
def argwhere(input: Tensor) -> Any:  # noqa: A002
    """The indices of the elements that are not zero."""
    return f["nonzero"](input)


@export()
def bincount(input: Tensor, weights: Values = None, minlength: int = 0) -> Any:  # noqa: A002
    """Count how often each whole number occurs, or add up its weights."""
    if input._dtype.category != INTEGER:
        raise no_kernel("bincount_cpu", input._dtype)
    if input.ndim != 1 or (input.numel() and input._data.min() < 0):  # type: ignore[attr-defined]
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is not None and tuple(weights._data.shape) != tuple(input._data.shape):
        raise RuntimeError("weights should be 1-d and have the same length as input")
    counted = np.bincount(input._array(), None if weights is None else weights._array(), minlength)
    single = weights is not None and weights._dtype is types.float32
    return of_raw(counted.astype(np.int64 if weights is None else np.float32 if single else np.float64))


@export(method=False)
def isin(elements: Value, test_elements: Value, *, assume_unique: bool = False, invert: bool = False) -> Any:
    """True for elements that are among others."""
    for x in (elements, test_elements):
        if isinstance(x, Tensor) and x._dtype.category in (BOOL, COMPLEX):
            raise RuntimeError(f"Unsupported input type encountered for isin(): {x._dtype.type_name}")
    a, b = (x._data if isinstance(x, Tensor) else np.asarray(x) for x in (elements, test_elements))
    return of_raw(np.asarray(np.isin(a, b, invert=invert))[()])


@export(method=False)
def unravel_index(indices: Tensor, shape: Shape) -> Any:
    """Places counted in a row as indices by dim."""
    if not isinstance(indices, Tensor):
        raise AttributeError(f"'{type(indices).__name__}' object has no attribute 'is_complex'")
    if indices._dtype.category != INTEGER:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices._dtype!r}")
    if not isinstance(shape, (int, Sequence)):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    size = (shape,) if isinstance(shape, int) else tuple(shape)
    for n in size:
        if not isinstance(n, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(n)}")
    if any(n < 0 for n in size):
        raise ValueError(f"'shape' cannot have negative values, but got {size}")
    steps = [math.prod(size[d + 1 :]) for d in range(len(size))]
    places: Any = indices.unsqueeze(-1).floor_divide(tensor(steps, dtype=int64))  # type: ignore[attr-defined]
    return (places % tensor(size, dtype=int64)).unbind(-1)


@export(method=False)
def scalar_tensor(s: Value, *, dtype: Dtype = None, device: Device = None, requires_grad: bool = False) -> Any:
    """Create a 0-d tensor, by default of the default floating point type."""
    return copied(s, dtype or default.floating, device, requires_grad)


@export(method=False)
def asarray(
    obj: Value, *, dtype: Dtype = None, device: Device = None, copy: bool | None = None, requires_grad: bool = False
) -> Any:
    """Data as a tensor, over the same memory where that is possible and no copy is requested."""
    out = as_tensor(obj, dtype=dtype, device=device)
    if copy and (out is obj or isinstance(obj, np.ndarray)):
        out = out.clone()
    if requires_grad and not (out._dtype.is_floating_point or out._dtype.is_complex):
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    if requires_grad:
        out.requires_grad = True
    return out


@export("nonzero_static")
def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Any:  # noqa: A002
    """Return the indices of `size` elements that are not zero, padded with `fill_value` where there are fewer."""
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    places = np.stack(np.nonzero(np.atleast_1d(input._data)), axis=1)[:size, : input._data.ndim]
    out = np.full((size, input._data.ndim), fill_value, np.int64)
    out[: len(places)] = places
    return of_raw(out)


@export("hash_tensor")
def hash_tensor(input: Tensor, dim: Dim = (), *, keepdim: bool = False, mode: int = 0) -> Any:  # noqa: A002
    """The bits of all elements, or of those along dims, combined by exclusive or."""
    if mode != 0:
        raise RuntimeError(f"Unknown hash_tensor mode: {mode}")
    values = np.asarray(input._data)
    wide: Any = values.astype(np.float64 if input._dtype.is_floating_point else np.int64).view(np.uint64)
    dims = tuple(range(wide.ndim)) if dim is None or dim == () else wrap_dims(dim, wide.ndim)
    for d in sorted(dims, reverse=True):
        wide = np.bitwise_xor.reduce(wide, axis=d)
        wide = np.expand_dims(wide, d) if keepdim else wide
    return of_raw(np.asarray(wide)[()])


def _chunked_dim(tensors: Values, dim: int) -> int:
    """The dim that tensors are cut along, counted from the front; RuntimeError where they don't fit together."""
    if any(x.dtype != tensors[0].dtype for x in tensors):
        raise RuntimeError("_chunk_cat expects all input tensors with the same dtype")
    if dim < 0 and any(x.ndim != tensors[0].ndim for x in tensors):
        raise RuntimeError("_chunk_cat expects non-negative dim when input tensors have different ndims")
    d = wrap_dim(dim, tensors[0].ndim) if all(x.ndim == tensors[0].ndim for x in tensors) else dim
    for x in tensors:
        if d >= x.ndim:
            raise RuntimeError("_chunk_cat expects dim < ndim for all input tensors")
        if x.shape[:d] != tensors[0].shape[:d]:
            raise RuntimeError("_chunk_cat expects same sizes of 0,...,dim-1 dimensions for all tensors")
        if not x.numel():
            raise RuntimeError("_chunk_cat expects non-empty tensor")
    return d


@export("_chunk_cat", method=False)
def _chunk_cat(tensors: Values, dim: int, num_chunks: int) -> Any:
    """Tensors cut in chunks along a dim, each flattened from there and filled up with zeros, joined chunk by chunk."""
    if num_chunks < 1:
        raise RuntimeError("_chunk_cat expects positive num_chunks")
    if not tensors:
        raise RuntimeError("_chunk_cat expects a non-empty input tensor list")
    d = _chunked_dim(tensors, dim)
    parts = []
    for x in tensors:
        lead = tuple(x.shape[:d])
        length = -(-x.shape[d] // num_chunks)
        missing = length * num_chunks - x.shape[d]
        if missing:
            x = f["cat"]([x, x.new_zeros((*lead, missing, *x.shape[d + 1 :]))], d)
        parts.append(x.reshape(*lead, num_chunks, -1))
    return f["cat"](parts, d + 1)
