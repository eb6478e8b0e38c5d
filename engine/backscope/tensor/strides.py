"""Strides of arrays in elements, and arrays made by shape, strides and offset."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.runtime.given import Array, Dtype, Shape, Value

ndarray = np.ndarray

SHARED = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
    "clone() the tensor before performing the operation."
)


def element_strides(array: Array) -> tuple[int, ...]:
    """The strides of an array in elements."""
    return tuple([s // array.itemsize for s in array.strides])


def shown_strides(array: Array) -> tuple[int, ...]:
    """Return the strides in elements that PyTorch shows: in numpy a new array without elements has none."""
    if array.size or not array.ndim or any(array.strides):
        return element_strides(array)
    return strides_without_gaps(array.shape)


def strides_without_gaps(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple([math.prod([max(n, 1) for n in shape[d + 1 :]]) for d in range(len(shape))])


def with_strides(array: Array) -> Array:
    """A new array without elements, with the strides that PyTorch gives it, for views to be made of."""
    if array.size or not array.ndim or any(array.strides):
        return array
    steps = [s * array.itemsize for s in strides_without_gaps(array.shape)]
    return np.lib.stride_tricks.as_strided(array, array.shape, steps)


def dense_alike(array: Array, kind: Dtype) -> Array:
    """A new array with just the strides of a dense one, those of dims of length 1 included."""
    size = np.dtype(kind).itemsize
    steps = [s // array.itemsize * size for s in with_strides(array).strides]
    return np.lib.stride_tricks.as_strided(np.empty(array.size, kind), array.shape, steps)


def copied_alike(array: Array, kind: Dtype, numbers: Value = None) -> Array:
    """A copy of a dense array, or other `numbers`, with just its strides."""
    made = dense_alike(array, kind)
    made[...] = array if numbers is None else numbers
    return made


def order_of_dims(shape: tuple[int, ...], operands: list[tuple[int, ...]]) -> list[int]:
    """The dims from the innermost to the outermost, as PyTorch's kernels order them for operands of these strides.

    The first operand for which two dims differ decides; dims along which one is broadcast say nothing.
    """

    def compare(a: int, b: int) -> int:
        for strides in operands:
            if not strides[a] or not strides[b]:
                continue
            if strides[a] != strides[b]:
                return -1 if strides[a] < strides[b] else 1
            if shape[a] > shape[b]:
                return 1
        return 0

    order = list(range(len(shape)))[::-1]
    for i in range(1, len(shape)):
        at = i
        for before in range(i - 1, -1, -1):
            found = compare(order[before], order[at])
            if found > 0:
                order[before], order[at] = order[at], order[before]
                at = before
            elif found < 0:
                break
    return order


def empty_in_order(shape: tuple[int, ...], order: list[int], kind: Dtype) -> Array:
    """A new array without gaps, its dims from the innermost to the outermost as in `order`."""
    outermost = order[::-1]
    made = np.empty([shape[d] for d in outermost], kind)
    return made.transpose(np.argsort(outermost))


def empty_alike(array: Array, kind: Dtype) -> Array:
    """A new array of the same shape without gaps, its dims in the same order in memory."""
    return empty_in_order(array.shape, order_of_dims(array.shape, [array.strides]), kind)


def arranged(result: Value, operands: list[Any]) -> Array:
    """The result of a kernel with its dims in memory as PyTorch has them for these operands, arrays or scalars."""
    if not isinstance(result, ndarray) or result.ndim < 2:
        return result
    first = operands[0]
    if isinstance(first, ndarray) and first.shape == result.shape and first.flags.c_contiguous:
        if result.flags.c_contiguous:
            return result
        return np.ascontiguousarray(result)
    arrays = [o for o in operands if isinstance(o, ndarray)]
    strides = [_strides_within(o, result.shape) for o in arrays]
    if 1 in result.shape and len(arrays) == len(operands) and _alike(arrays, result.shape):
        flat = np.empty(result.size, result.dtype)
        steps = [s // first.itemsize * result.itemsize for s in first.strides]
        made = np.ndarray(result.shape, result.dtype, flat, 0, steps)
        made[...] = result
        return made
    made = empty_in_order(result.shape, order_of_dims(result.shape, strides), result.dtype)
    if made.strides == result.strides:
        return result
    made[...] = result
    return made


def _strides_within(array: Array, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of an operand of a kernel: 0 only along dims that are broadcast, of length 1 or not there."""
    lead = len(shape) - array.ndim
    own = [0 if n == 1 and shape[lead + i] != 1 else array.strides[i] for i, n in enumerate(array.shape)]
    return (*[0] * lead, *own)


