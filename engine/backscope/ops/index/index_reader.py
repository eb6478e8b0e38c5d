"""Parsing of the key of `x[...]` into parts, each with the op that PyTorch uses for it."""

from __future__ import annotations

from operator import index as whole
from typing import Any

import numpy as np

from backscope.autograd.transforms.absent import Absent
from backscope.autograd.transforms.transform_refusals import refuse_dynamic
from backscope.ops.core.declaration import primitives
from backscope.ops.core.dispatch import apply
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
        self.dim = self.source_dim = 0
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
        for p in parts:
            self._take(p, tensor._data.ndim - used)

    def _take(self, part: Value, spare: int) -> None:
        shape = self.tensor._data.shape
        if part is Ellipsis:
            self.dim += spare
            self.source_dim += spare
        elif part is None:
            self.tensor = self.tensor.unsqueeze(self.dim)  # type: ignore[attr-defined]
            self.dim += 1
        elif isinstance(part, bool):
            self.tensor = self.tensor.unsqueeze(self.dim)  # type: ignore[attr-defined]
            self.advanced.append((self.dim, make(np.array([part]), types.bool_)))
            self.dim += 1
        elif isinstance(part, int):
            if not _LEAST <= part <= END:
                raise ValueError("Overflow when unpacking long long")
            n = shape[self.dim] if self.dim < len(shape) else 0  # A second ellipsis can lead past the last dim.
            if not -n <= part < n:
                raise IndexError(f"index {part} is out of bounds for dimension {self.source_dim} with size {n}")
            self.tensor = apply(primitives["select"], self.tensor, self.dim, part)
            self.source_dim += 1
        elif isinstance(part, slice):
            start, end, step = _slice_numbers(part)
            if self.dim < len(shape) and (self.alone or start or step != 1 or end < shape[self.dim]):
                self.tensor = apply(primitives["slice"], self.tensor, self.dim, start, end, step)
            self.dim += 1
            self.source_dim += 1
        else:
            self.advanced.append((self.dim, part))
            taken = part._data.ndim if part._dtype.name in ("bool", "uint8") else 1
            self.dim += taken
            self.source_dim += taken

    def indices(self, *, fills: bool = False) -> tuple[Any, ...]:
        """Return the index tensors by dim, None for whole dims; `fills` where one number is written to all elements."""
        if not self.advanced:
            raise without_indices(accumulate=False)
        by_dim: dict[int, Any] = dict(self.advanced)
        found: list[Any] = []
        dim, last, order = 0, max(by_dim), 0
        if last >= self.tensor._data.ndim:
            raise IndexError(f"too many indices for tensor of dimension {self.tensor._data.ndim} (got {last + 1})")
        filled_at_once = fills and len(by_dim) == 1
        while dim <= last:
            part = by_dim.get(dim)
            if part is None:
                found.append(None)
                dim += 1
            elif part._dtype.name in ("bool", "uint8"):
                if part._dtype is types.uint8:
                    if filled_at_once:
                        raise RuntimeError(
                            "masked_fill_ only supports boolean masks, but got mask with dtype unsigned char"
                        )
                    warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.")
                wanted = self.tensor._data.shape[dim : dim + part._data.ndim]
                for i, (a, b) in enumerate(zip(part._data.shape, wanted, strict=True)):
                    if a != b:
                        raise IndexError(
                            f"The shape of the mask {list(part._data.shape)} at index {i} does not match the "
                            "shape of the indexed tensor "
                            f"{list(self.tensor._data.shape)} at index {dim + i}"
                        )
                refuse_dynamic(part, "index")
                found.append(part)
                dim += part._data.ndim
                order += part._data.ndim
            else:
                found.append(part)
                n = self.tensor._data.shape[dim]
                if part._data.size and not n:
                    raise IndexError("index is out of bounds for dimension with size 0")
                if part._data.size and not (-n <= part._data.min() and part._data.max() < n):
                    wrong = np.ravel(part._data)
                    wrong = wrong[(wrong < -n) | (wrong >= n)][0]
                    # PyTorch counts the index tensors here, not the dims.
                    raise IndexError(f"index {wrong} is out of bounds for dimension {order} with size {n}")
                dim += 1
                order += 1
        return tuple(found)


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
_OF_INDICES = frozenset(["bool", "uint8", "int32", "int64"])


def _as_part(part: Value) -> Any:
    if isinstance(part, (list, tuple, range)):
        part = _listed(part)
    if isinstance(part, np.ndarray):
        part = of_raw(np.array(part)) if part.ndim else part.item()
    if isinstance(part, Tensor):
        single = part._data.ndim == 0 and part._dtype.category < 2 and not isinstance(part._data, Absent)
        if part._dtype.name not in _OF_INDICES and not (single and part._dtype.name in ("int8", "int16")):
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        if single:
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
    if isinstance(part, Tensor) and part._dtype.name in ("bool", "uint8"):
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
