"""Parsing of the key of `x[...]` into parts, each with the op that PyTorch uses for it."""

from __future__ import annotations

from operator import index as whole
from typing import Any

import numpy as np

from backscope.autograd.transforms.absent import Absent
from backscope.ops.core.declaration import primitives
from backscope.ops.core.dispatch import apply
from backscope.ops.index.index_tensors import MASKS, fitted
from backscope.ops.index.slicing import END
from backscope.runtime.given import Value
from backscope.runtime.warning import warn
from backscope.tensor import dtype as types
from backscope.tensor.tensor import Tensor, make, of_raw
from backscope.tensor.typename import c_name


class IndexReader:
    """Applies the parts of an index to a tensor from left to right, each with the op that PyTorch uses."""

    def __init__(self, tensor: Tensor, key: Value, *, to_write: bool = False) -> None:
        self.tensor = tensor
        self.dim = 0
        self.advanced: list[tuple[int, Any]] = []
        if _stands_for_a_tuple(key):
            warn(_NON_TUPLE)
            key = tuple(key)
        parts = list(key) if isinstance(key, tuple) else [key]
        self.alone = not isinstance(key, tuple) and not to_write
        parts = [_as_part(p) for p in parts]
        used = sum(_dims_used(p) for p in parts)
        if used > tensor._data.ndim:
            raise IndexError(f"too many indices for tensor of dimension {tensor._data.ndim}")
        for i, p in enumerate(parts):
            self._take(p, i, tensor._data.ndim - used)

    def _take(self, part: Value, position: int, spare: int) -> None:
        shape = self.tensor._data.shape
        if part is Ellipsis:
            self.dim += spare
        elif part is None:
            self.tensor = self.tensor.unsqueeze(self.dim)  # type: ignore[attr-defined]
            self.dim += 1
        elif isinstance(part, bool):
            self.tensor = self.tensor.unsqueeze(self.dim)  # type: ignore[attr-defined]
            self.advanced.append((self.dim, make(np.zeros(int(part), np.int64), types.int64)))
            self.dim += 1
        elif isinstance(part, int):
            if not _LEAST <= part <= END:
                raise ValueError("Overflow when unpacking long long")
            n = shape[self.dim] if self.dim < len(shape) else 0  # A second ellipsis can lead past the last dim.
            if not -n <= part < n:
                # PyTorch counts the parts of the index here, not the dims.
                raise IndexError(f"index {part} is out of bounds for dimension {position} with size {n}")
            self.tensor = apply(primitives["select"], self.tensor, self.dim, part)
        elif isinstance(part, slice):
            start, end, step = _slice_numbers(part)
            if self.dim < len(shape) and (self.alone or start or step != 1 or end < shape[self.dim]):
                self.tensor = apply(primitives["slice"], self.tensor, self.dim, start, end, step)
            self.dim += 1
        else:
            self.advanced.append((self.dim, part))
            self.dim += part._data.ndim if part._dtype in MASKS else 1

    def indices(self, *, fills: bool = False) -> tuple[tuple[Any, ...], bool]:
        """Return the index tensors by dim, None for whole dims, and True where an index is out of range.

        `fills` where one number is written to all elements.
        """
        dim, only = self.advanced[0]
        shape = self.tensor._data.shape
        if len(self.advanced) == 1 and only._dtype is types.int64 and dim < len(shape):
            n, places = shape[dim], only._data
            beyond = places.size and not (-n <= places.min() and places.max() < n)
            return (*[None] * dim, only), bool(beyond)
        by_dim: dict[int, Any] = dict(self.advanced)
        dim, last = 0, max(by_dim)
        if last >= self.tensor._data.ndim:
            raise IndexError(f"too many indices for tensor of dimension {self.tensor._data.ndim} (got {last + 1})")
        found: list[Any] = []
        while dim <= last:
            part = by_dim.get(dim)
            found.append(part)
            dim += part._data.ndim if part is not None and part._dtype in MASKS else 1
        return fitted(self.tensor, found, fills=fills)


_NON_TUPLE = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; use "
    "x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, x[torch.tensor(seq)], "
    "which will result either in an error or a different result "
)


def _stands_for_a_tuple(key: Value) -> bool:
    """Return True for a list that PyTorch treats as a tuple of indices: a short one with more in it than numbers."""
    return (
        isinstance(key, (list, str))
        and len(key) < 32
        and any(
            p is None or p is Ellipsis or isinstance(p, (Tensor, np.ndarray, list, tuple, range, str, slice))
            for p in key
        )
    )


_LEAST = -END - 1


def _as_part(part: Value) -> Any:
    if isinstance(part, (list, tuple, range)):
        part = _listed(part)
    if isinstance(part, np.ndarray):
        part = of_raw(np.array(part)) if part.ndim else part.item()
    if isinstance(part, Tensor):
        if part._data.ndim == 0 and part._dtype.category < 2 and not isinstance(part._data, Absent):
            value = part._data.item()
            return bool(value) if part._dtype in (types.bool_, types.uint8) else value
        return part
    if isinstance(part, str):
        raise TypeError("new(): invalid data type 'str'")
    if part is None or part is Ellipsis or isinstance(part, (bool, slice, int)):
        return part
    if hasattr(part, "__index__"):
        return part.__index__()
    kind = c_name(type(part))
    raise IndexError(
        f"only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got {kind})"
    )


def _listed(part: Value) -> Any:
    """Return a sequence of numbers as an array: bools as a mask, others as integers."""
    array = np.asarray(part, dtype=None if len(part) else np.int64)
    if array.dtype.kind == "c":
        raise TypeError("'complex' object cannot be interpreted as an integer")
    too_large = array.dtype == np.uint64 or (array.dtype.kind == "O" and all(isinstance(n, int) for n in array.flat))
    if too_large:
        raise ValueError("Overflow when unpacking long long")
    return array.astype(np.int64) if array.dtype.kind == "f" else array


def _dims_used(part: Value) -> int:
    if part is None or part is Ellipsis or isinstance(part, bool):
        return 0
    if isinstance(part, Tensor) and part._dtype in MASKS:
        return int(part._data.ndim)
    return 1


def _slice_numbers(part: slice) -> tuple[int, int, int]:
    try:
        step = 1 if part.step is None else whole(part.step)
        start = 0 if part.start is None else whole(part.start)
        stop = END if part.stop is None else whole(part.stop)
    except TypeError:
        if all(n is None or hasattr(n, "__index__") for n in (part.start, part.stop, part.step)):
            raise
        raise TypeError("slice indices must be integers or None or have an __index__ method") from None
    if not step:
        raise ValueError("slice step cannot be zero")
    if step < 0:
        raise ValueError("step must be greater than zero")
    return start, stop, step


def check_0d(self: Tensor, key: Value) -> None:
    """Raise IndexError for a number or a slice as the index of a 0-d tensor."""
    if self._data.ndim:
        return
    if isinstance(key, slice):
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if isinstance(key, int) and not isinstance(key, bool):
        if key:
            raise IndexError(f"index {key} is out of bounds for dimension 0 with size 0")
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
            "0-dim tensor to a number"
        )


def without_indices(*, accumulate: bool) -> RuntimeError:
    """Return PyTorch's error for a write without any index."""
    if accumulate:
        return RuntimeError(
            'ntensor >= 3 INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/aten/src/ATen/native/cpu/IndexKernelUtils.h"'
            ":8, please report a bug to PyTorch. "
        )
    return RuntimeError("sym_strides() called on an undefined Tensor")