def _alike(arrays: list[Any], shape: tuple[int, ...]) -> bool:
    """Return True if operands have one shape and one layout without gaps, which results then have too."""
    strides = element_strides(arrays[0])
    return all(a.shape == shape and element_strides(a) == strides and is_dense(a) for a in arrays)


def address(array: Array) -> int:
    """Return the address of the first element."""
    return int(array.__array_interface__["data"][0])


def storage_of(array: Array) -> Array:
    """The array that owns the memory."""
    while True:
        below = array.base
        if not isinstance(below, ndarray):
            below = getattr(below, "base", None)  # What numpy's as_strided puts in between.
            if not isinstance(below, ndarray):
                return array
        array = below


def offset_in_storage(array: Array) -> int:
    """Return the position of the first element in the memory, in elements."""
    return (address(array) - address(storage_of(array))) // int(array.itemsize)


def storage_length(array: Array) -> int:
    """Return the number of elements of the array's type that fit into its whole memory."""
    return int(storage_of(array).nbytes // array.itemsize)


def zeros_in_place_of(array: Array, batch: tuple[int, ...], kind: Dtype) -> Array:
    """Return zeros in new memory with the strides and offset of `array`, once for each place of a batch."""
    length = storage_length(array)
    strides = element_strides(array)
    for n in reversed(batch):
        strides = (length, *strides)
        length *= n
    memory = np.zeros(length, kind)
    steps = tuple([s * memory.itemsize for s in strides])
    return np.lib.stride_tricks.as_strided(memory[offset_in_storage(array) :], (*batch, *array.shape), steps)


def geometry(base: Value, view: Value) -> tuple[Any, Any, int]:
    """Shape, strides and offset of `view` within the memory of `base`, in elements of the view."""
    return view.shape, element_strides(view), (address(view) - address(base)) // int(view.itemsize)


def layout(shape: tuple[int, ...], strides: tuple[int, ...]) -> Array:
    """Return an array of this shape and strides; its elements must not be read."""
    one = np.zeros(1, np.int8)
    return np.lib.stride_tricks.as_strided(one, shape, strides)


def strided(array: Array, shape: Shape, strides: Shape, offset: int) -> Array:
    """A numpy view of `array`'s memory; strides and offset in elements, counted from its first element."""
    step = array.itemsize
    if offset >= 0 and (offset + _reach(shape, strides)) * step <= array.nbytes:
        if array.flags.c_contiguous:
            return np.ndarray(shape, array.dtype, array, offset * step, tuple([s * step for s in strides]))
        if array.T.flags.c_contiguous:
            return np.ndarray(shape, array.dtype, array.T, offset * step, tuple([s * step for s in strides]))
    storage = storage_of(array)
    flat = storage if storage.flags.c_contiguous else storage.T
    if not flat.flags.c_contiguous:
        flat = np.lib.stride_tricks.as_strided(storage, (extent(storage),), (storage.itemsize,))
    start = address(array) - address(storage) + offset * step
    if not math.prod(shape):
        start = min(start, flat.nbytes)  # Without elements it may begin anywhere.
    return np.ndarray(shape, array.dtype, flat, start, tuple([s * step for s in strides]))


def _reach(shape: Shape, strides: Shape) -> int:
    reach = 1
    for n, s in zip(shape, strides, strict=True):
        if not n:
            return 0
        reach += (n - 1) * s
    return int(reach)


def extent(array: Array) -> int:
    """Return the number of elements from the first to the last one in memory, both included."""
    if not array.size:
        return 0
    return int(1 + sum((n - 1) * s // array.itemsize for n, s in zip(array.shape, array.strides, strict=True)))


def is_dense(array: Array) -> bool:
    """True where the elements fill one block of memory without gaps or overlaps, in whatever order of dims."""
    if not array.size:
        return True
    expected = array.itemsize
    for stride, length in sorted(zip(array.strides, array.shape, strict=True)):
        if length == 1:
            continue
        if stride != expected:
            return False
        expected *= length
    return True


def repeats_elements(array: Array) -> bool:
    """True where a dim of stride 0 makes several elements share one place in memory."""
    return array.size > 1 and any(s == 0 and n > 1 for s, n in zip(array.strides, array.shape, strict=True))


def overlap_partly(a: Value, b: Value) -> bool:
    """True for two blocks of the same memory that share some of it, and not all."""
    if a is b or not a.size or not b.size or not np.may_share_memory(a, b):
        return False
    if not is_dense(a) or not is_dense(b):
        return False
    if address(a) == address(b) and a.nbytes == b.nbytes:
        return bool(a.strides != b.strides)
    return True
