"""Numbers drawn by trying until one is accepted: gamma and binomial numbers, step by step as PyTorch tries."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

Draw = Callable[[], float]

_SQUEEZE, _THIRD = float(np.float32(0.0331)), float(np.float32(1) / np.float32(3))
"""Single precision numbers, also among doubles."""
_TAILS = (
    0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
    0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287,
)  # fmt: skip


def gamma(shape: np.floating, uniform: Draw, normal: Draw) -> float:
    """A number of the gamma distribution of rate 1, by Marsaglia and Tsang; arithmetic on `shape` is in its dtype."""
    kind = type(shape)
    scale = 1.0
    if shape < 1:
        if shape == 0:
            return 0.0
        scale = (1 - uniform()) ** float(kind(1) / shape)
        shape = shape + kind(1)
    d = float(shape - kind(_THIRD))
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        y = 0.0
        while y <= 0:
            x = normal()
            y = 1.0 + c * x
        v = y * y * y
        u = 1 - uniform()
        xx = x * x
        if u < 1.0 - _SQUEEZE * xx * xx or math.log(u) < 0.5 * xx + d * (1.0 - v + math.log(v)):
            return scale * d * v


def binomial(count: float, chance: float, uniform: Draw) -> float:
    """Draw the number of successes in `count` trials: few by waiting times, many by Hoermann's rejection method."""
    if count <= 0 or chance <= 0:
        return 0.0
    if chance >= 1:
        return count
    if chance > 0.5:
        return count - binomial(count, 1 - chance, uniform)
    if not chance <= 0.5:
        return math.nan
    return _many(count, chance, uniform) if count * chance >= 10 else _few(count, chance, uniform)


def _few(count: float, chance: float, uniform: Draw) -> float:
    trials, successes, log_failure = 0.0, 0, math.log1p(-chance)
    while True:
        trials += math.ceil(math.log(uniform()) / log_failure)
        if trials > count:
            return successes
        successes += 1


def _many(count: float, chance: float, uniform: Draw) -> float:
    deviation = math.sqrt(count * chance * (1 - chance))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * chance
    c = count * chance + 0.5
    quick = 0.92 - 4.2 / b
    odds = chance / (1 - chance)
    alpha = (2.83 + 5.1 / b) * deviation
    mode = math.floor((count + 1) * chance)
    while True:
        u = uniform() - 0.5
        v = uniform()
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + c)
        if k < 0 or k > count:
            continue
        if us >= 0.07 and v <= quick:
            return k
        bound = (
            (mode + 0.5) * math.log((mode + 1) / (odds * (count - mode + 1)))
            + (count + 1) * math.log((count - mode + 1) / (count - k + 1))
            + (k + 0.5) * math.log(odds * (count - k + 1) / (k + 1))
            + _tail(mode)
            + _tail(count - mode)
            - _tail(k)
            - _tail(count - k)
        )
        if math.log(v * alpha / (a / (us * us) + b)) <= bound:
            return k


def _tail(k: float) -> float:
    """Return log k! minus Stirling's formula."""
    if k <= 9:
        return _TAILS[int(k)]
    square = (k + 1) * (k + 1)
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)
