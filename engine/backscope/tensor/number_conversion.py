"""Python numbers as raw values of a dtype, and PyTorch's error for those that the dtype can't hold."""

from __future__ import annotations

import math

import numpy as np

from backscope.runtime.given import Array, Value
from backscope.tensor.dtype import INTEGER, cast, complex64, dtype, float32

_C_NAMES = {"int32": "int", "float32": "float", "complex64": "c10::complex<float>"}


def _overflow(name: str) -> RuntimeError:
    return RuntimeError(f"value cannot be converted to type {name} without overflow")


def _fits(low: Value, high: Value, kind: dtype) -> bool:
    limits = np.iinfo(kind.np)
    if not (low == low and high == high):
        return False
    lowest = int(limits.min) if kind.is_signed else -int(limits.max)
    return bool(low >= lowest and int(limits.max) >= high)


def raw_number(value: Value, kind: dtype) -> Array:
    """A Python number in a dtype; RuntimeError for one that is out of its range.

    Negative numbers wrap around in unsigned types.
    """
    if kind.category == INTEGER and not isinstance(value, complex):
        finite = not isinstance(value, float) or math.isfinite(value)
        if not finite or not _fits(value, value, kind):
            raise _overflow(_C_NAMES.get(kind.name, kind.name + "_t"))
        return np.asarray(int(value) % 2 ** (8 * kind.itemsize), np.uint64).astype(kind.np)[()]
    finite = isinstance(value, (int, float)) and math.isfinite(value)
    if kind in (float32, complex64) and finite and abs(value) > np.finfo(np.float32).max:
        raise _overflow(_C_NAMES[kind.name])
    return cast(np.asarray(value), kind)[()]


def check_numbers(array: Array, kind: dtype) -> None:
    """RuntimeError for an array of Python numbers that an integer type can't hold; ValueError beyond 64 bits."""
    if kind.category != INTEGER or array.dtype.kind in "bc" or not array.size:
        return
    if array.dtype.kind in "uO" and kind.name == "int64":
        raise ValueError("Overflow when unpacking long long")
    if not _fits(array.min(), array.max(), kind):
        raise _overflow(kind.name)
