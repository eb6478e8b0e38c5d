"""Numbers and elements as JSON has them: not finite ones as strings, complex ones as pairs."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import numpy as np

from backscope.protocol.events import Element, Number
from backscope.protocol.field_types import INT64
from backscope.runtime.given import Value
from backscope.summary.number_text import number_text


def whole(value: int) -> Number:
    """Return a whole number that every JSON reader can represent: one of 64 bits, any other rounded."""
    if INT64[0] <= value <= INT64[1]:
        return value
    try:
        return float(value)
    except OverflowError:
        return "Infinity" if value > 0 else "-Infinity"


def number(value: Value) -> Number:
    """Return a real number that JSON can represent."""
    if isinstance(value, (bool, np.bool_)):
        return int(value)
    if isinstance(value, (int, np.integer)):
        return whole(int(value))
    real = float(value)
    if math.isfinite(real):
        return real
    return "NaN" if real != real else "Infinity" if real > 0 else "-Infinity"


def _shortest(value: Value, kind: np.dtype[Any]) -> float:
    """Return a low precision number as the shortest decimal that rounds to it, so that 0.1 is shown as 0.1."""
    return float(str(value)) if kind == np.float32 or kind == np.float16 else float(value)


def element(value: Value) -> Element:
    """Convert one element to JSON types; a complex number becomes a pair."""
    if isinstance(value, np.complexfloating):
        return [number(_shortest(value.real, value.real.dtype)), number(_shortest(value.imag, value.imag.dtype))]
    if isinstance(value, (np.bool_, np.integer)):
        return whole(int(value))
    return number(_shortest(value, value.dtype))


def elements(values: np.ndarray[Any, Any]) -> list[Element]:
    """Convert elements to JSON types, as element() does with each."""
    if values.dtype.kind in "cV" or values.dtype == np.uint64:
        return [element(v) for v in values]
    finite = np.isfinite(values)
    if finite.all():
        found: list[Element] = msgspec.json.decode(number_text(values))
        return found
    found = msgspec.json.decode(number_text(np.where(finite, values, values.dtype.type(0))))
    for k in np.flatnonzero(~finite).tolist():
        found[k] = number(values[k])
    return found
