"""Checks of an index against the tensor that it reads or writes; errors with PyTorch's texts."""

from __future__ import annotations

from backscope.runtime.given import Value
from backscope.tensor.dtype import int32, int64
from backscope.tensor.tensor import Tensor


def check_ranks(name: str, input: Tensor, index: Tensor, called: str = "self") -> None:  # noqa: A002
    if index._data.size and index._dtype not in (int64, int32):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    if index._data.size and max(index._data.ndim, 1) != max(input._data.ndim, 1):
        raise RuntimeError(f"Index tensor must have the same number of dimensions as {called} tensor")


def check_room(input: Tensor, index: Tensor, dim: int, src: Value = None) -> None:  # noqa: A002
    """Raise RuntimeError for an index that is larger than what it leads to, along the other dims."""
    room, wanted = input._data.shape, index._data.shape
    if not index._data.size or not room or not wanted:
        return
    fits = all(a <= b for d, (a, b) in enumerate(zip(wanted, room, strict=True)) if d != dim)
    text = f"Expected index {list(wanted)} to be no larger than self {list(room)} apart from dimension {dim}"
    if isinstance(src, Tensor):
        source = src._data.shape or (1,)
        if len(source) < len(wanted):
            ends = f"[-{len(source)}, {len(source) - 1}]"
            raise IndexError(f"Dimension out of range (expected to be in range of {ends}, but got {len(source)})")
        if len(source) != len(wanted):
            raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
        if not fits or any(a > b for a, b in zip(wanted, source, strict=False)):
            raise RuntimeError(f"{text} and to be no larger size than src {list(source)}")
    elif not fits:
        raise RuntimeError(text)


def length_of(tensor: Tensor, dim: int) -> int:
    """Return the length of a dim, 1 for a 0-d tensor."""
    return int(tensor._data.shape[dim]) if tensor._data.ndim else 1


def check_range(self: Tensor, dim: int, index: Tensor) -> None:
    """Raise RuntimeError for an index that a dim does not have; negative ones are none."""
    n, data = length_of(self, dim), index._data
    if data.size and not (data.min() >= 0 and data.max() < n):
        wrong = data[(data < 0) | (data >= n)].flat[0] if data.ndim else data
        raise RuntimeError(f"index {wrong} is out of bounds for dimension {dim} with size {n}")


def check_in_self(self: Tensor, dim: int, index: Tensor) -> None:
    """Raise IndexError for an index that a dim does not have; negative ones are none."""
    n = length_of(self, dim)
    if index._data.size and not (index._data.min() >= 0 and index._data.max() < n):
        raise IndexError("index out of range in self")


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
