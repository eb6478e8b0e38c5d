"""Checks that numbers fit in 64 bits, in the dtype that they are written as, and beside tensors of a dtype."""

from __future__ import annotations

import math

from backscope.runtime.given import Value
from backscope.tensor.dtype import BOOL, COMPLEX, FLOATING, LOW_PRECISION, complex64, dtype, float32
from backscope.tensor.number_limits import finfo, iinfo

CAST_NAMES = {
    "float64": "double", "float32": "float", "float16": "c10::Half", "bfloat16": "c10::BFloat16", "int64": "int64_t",
    "int32": "int", "int16": "int16_t", "int8": "int8_t", "uint8": "uint8_t", "bool": "bool",
}  # fmt: skip
"""Names of C++ types in errors of number conversions."""


def _overflows(value: Value, kind: dtype) -> bool:
    if isinstance(value, complex):
        if value.imag:
            return True
        value = value.real
    if kind.is_floating_point:
        return not (math.isinf(value) or math.isnan(value)) and abs(value) > finfo(kind).max
    if isinstance(value, float) and not math.isfinite(value):
        return True
    limits = iinfo(kind)
    if limits.min == 0 and value < 0:
        return bool(-value > limits.max)  # PyTorch wraps negative numbers around.
    return not limits.min <= value <= limits.max


def check_integer(value: int) -> None:
    """Raise OverflowError for an integer that fits neither in 64 bits with a sign nor in 64 bits without one."""
    if value >= 1 << 64:
        raise OverflowError("int too big to convert")
    if value < -(1 << 63):
        raise OverflowError("can't convert negative int to unsigned")


def check_alpha(alpha: Value, kind: dtype) -> None:
    """Raise RuntimeError for a factor that a sum of the type `kind` can't have."""
    if isinstance(alpha, bool) and kind.category != BOOL:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if kind.category < FLOATING and not isinstance(alpha, int):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if kind.category < COMPLEX and isinstance(alpha, complex):
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")


def check_assigned(value: Value, kind: dtype) -> None:
    """ValueError or RuntimeError for a number that can't be assigned to elements of a dtype."""
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        raise ValueError("Overflow when unpacking long long")
    if kind in LOW_PRECISION:  # PyTorch rounds these from a double.
        if isinstance(value, complex) and value.imag:
            raise RuntimeError("value cannot be converted to type double without overflow")
        return
    if kind is complex64:
        parts = (value.real, value.imag)
        if any(math.isfinite(p) and abs(p) > finfo(float32).max for p in parts):
            raise RuntimeError("value cannot be converted to type c10::complex<float> without overflow")
        return
    check_number(value, kind)


def check_number(value: Value, kind: dtype) -> None:
    """Raise RuntimeError for a number that a dtype can't hold; bools and complex types take any number."""
    if isinstance(value, int):
        check_integer(value)
    known = kind.name in CAST_NAMES and kind.name != "bool"
    if known and isinstance(value, (int, float, complex)) and _overflows(value, kind):
        raise RuntimeError(f"value cannot be converted to type {CAST_NAMES[kind.name]} without overflow")
