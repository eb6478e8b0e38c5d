"""Bessel and Airy functions of real arguments on raw values in double precision."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.runtime.given import Array, Value

EULER = 0.5772156649015329
_FAR = 30.0
"""The smallest argument for which the asymptotic series are exact to the last digit."""


def bessel_j(x: Value, order: int) -> Array:
    """J of order 0 or 1."""
    wide = np.asarray(x, np.float64)
    with np.errstate(all="ignore"):
        size = np.abs(wide)
        near = _downwards(np.where(size < _FAR, size, 1.0), order, second=False)
        found = np.where(size < _FAR, near, _waves(np.maximum(size, _FAR), order, second=False))
        found = np.where(np.isinf(wide), np.nan, found)
    return np.where(np.signbit(wide), -found, found) if order else found


def bessel_y(x: Value, order: int) -> Array:
    """Y of order 0 or 1; NaN below 0."""
    wide = np.asarray(x, np.float64)
    with np.errstate(all="ignore"):
        inside = (wide > 0) & (wide < _FAR)
        near = _downwards(np.where(inside, wide, 1.0), order, second=True)
        found = np.where(inside, near, _waves(np.maximum(wide, _FAR), order, second=True))
        found = np.where(wide == 0, -np.inf, found)
        return np.where((wide < 0) | ~np.isfinite(wide), np.nan, found)


def _downwards(x: Value, order: int, *, second: bool) -> Any:
    """J or Y by the recurrence from large orders downwards, which J alone survives, and Neumann's series."""
    tiny = x < 1e-8
    safe = np.where(tiny, 1.0, x)
    above, here = np.zeros_like(safe), np.full_like(safe, 1e-280)
    total = np.zeros_like(safe)
    series = np.zeros_like(safe)
    slope = np.zeros_like(safe)
    values: dict[int, Any] = {}
    for k in range(90, 0, -1):
        above, here = here, 2 * k / safe * here - above
        scale = np.where(np.abs(here) > 1e200, 1e-200, 1.0)
        above, here, total, series, slope = (v * scale for v in (above, here, total, series, slope))
        values = {n: v * scale for n, v in values.items()}
        at = k - 1
        if at < 2:
            values[at] = here
        if at and at % 2 == 0:
            sign = -1.0 if at // 2 % 2 else 1.0
            total = total + 2 * here
            series = series + sign * here / (at // 2)
            slope = slope - sign * above / (at // 2) / 2
        if at % 2 == 1:
            sign = -1.0 if (at + 1) // 2 % 2 else 1.0
            slope = slope + sign * here / ((at + 1) // 2) / 2
    norm = total + values[0]
    zero, one = values[0] / norm, values[1] / norm
    if not second:
        return np.where(tiny, x / 2 if order else 1.0, one if order else zero)
    log = np.log(np.where(tiny, x, safe) / 2) + EULER
    if order == 0:
        return np.where(tiny, 2 / math.pi * log, 2 / math.pi * (log * zero - 2 * series / norm))
    found = 2 / math.pi * (-zero / safe + log * one + 2 * slope / norm)
    return np.where(tiny, -2 / math.pi / np.where(x == 0, 1.0, x), found)


def _waves(x: Value, order: int, *, second: bool) -> Any:
    """J or Y far out, by Hankel's asymptotic series."""
    mu = 4.0 * order * order
    even, odd, term = np.ones_like(x), np.zeros_like(x), np.ones_like(x)
    for k in range(1, 24):
        term = term * (mu - (2 * k - 1) ** 2) / (k * 8 * x)
        sign = -1.0 if k // 2 % 2 else 1.0
        if k % 2:
            odd = odd + sign * term
        else:
            even = even + sign * term
    angle = x - (0.5 * order + 0.25) * math.pi
    wave = even * np.sin(angle) + odd * np.cos(angle) if second else even * np.cos(angle) - odd * np.sin(angle)
    return np.sqrt(2 / (math.pi * x)) * wave


def bessel_k(x: Value, order: float, *, scaled: bool) -> Array:
    """K of any order, times exp(x) where `scaled`: the trapezoidal rule on its integral; NaN below 0."""
    wide = np.asarray(x, np.float64)
    with np.errstate(all="ignore"):
        inside = (wide > 0) & np.isfinite(wide)
        safe = np.where(inside, wide, 1.0)
        step = 0.1 * np.sqrt(np.minimum(1.0, 20 / safe))
        total = np.full_like(safe, 0.5)
        for k in range(1, 7000 if np.any(safe < 1e-13) else 420):
            t = k * step
            total = total + np.exp(-2 * safe * np.sinh(t / 2) ** 2) * np.cosh(order * t)
        found = total * step
        found = found if scaled else found * np.exp(-safe)
        found = np.where(wide == 0, np.inf, found)
        found = np.where(np.isposinf(wide), 0.0, found)
        return np.where((wide < 0) | np.isnan(wide), np.nan, found)


def airy(x: Value) -> Array:
    """Ai: the power series near 0, K of order 1/3 above, a wave below."""
    wide = np.asarray(x, np.float64)
    with np.errstate(all="ignore"):
        near = (wide > -8) & (wide < 2)
        safe = np.where(near, wide, 0.0)
        cube = safe**3
        one, other = np.ones_like(safe), np.array(safe)
        first, second = np.array(one), np.array(other)
        for k in range(1, 60):
            one = one * cube / ((3 * k - 1) * (3 * k))
            other = other * cube / ((3 * k) * (3 * k + 1))
            first, second = first + one, second + other
        found = 0.3550280538878172 * first - 0.25881940379280679 * second
        right = np.where(wide >= 2, wide, 2.0)
        turned = 2 / 3 * right**1.5
        decay = np.sqrt(right / 3) / math.pi * bessel_k(turned, 1 / 3, scaled=True) * np.exp(-turned)
        found = np.where(wide >= 2, decay, found)
        left = np.where(wide <= -8, -wide, 8.0)
        found = np.where(wide <= -8, _airy_wave(left), found)
        return np.where(np.isfinite(wide), found, np.nan)


def _airy_wave(x: Value) -> Any:
    turned = 2 / 3 * x**1.5
    term, even, odd = np.ones_like(x), np.ones_like(x), np.zeros_like(x)
    for k in range(1, 18):
        term = term * (6 * k - 5) * (6 * k - 3) * (6 * k - 1) / (216 * k * (2 * k - 1) * turned)
        sign = -1.0 if k // 2 % 2 else 1.0
        if k % 2:
            odd = odd + sign * term
        else:
            even = even + sign * term
    angle = turned + math.pi / 4
    return (np.sin(angle) * even - np.cos(angle) * odd) / (math.sqrt(math.pi) * x**0.25)


def spherical_j0(x: Value) -> Array:
    """sin(x) / x, 1 at 0."""
    wide = np.asarray(x, np.float64)
    with np.errstate(all="ignore"):
        found = np.sin(wide) / np.where(wide == 0, 1.0, wide)
        return np.where(wide == 0, 1.0, np.where(np.isinf(wide), 0.0, found))
