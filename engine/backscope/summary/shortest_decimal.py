"""Low precision numbers as the shortest decimals that round to them, so that 0.1 is shown as 0.1: many at once."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

_TEN = 10.0 ** np.arange(23)
"""The powers of ten that a double represents exactly."""

_DIGITS = {np.dtype(np.float32): (6, 7, 8, 9), np.dtype(np.float16): (3, 4, 5)}
"""The numbers of digits that may be needed: the type represents every decimal of the first number of digits."""


def decimals(values: Array) -> Array:
    """Finite numbers as doubles; of a float32 or float16 the double next to its shortest decimal, as str() gives it."""
    wide = values.astype(np.float64)
    digits = _DIGITS.get(values.dtype)
    if digits is None or not wide.size:
        return wide
    flat, low = wide.reshape(-1), values.reshape(-1)
    size = np.abs(flat)
    tiny = np.finfo(values.dtype).tiny
    normal = size >= tiny
    place = np.floor(np.log10(np.where(normal, size, 1.0))).astype(np.intp)
    power = np.frexp(size)[0] == 0.5
    found = flat.copy()
    hard = np.ones(flat.shape, np.bool_)
    for count in reversed(digits):  # Fewer digits are tried later and replace more.
        made, risky = _rounded(flat, count - 1 - place)
        if count > digits[0]:  # Below a power of two, numbers are closer together than above it.
            risky |= power
        same = made.astype(values.dtype) == low
        np.copyto(found, made, where=same)
        hard &= ~same
        hard |= risky
    hard &= size > 0
    for k in np.flatnonzero(hard | ((size > 0) & ~normal)).tolist():
        found[k] = float(str(low[k]))
    return found.reshape(wide.shape)


def _rounded(wide: Array, places: Array) -> tuple[Array, Array]:
    """Round numbers to decimal places, negative ones before the point; also mark those too close to a tie."""
    outside = np.abs(places) > 22
    if outside.any():
        places = np.where(outside, 0, places)
    if places.size and places.min() >= 0:
        scale = _TEN[places]
        scaled = wide * scale
        whole = np.rint(scaled)
        found = whole / scale
    else:
        up, down = _TEN[np.maximum(places, 0)], _TEN[np.maximum(-places, 0)]
        scaled = wide * up / down
        whole = np.rint(scaled)
        found = whole * down / up
    return found, outside | (np.abs(np.abs(scaled - whole) - 0.5) < 1e-6)
