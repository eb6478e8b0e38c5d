"""Checks of an index against the tensor that it reads or writes; errors with PyTorch's texts."""

from __future__ import annotations

import numpy as np

from backscope.ops.core.arguments.dims import wrap_dim
from backscope.ops.core.arguments.number_casts import check_integer, check_number
from backscope.runtime.given import Value
from backscope.tensor.dtype import int32, int64
from backscope.tensor.meta import MetaArray
from backscope.tensor.storage import check_bounds, flat_memory
from backscope.tensor.strides import offset_in_storage, shown_strides
from backscope.tensor.tensor import Tensor


def check_index_dtype(name: str, index: Tensor) -> None:
    """Raise RuntimeError unless an index is empty or has the dtype int64 or int32."""
    if index._data.size and index._dtype not in (int64, int32):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")


def check_ranks(input: Tensor, index: Tensor, called: str = "self") -> None:  # noqa: A002
    """Raise RuntimeError for an index with another number of dims than `input`; a 0-d tensor counts as 1-d."""
    if max(index._data.ndim, 1) != max(input._data.ndim, 1):
        raise RuntimeError(f"Index tensor must have the same number of dimensions as {called} tensor")


def check_scatter(input: Tensor, dim: int, index: Tensor, src: Value = None) -> int:  # noqa: A002
    """Return the wrapped dim of a scatter; raise the errors for dtypes and shapes in PyTorch's order."""
    d = wrap_dim(dim, input._data.ndim)
    source = src if isinstance(src, Tensor) else None
    check_index_dtype("scatter", index)
    if source is not None and source._dtype is not input._dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if index._data.size:
        check_ranks(input, index)
        _check_room(input, d, index, source)
    return d


def _check_room(input: Tensor, dim: int, index: Tensor, src: Tensor | None) -> None:  # noqa: A002
    """Raise RuntimeError for an index larger than self along another dim than `dim`, or than src along any dim."""
    wanted, room = index._data.shape or (1,), input._data.shape or (1,)
    fits = all(a <= b for d, (a, b) in enumerate(zip(wanted, room, strict=True)) if d != dim)
    source = None if src is None else src._data.shape
    if source is not None:
        # A dim that src lacks is found missing only after all dims before it fit.
        fits = fits and all(n <= (source[wrap_dim(d, len(source))] if source else 1) for d, n in enumerate(wanted))
        if max(len(source), 1) != len(wanted):
            raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    if not fits:
        beyond = "" if source is None else f" and to be no larger size than src {list(source)}"
        raise RuntimeError(
            f"Expected index {list(index._data.shape)} to be no larger than self {list(input._data.shape)} apart from "
            f"dimension {dim}{beyond}"
        )


def length_of(tensor: Tensor, dim: int) -> int:
    """Return the length of a dim, 1 for a 0-d tensor."""
    return int(tensor._data.shape[dim]) if tensor._data.ndim else 1


def check_range(self: Tensor, dim: int, index: Tensor) -> None:
    """Raise RuntimeError for an index that a dim does not have; negative ones are none."""
    n, data = length_of(self, dim), index._data
    if data.size and not (data.min() >= 0 and data.max() < n):
        wrong = data[(data < 0) | (data >= n)].flat[0] if data.ndim else data
        raise RuntimeError(f"index {wrong} is out of bounds for dimension {dim} with size {n}")


def check_written(self: Tensor, dim: int, index: Tensor, number: Value) -> None:
    """Raise the error of a number that the dtype can't hold, or of an index that the dim does not have.

    PyTorch converts the number at each element, so the first index counts before the number and all others after it.
    """
    data = index._data
    if isinstance(number, int):
        check_integer(number)
    if data.size and 0 <= data.flat[0] < length_of(self, dim):
        check_number(number, self._dtype)
    check_range(self, dim, index)


def check_in_self(self: Tensor, dim: int, index: Tensor) -> None:
    """Raise IndexError for an index that a dim does not have; negative ones are none."""
    n = length_of(self, dim)
    if index._data.size and not (index._data.min() >= 0 and index._data.max() < n):
        raise IndexError("index out of range in self")


def first_beyond(self: Tensor, dim: int, index: Tensor, least: int) -> int | None:
    """Return the first index that is below `least` or beyond a dim, or None; where nothing is written, there is none.

    Raises: RuntimeError where the dim is empty and the memory has no slice that PyTorch could take for one of it.
    """
    n, places = length_of(self, dim), index._data
    if not places.size or (places.min() >= least and places.max() < n):
        return None
    shape = list(self._data.shape) or [1]
    shape[dim] = places.size
    if 0 in shape:
        return None
    if not n and isinstance(self._data, np.ndarray):
        strides = list(shown_strides(self._data))
        strides[dim] = 0
        check_bounds(flat_memory(self._data), shape, strides, offset_in_storage(self._data), self._data.itemsize)
    return int(places[(places < least) | (places >= n)].flat[0] if places.ndim else places)


def check_fillable(self: Tensor, dim: int, index: Tensor, value: Value = None) -> None:
    """Raise the error of a value that the dtype can't hold, or of an index that index_fill does not find in a dim."""
    n = length_of(self, dim)
    wrong = first_beyond(self, dim, index, -n)
    if isinstance(value, Tensor):
        if value.__class__ is Tensor and value._dtype is not self._dtype and value._data.__class__ is not MetaArray:
            check_number(value.item(), self._dtype)
    elif value is not None:
        check_number(value, self._dtype)
    if wrong is not None:
        raise IndexError(f"index {wrong} is out of bounds for dimension {dim} with size {n}")


def check_slices(self: Tensor, dim: int, source: Tensor) -> None:
    """Raise RuntimeError for slices along a dim that do not have the shape of those of self."""
    own, given = list(self._data.shape), list(source._data.shape)
    both = bool(own and given)
    if own[:dim] + own[dim + both :] != given[:dim] + given[dim + both :]:
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
            f"{own} source.shape = {given}"
        )


def check_added_slices(name: str, self: Tensor, dim: int, index: Tensor, source: Tensor) -> None:
    """Raise the error of the function `name` for slices that can't be added up in self at a vector of indices."""
    if index._data.ndim > 1:
        raise IndexError(
            f"{name}(): Index is supposed to be a vector, but got dim: {index._data.ndim} with type: "
            f"{index._dtype.type_name} and size: {list(index._data.shape)}"
        )
    if index._dtype not in (int32, int64):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index but got: {index._dtype.type_name}")
    if self._dtype is not source._dtype:
        raise RuntimeError(
            f"{name}(): self ({self._dtype.type_name}) and source ({source._dtype.type_name}) must have the same "
            "scalar type"
        )
    if dim and dim >= source._data.ndim:
        raise RuntimeError(
            f"{name}(): Indexing dim {dim} is out of bounds of the source tensor with dim {source._data.ndim}"
        )
    count, length = index._data.size, length_of(source, dim)
    if count != length:
        if not source._data.ndim:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        raise RuntimeError(
            f"{name}(): Number of indices ({count}) should be equal to source.size(dim): ({length}), for dim: {dim}"
        )
    check_slices(self, dim, source)
