"""float16 and bfloat16: kernels compute in float32 and round once; some round each step, or the remainder of blocks."""

from __future__ import annotations

import numpy as np

from backscope.runtime.given import Array, Value
from backscope.tensor.dtype import (
    LOW_PRECISION,
    bfloat16,
    cast,
    complex64,
    complex128,
    dtype,
    float16,
    float32,
    float64,
)

BLOCK = 32
"""The number of elements that PyTorch's vectorized kernels take at once; a scalar loop computes the remainder."""


def wide(value: Value) -> Array:
    """Low precision values as float32, any others as they are."""
    kind = value.dtype
    return value.astype(np.float32) if kind.itemsize == 2 and dtype.table[kind] in LOW_PRECISION else value


_ACCUMULATORS = {float16: float32, bfloat16: float32, float32: float64, complex64: complex128}


def accumulator(kind: dtype) -> dtype:
    """Return the type of running sums in some kernels: twice as wide for floating point types."""
    return _ACCUMULATORS.get(kind, kind)


def accumulating(value: Value) -> Array:
    """Convert raw values to the type that running sums are kept in."""
    return cast(value, accumulator(dtype.table[value.dtype]))


def in_blocks(whole: Array, rest: Array) -> Array:
    """Take the elements of whole blocks from `whole` and the remaining ones from `rest`, in the order of memory."""
    start = whole.size - whole.size % BLOCK
    if start == 0:
        return rest
    out = np.array(whole)
    out.reshape(-1)[start:] = rest.reshape(-1)[start:]
    return out
