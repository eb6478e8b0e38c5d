"""The gamma function's logarithm and derivatives, and inverse error function, on raw values in double precision."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.ops.special.erf import error_function
from backscope.runtime.given import Array, Value

_lgamma = np.vectorize(lambda x: math.inf if x == math.floor(x) and x <= 0 else math.lgamma(x), otypes=[np.float64])


def lgamma(x: Value) -> Array:
    """log |Γ(x)|; infinite at 0, -1, -2, ... and at both infinities."""
    wide = np.asarray(x, np.float64)
    finite = np.isfinite(wide)
    return np.where(finite, _lgamma(np.where(finite, wide, 1.0)) if wide.size else wide, np.abs(wide))


def digamma(x: Value) -> Array:
    """Γ'(x) / Γ(x): recurrence up to 10, then the asymptotic series; reflected for negative x."""
    wide = np.asarray(x, np.float64)
    with np.errstate(all="ignore"):
        negative = wide < 0
        y = np.where(negative, 1 - wide, wide)
        shift = np.zeros_like(y)
        y = np.array(y)
        for _ in range(10):
            small = y < 10
            shift = shift - np.where(small, 1 / y, 0)
            y = np.where(small, y + 1, y)
        z = 1 / (y * y)
        series = z * (
            1 / 12 - z * (1 / 120 - z * (1 / 252 - z * (1 / 240 - z * (1 / 132 - z * (691 / 32760 - z / 12)))))
        )
        found = np.log(y) - 0.5 / y - series + shift
        found = np.where(negative, found - math.pi / np.tan(math.pi * wide), found)
        found = np.where(negative & (wide == np.floor(wide)), np.nan, found)
        return np.where(wide == 0, np.copysign(np.inf, -wide), found)


_BERNOULLI = (
    1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330,
    854513 / 138, -236364091 / 2730,
)  # fmt: skip


def zeta(s: Value, q: Value) -> Array:
    """The Hurwitz zeta function: the sum of (q + k) ** -s over k = 0, 1, ...; by Euler and Maclaurin."""
    s, q = np.broadcast_arrays(np.asarray(s, np.float64), np.asarray(q, np.float64))
    with np.errstate(all="ignore"):
        total = np.zeros(s.shape)
        a = np.array(q, np.float64)
        for _ in range(12):
            total = total + a**-s
            a = a + 1
        total = total + a ** (1 - s) / (s - 1) + 0.5 * a**-s
        term = s * a ** (-s - 1)
        factorial = 2.0
        for k, b in enumerate(_BERNOULLI, 1):
            total = total + b / factorial * term
            term = term * (s + 2 * k - 1) * (s + 2 * k) / (a * a)
            factorial *= (2 * k + 1) * (2 * k + 2)
        total = np.where(s == 1, np.inf, total)
        total = np.where(s < 1, np.nan, total)
        pole = (q <= 0) & (q == np.floor(q))
        total = np.where((q <= 0) & (s != np.floor(s)) & ~pole, np.nan, total)
        total = np.where(pole & (s > 1), np.inf, total)
        return np.where(np.isinf(q), np.nan, total)


def trigamma(x: Value) -> Array:
    """The derivative of digamma, as closely as PyTorch has it: six steps of recurrence, four terms of the series."""
    wide = np.asarray(x, np.float64)
    with np.errstate(all="ignore"):
        reflected = wide < 0.5
        y = np.where(reflected, 1 - wide, wide)
        total = np.where(reflected, -((math.pi / np.sin(math.pi * wide)) ** 2), 0.0)
        for _ in range(6):
            total = total + 1 / (y * y)
            y = y + 1
        z = 1 / (y * y)
        total = total + (1 + 1 / (2 * y) + z * (1 / 6 - z * (1 / 30 - z / 42))) / y
        return np.where(reflected, -total, total)


def polygamma(n: int, x: Value) -> Array:
    """The n-th derivative of digamma."""
    if n == 0:
        return digamma(x)
    if n == 1:
        return trigamma(x)
    return (-1.0) ** (n + 1) * math.factorial(n) * zeta(n + 1, x)


_CENTRE = (
    (-0.140543331, 0.914624893, -1.645349621, 0.886226899),
    (0.012229801, -0.329097515, 1.442710462, -2.118377725),
)
_TAIL = ((1.641345311, 3.429567803, -1.62490649, -1.970840454), (1.637067800, 3.543889200))


