"""Elements and slices read at the indices of a dim: index_select, gather, take, take_along_dim."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.transforms.absent import Absent
from backscope.ops.core.arguments.dims import wrap_dim
from backscope.ops.core.arguments.out_arguments import checked_parts, prepared_outs
from backscope.ops.core.declaration import A, K, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.elementwise import broadcast_shape
from backscope.ops.core.namespace import export
from backscope.ops.index.index_checks import check_index_dtype, check_range, check_ranks, length_of
from backscope.ops.index.index_keys import element_key, slice_key
from backscope.runtime.given import Value
from backscope.tensor import dtype as types
from backscope.tensor.dtype import dtype
from backscope.tensor.tensor import Tensor, of_raw


@op(
    symbol="[i]",
    latex={"self": r"g\ \text{at the indices}"},
    summary={"self": "adds the incoming gradient at the indices of dim {dim} that it was read from"},
)
class index_select:
    """The slices of a dim at the indices."""

    def forward(self: A, dim: int, index: K) -> A:
        if not self.ndim:
            return self[()]
        return np.asarray(self[slice_key(dim % self.ndim, index)], order="C")

    def grad_self(g: V, self_shape: V, dim: V, index: V) -> V:
        if not len(self_shape):
            return g
        return xp.index_add(xp.zeros_of(g, self_shape), g, dim, index, 1)


@op(
    symbol="gather",
    latex={"self": r"\text{scatter}(g)"},
    summary={"self": "adds the incoming gradient at the indices it was read from"},
)
class gather:
    """Elements picked along a dim by an index of the same rank."""

    def forward(self: A, dim: int, index: K, sparse_grad: bool = False) -> A:
        if not self.ndim or not index.ndim:
            return np.full(index.shape, self if not self.ndim else self.flat[index], self.dtype)[()]
        if not index.size:
            return np.empty(index.shape, self.dtype)
        return self[element_key(index, dim % self.ndim)]

    def grad_self(g: V, self: V, dim: V, index: V, sparse_grad: V) -> V:
        shape = tuple(self.shape)
        if sparse_grad and shape:
            return xp.sparse_coo_tensor(xp.reshape(g, (-1,)), _coordinates(index, dim % len(shape)), shape)
        return xp.scatter_add(xp.zeros_of(g, shape), g, dim, index)


def _coordinates(index: V, dim: int) -> A:
    """Return the coordinates that an index reads along a dim, element by element.  Shape: [dims, elements]."""
    at = np.atleast_1d(np.asarray(getattr(index, "_data", index)))
    places = np.indices(at.shape)
    places[dim] = at
    return places.reshape(at.ndim, -1).astype(np.int64)


@op(
    symbol="take",
    latex={"self": r"g\ \text{at the indices}"},
    summary={"self": "adds the incoming gradient at the places it was read from"},
)
class take:
    """Elements picked by their places in a row."""

    def forward(self: A, index: K) -> A:
        return np.take(self, index)

    def grad_self(g: V, self: V, index: V) -> V:
        count = int(np.prod(self.shape, dtype=np.int64))
        raw = index._data if isinstance(index, Tensor) else index
        if isinstance(raw, Absent):
            total = xp.index_add(xp.zeros_of(g, (count,)), xp.reshape(g, (-1,)), 0, xp.reshape(index % count, (-1,)), 1)
            return xp.reshape(total, tuple(self.shape))
        if isinstance(g, Tensor):
            return xp.put(xp.zeros_like(self), g, index, True)
        places = np.asarray(raw % count if count else raw).reshape(-1)
        total = xp.index_add(xp.zeros_of(g, (count,)), xp.reshape(g, (-1,)), 0, places, 1)
        return xp.reshape(total, tuple(self.shape))


@export("index_select")
def _index_select(input: Tensor, dim: int, index: Tensor) -> Any:  # noqa: A002
    """The slices of a dim at the indices; IndexError for an index out of range."""
    d = _check_selected(input, dim, index)
    n, places = length_of(input, d), index._data
    if places.size and not (places.min() >= 0 and places.max() < n):
        raise _beyond(input, d, places)
    return apply(primitives["index_select"], input, dim, index)


def _check_selected(input: Tensor, dim: int, index: Tensor) -> int:  # noqa: A002
    """Return the wrapped dim of index_select; raise the error of an index that is no vector of integers."""
    d = wrap_dim(dim, input._data.ndim)
    if index._data.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if not input._data.ndim and index._data.size != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index._data.size} value(s)")
    if index._dtype not in (types.int32, types.int64):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    return d


def _selected(input: Tensor, dim: int, index: Tensor) -> tuple[tuple[int, ...], dtype]:  # noqa: A002
    """Return the shape and the dtype of what index_select reads."""
    d, shape = _check_selected(input, dim, index), input._data.shape
    return (*shape[:d], index._data.size, *shape[d + 1 :]) if shape else (), input._dtype


prepared_outs["index_select"] = _selected


def _beyond(input: Tensor, dim: int, places: A) -> Exception:  # noqa: A002
    """Return the error for indices that a dim does not have; PyTorch reads dim 1 by another loop than others."""
    length = length_of(input, dim)
    if input._data.ndim < 2 or (input._data.size and dim != 1):
        return IndexError("index out of range in self")
    if not length:
        return RuntimeError("index_select(): self indexing axis dim should be positive")
    wrong = places[(places < 0) | (places >= length)].flat[0] if places.ndim else places
    return RuntimeError(f"INDICES element is out of DATA bounds, id={wrong} axis_dim={length}")


def _gathered(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> tuple[tuple[int, ...], dtype]:  # noqa: A002
    """Return the shape and the dtype of what gather reads."""
    wrap_dim(dim, input._data.ndim)
    return index._data.shape, input._dtype


prepared_outs["gather"] = _gathered


@export("gather")
def _gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Any:  # noqa: A002
    """Elements picked along `dim` by an int64 index of the same rank; RuntimeError for an index out of range."""
    d = wrap_dim(dim, input._data.ndim)
    check_index_dtype("gather", index)
    if index._data.size:
        check_ranks(input, index, "input")
    room, wanted = input._data.shape, index._data.shape
    for i, (n, m) in enumerate(zip(wanted, room, strict=False)):
        if i != d and n > m and index._data.size:
            raise RuntimeError(
                f"Size does not match at dimension {i} expected index {list(wanted)} to be no larger than self "
                f"{list(room)} apart from dimension {d}"
            )
    check_range(input, d, index)
    return apply(primitives["gather"], input, dim, index, bool(sparse_grad))


def _check_taken(index: Tensor) -> None:
    if index._dtype is not types.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {index._dtype.type_name}")


def _taken(input: Tensor, index: Tensor) -> tuple[tuple[int, ...] | None, dtype]:  # noqa: A002
    """Return the shape and the dtype of what take reads, no shape where there is nothing to take."""
    _check_taken(index)
    return index._data.shape if input._data.size or not index._data.size else None, input._dtype


prepared_outs["take"] = _taken


@export("take")
def _take(input: Tensor, index: Tensor) -> Any:  # noqa: A002
    """The elements at places counted in a row; IndexError for one out of range."""
    _check_taken(index)
    count, places = input._data.size, index._data
    if places.size and not count:
        raise IndexError("take(): tried to take from an empty tensor")
    if places.size and not (places.min() >= -count and places.max() < count):
        wrong = places[(places < -count) | (places >= count)].flat[0] if places.ndim else places
        raise IndexError(f"out of range: tried to access index {wrong} on a tensor of {count} elements.")
    return apply(primitives["take"], input, index)


@export()
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Value:  # noqa: A002
    """Elements picked along `dim` by indices that broadcast against input and wrap around the length of the dim."""
    return _gather(*_aligned(input, indices, dim))


def _aligned(input: Tensor, indices: Tensor, dim: int | None = None) -> tuple[Any, int, Any]:  # noqa: A002
    """Return the arguments of gather for take_along_dim: both tensors in their common shape, indices from 0 on."""
    if dim is None:
        return input.view(-1), 0, indices.view(-1)  # type: ignore[attr-defined]
    count = input._data.ndim
    if indices._data.ndim != count:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{count} dimensions for input, and {indices._data.ndim} dimensions for indices"
        )
    if indices._dtype is not types.int64:
        raise RuntimeError(
            f"torch.take_along_dim(): dtype of indices should be Long but got {indices._dtype.type_name}"
        )
    d = wrap_dim(dim, count)
    if not count:
        raise IndexError(f"Dimension specified as {d} but tensor has no dimensions")
    own, picked = list(input._data.shape), list(indices._data.shape)
    n = own[d]
    own[d] = picked[d]
    places = indices.expand(*broadcast_shape(own, picked))  # type: ignore[attr-defined]
    own[d] = picked[d] = n
    wide = input.expand(*broadcast_shape(picked, own))  # type: ignore[attr-defined]
    if places.__class__ is not Tensor:
        return wide, d, places % n
    if not n and places._data.size:
        raise RuntimeError("ZeroDivisionError")
    return wide, d, of_raw(places._data % n if places._data.size else places._data)


checked_parts["take_along_dim"] = _aligned
