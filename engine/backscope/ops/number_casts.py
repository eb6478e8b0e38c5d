"""Whether a number fits in a dtype that it is written as."""

from __future__ import annotations

import math
from typing import Any

from backscope.dtype import dtype
from backscope.number_limits import finfo, iinfo

CAST_NAMES = {
    "float64": "double", "float32": "float", "float16": "c10::Half", "bfloat16": "c10::BFloat16", "int64": "int64_t",
    "int32": "int", "int16": "int16_t", "int8": "int8_t", "uint8": "uint8_t", "bool": "bool",
}  # fmt: skip
"""C++ types as errors of number conversions name them."""


def _overflows(value: Any, kind: dtype) -> bool:
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
        return bool(-value > limits.max)  # PyTorch lets negative numbers wrap around.
    return not limits.min <= value <= limits.max


def check_number(value: Any, kind: dtype) -> None:
    """RuntimeError for a number that a dtype can't hold; truth values and complex types take any."""
    known = kind.name in CAST_NAMES and kind.name != "bool"
    if known and isinstance(value, (int, float, complex)) and _overflows(value, kind):
        raise RuntimeError(f"value cannot be converted to type {CAST_NAMES[kind.name]} without overflow")