def erfinv(x: Value) -> Array:
    """The inverse of the error function: rational start, then two steps of Newton."""
    y = np.asarray(x, np.float64)
    with np.errstate(all="ignore"):
        z = y * y
        a, b = _CENTRE
        num = ((a[0] * z + a[1]) * z + a[2]) * z + a[3]
        dem = (((b[0] * z + b[1]) * z + b[2]) * z + b[3]) * z + 1
        centre = y * num / dem
        t = np.sqrt(-np.log((1 - np.abs(y)) / 2))
        c, d = _TAIL
        tail = np.copysign((((c[0] * t + c[1]) * t + c[2]) * t + c[3]) / ((d[0] * t + d[1]) * t + 1), y)
        found = np.where(np.abs(y) <= 0.7, centre, tail)
        inside = np.abs(y) < 1
        safe = np.where(inside, found, 0.0)
        for _ in range(2):
            safe = safe - (error_function(safe) - y) / (2 / math.sqrt(math.pi) * np.exp(-safe * safe))
        return np.where(inside, safe, np.where(np.abs(y) == 1, np.copysign(np.inf, y), np.nan))


_erfc = np.vectorize(math.erfc, otypes=[np.float64])


def erfcx(x: Value) -> Array:
    """exp(x²) erfc(x): their product below 25, an asymptotic series above."""
    wide = np.asarray(x, np.float64)
    if not wide.size:
        return wide
    with np.errstate(all="ignore"):
        near = np.exp(wide * wide) * _erfc(np.minimum(wide, 25.0))
        far = np.maximum(wide, 25.0)
        half = 1 / (2 * far * far)
        series = 1 - half * (1 - 3 * half * (1 - 5 * half * (1 - 7 * half * (1 - 9 * half))))
        return np.where(wide < 25, near, np.where(np.isnan(wide), np.nan, series / (far * math.sqrt(math.pi))))


def log_ndtr(x: Value) -> Array:
    """The logarithm of the standard normal distribution function."""
    wide = np.asarray(x, np.float64)
    if not wide.size:
        return wide
    with np.errstate(all="ignore"):
        turned = wide * math.sqrt(0.5)
        below = np.log(erfcx(-turned) / 2) - turned * turned
        return np.where(wide < -1, below, np.log1p(-_erfc(turned) / 2))


def i0e(x: Value) -> Array:
    """exp(-|x|) I0(x): the power series up to 18, then the asymptotic one."""
    return _bessel(x, 0)


def i1e(x: Value) -> Array:
    """exp(-|x|) I1(x)."""
    return _bessel(x, 1)


def _bessel(x: Value, order: int) -> Any:
    wide = np.asarray(x, np.float64)
    size = np.abs(wide)
    with np.errstate(all="ignore"):
        small = np.minimum(size, 25.0)
        quarter = small * small / 4
        term = np.ones_like(small) if order == 0 else small / 2
        total = np.array(term)
        for k in range(1, 90):
            term = term * quarter / (k * (k + order))
            total = total + term
        near = total * np.exp(-small)
        large = np.maximum(size, 20.0)
        mu = 4.0 * order * order
        series = np.ones_like(large)
        step = np.ones_like(large)
        for k in range(1, 20):
            step = step * -(mu - (2 * k - 1) ** 2) / (k * 8 * large)
            series = series + step
        far = series / np.sqrt(2 * math.pi * large)
        found = np.where(size < 25, near, far)
        found = np.where(np.isinf(size), 0.0, found)
    return np.copysign(1.0, wide) * found if order else found


def gammainc(a: Value, x: Value, *, upper: bool = False) -> Array:
    """The regularized incomplete gamma function, lower or `upper`: a series below a + 1, a fraction above."""
    a, x = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(x, np.float64))
    with np.errstate(all="ignore"):
        scale = np.exp(a * np.log(x) - x - lgamma(a))
        term = 1 / a
        series = np.array(term)
        for k in range(1, 400):
            term = term * x / (a + k)
            series = series + term
        low = scale * series
        b = x + 1 - a
        c = np.full(a.shape, 1e300)
        d = 1 / b
        fraction = np.array(d)
        for k in range(1, 200):
            step = -k * (k - a)
            b = b + 2
            d = 1 / (step * d + b)
            c = b + step / c
            fraction = fraction * (d * c)
        high = scale * fraction
        found = np.where(x < a + 1, 1 - low if upper else low, high if upper else 1 - high)
        found = np.where(x == 0, 1.0 if upper else 0.0, found)
        found = np.where(np.isinf(x) & (x > 0), 0.0 if upper else 1.0, found)
        found = np.where(a == 0, np.where(x > 0, 0.0 if upper else 1.0, np.nan), found)
        return np.where((x < 0) | (a < 0) | np.isnan(a) | np.isnan(x), np.nan, found)
