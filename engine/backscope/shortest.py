"""Low precision numbers as the shortest decimals that mean them, so that 0.1 stays 0.1: many at once."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

_TEN = 10.0 ** np.arange(23)
"""The powers of ten that a double holds exactly."""

_DIGITS = {np.dtype(np.float32): (6, 7, 8, 9), np.dtype(np.float16): (3, 4, 5)}
"""How many digits may be needed: every decimal of the first number of digits survives in the type."""


def decimals(values: Array) -> Array:
    """Finite numbers as doubles; of a float32 or float16 the double next to its shortest decimal, as str() gives it."""
    wide = values.astype(np.float64)
    digits = _DIGITS.get(values.dtype)
    if digits is None or not wide.size:
        return wide
    flat, low = wide.reshape(-1), values.reshape(-1)
    size = np.abs(flat)
    hard = (size < np.finfo(values.dtype).tiny) & (size > 0)
    left = np.flatnonzero(size >= np.finfo(values.dtype).tiny)
    place = np.floor(np.log10(size[left])).astype(np.intp)
    for count in digits:
        found, risky = _rounded(flat[left], count - 1 - place)
        if count > digits[0]:  # Below a power of two numbers lie closer than above it.
            risky |= np.frexp(size[left])[0] == 0.5
        hard[left[risky]] = True
        same = found.astype(values.dtype) == low[left]
        done = same & ~risky
        flat[left[done]] = found[done]
        rest = ~(same | risky)
        left, place = left[rest], place[rest]
        if not left.size:
            break
    hard[left] = True
    for k in np.flatnonzero(hard).tolist():
        flat[k] = float(str(low[k]))
    return wide


def _rounded(wide: Array, places: Array) -> tuple[Array, Array]:
    """Numbers rounded to decimal places, negative ones before the point, and where that is too close to call."""
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
