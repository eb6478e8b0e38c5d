"""Normal numbers from uniform ones, with the arithmetic of PyTorch's CPU kernels.

PyTorch fills a float32 tensor of 16 numbers or more with Cephes' polynomials for log, sine and cosine, eight lanes at
a time and with fused multiply-add. Computing the same polynomials in the same order gives the same bits, which
numpy's own log, sin and cos do not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backscope.runtime.given import Value

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
_ONE, _HALF = np.float32(1), np.float32(0.5)
_TWO_PI = np.float32(2 * math.pi)
_FOUR_OVER_PI = np.float32(4 / math.pi)
_SQRT_HALF = np.float32(math.sqrt(0.5))


def _wide(*numbers: float) -> tuple[np.float64, ...]:
    """float32 constants, widened for `_fused`."""
    return tuple(np.float64(np.float32(x)) for x in numbers)


# Cephes' single precision coefficients: logf, and sinf and cosf on [0, pi/4].
_LOG = _wide(
    *(7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1),
    *(-1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1),
)
_SIN = _wide(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COS = _wide(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
# ln 2 and pi/4 in parts that are exact in float32, so that the reductions lose no bits.
_LN2_LOW, _LN2_HIGH = np.float32(-2.12194440e-4), np.float64(0.693359375)
_QUARTER_PI = _wide(0.78515625, 2.4187564849853515625e-4, 3.77489497744594108e-8)


def _fused(a: Float32, b: Value, c: Value) -> Float32:
    """a * b + c rounded once: the product of two float32 numbers is exact in float64."""
    total: Float64 = a.astype(np.float64) * b + c
    return total.astype(np.float32)


def _polynomial(coefficients: tuple[np.float64, ...], x: Float32) -> Float32:
    value = np.full_like(x, coefficients[0])
    wide = x.astype(np.float64)
    for coefficient in coefficients[1:]:
        value = _fused(value, wide, coefficient)
    return value


def _log(x: Float32) -> Float32:
    mantissa, exponent = np.frexp(x)
    small = mantissa < _SQRT_HALF
    scale = (exponent - small).astype(np.float32)
    m = (mantissa - _ONE) + np.where(small, mantissa, np.float32(0))
    square = m * m
    tail = _fused(_polynomial(_LOG, m) * m, square, scale * _LN2_LOW) - square * _HALF
    return _fused(scale, _LN2_HIGH, m + tail)


def _sin_cos(x: Float32) -> tuple[Float32, Float32]:
    octant = ((x * _FOUR_OVER_PI).astype(np.int32) + 1) & ~1
    turns = octant.astype(np.float32)
    for part in _QUARTER_PI:
        x = _fused(turns, -part, x)
    square = x * x
    cos = _fused(_polynomial(_COS, square) * square, square, -(square * _HALF)) + _ONE
    sin = _fused(_polynomial(_SIN, square) * square, x, x)
    straight = (octant & 2) == 0
    first, second = np.where(straight, sin, cos), np.where(straight, cos, sin)
    return np.where(octant & 4, -first, first), np.where((octant + 2) & 4, -second, second)


def float32_blocks(uniform: Float32, mean: float, std: float) -> Float32:
    """Normal numbers from a whole number of blocks of 16 uniform ones: eight radii, then eight angles."""
    blocks = uniform.reshape(-1, 16)
    radius = np.sqrt(np.float32(-2) * _log(_ONE - blocks[:, :8]))
    sin, cos = _sin_cos(_TWO_PI * blocks[:, 8:])
    (shift, scale) = _wide(mean, std)
    out = np.empty_like(blocks)
    out[:, :8] = _fused(radius * cos, scale, shift)
    out[:, 8:] = _fused(radius * sin, scale, shift)
    return out.reshape(-1)


def float64_blocks(uniform: Float64, mean: float, std: float) -> Float64:
    """Yield blocks like `float32_blocks` in float64, with the C library's functions."""
    blocks = uniform.reshape(-1, 16)
    radius = np.sqrt(-2.0 * each(math.log, 1.0 - blocks[:, :8]))
    angle = 2.0 * math.pi * blocks[:, 8:]
    parts = [fused(radius * each(function, angle), std, mean) for function in (math.cos, math.sin)]
    return np.concatenate(parts, axis=1).reshape(-1)


def each(function: Callable[[float], float], x: Float64) -> Float64:
    """Apply a function of the C library to every number; NumPy's own may differ in the last bit."""
    return np.fromiter(map(function, x.ravel().tolist()), dtype=np.float64, count=x.size).reshape(x.shape)


def fused(a: Float64, b: float, c: float) -> Float64:
    """a * b + c in float64 as a fused multiply-add gives it: the rounding errors of both steps are added back."""
    if b == 1:
        return a + c
    product = a * b
    total = product + c
    lost_by_product = _product_error(a, np.float64(b), product)
    back = total - product
    lost_by_sum = (product - (total - back)) + (c - back)
    return total + (lost_by_product + lost_by_sum)


def _product_error(a: Float64, b: np.float64, product: Float64) -> Float64:
    """Return the exact rounding error of a * b: Dekker's product of 26-bit halves."""

    def halves(x: Value) -> tuple[Any, Any]:
        scaled = x * np.float64(2**27 + 1)
        high = scaled - (scaled - x)
        return high, x - high

    (a_high, a_low), (b_high, b_low) = halves(a), halves(b)
    error: Float64 = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return error


def pair(u1: float, u2: float) -> tuple[float, float]:
    """Two independent standard normal numbers from two uniform ones in [0, 1)."""
    radius, angle = math.sqrt(-2.0 * math.log1p(-u2)), 2.0 * math.pi * u1
    return radius * math.cos(angle), radius * math.sin(angle)
