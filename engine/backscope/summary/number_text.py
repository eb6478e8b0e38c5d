"""Writes arrays of numbers as JSON, each with the fewest digits that its dtype needs: 0.1, not 0.10000000149."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec
import numpy as np

try:
    import orjson
except ImportError:  # It comes with the server.
    _HAS_ORJSON = False
else:
    _HAS_ORJSON = True

Array: TypeAlias = np.ndarray[Any, Any]

_HALF = np.dtype(np.float16)
_WRITTEN = {np.dtype(code) for code in "fdbhilqBHILQ"}
"""The types of which orjson writes arrays as they are."""

_halves: dict[int, float] = {}
"""The shortest decimals of float16 by their bits, as far as they were asked for; there are 65,536."""


def number_text(numbers: Array) -> bytes:
    """Return the JSON of an array of finite real numbers, in brackets; a bool is written as 0 or 1.

    Shape: any but (); an array of more dims becomes lists within lists.
    """
    kind = numbers.dtype
    if kind not in _WRITTEN:
        if kind == _HALF:
            numbers = _decimals(numbers)
        else:  # Of bfloat16 and float8 all digits are shown.
            numbers = numbers.astype(np.uint8 if kind.kind == "b" else np.float64)
    if _HAS_ORJSON:
        text = orjson.dumps(np.ascontiguousarray(numbers), option=orjson.OPT_SERIALIZE_NUMPY)
    else:
        text = _text_by_numpy(numbers)
    return text.replace(b"e+", b"e") if b"e+" in text else text


def _text_by_numpy(numbers: Array) -> bytes:
    """Return what orjson does, slower; some numbers have an exponent where it writes zeros, or the other way round."""
    if numbers.dtype == np.float32:  # numpy writes the fewest digits that it needs, a double of them has them too.
        numbers = numbers.astype(np.str_).astype(np.float64)
    return msgspec.json.encode(numbers.tolist())


def number_texts(numbers: Array) -> list[bytes]:
    """Return the JSON of each of some finite real numbers."""
    return number_text(numbers)[1:-1].split(b",")


def row_texts(rows: Array) -> list[bytes]:
    """Return the JSON of the numbers of each row of a matrix, without brackets."""
    return number_text(rows)[2:-2].split(b"],[")


def _decimals(halves: Array) -> Array:
    """Return the doubles next to the shortest decimals of float16 numbers."""
    bits = np.ascontiguousarray(halves).view(np.uint16).reshape(-1).tolist()
    for k, one in enumerate(bits):
        if one not in _halves:
            _halves[one] = float(str(halves.flat[k]))
    return np.array([_halves[one] for one in bits]).reshape(halves.shape)
