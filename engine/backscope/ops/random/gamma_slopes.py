"""Derivatives of gamma and Dirichlet numbers by their parameters, on raw values, with PyTorch's approximations."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from backscope.ops.special import special_values

_GAMMA_COEFFICIENTS = (
    (0.16009398, -0.094634809, 0.025146376, -0.0030648343, 1, 0.32668115, 0.10406089, 0.0014179084),
    (0.53487893, 0.1298071, 0.065735949, -0.0015649758, 0.16639465, 0.020070113, -0.0035938915, -0.00058392623),
    (0.040121004, -0.0065914022, -0.0026286047, -0.0013441777, 0.017050642, -0.0021309326, 0.00085092367,
     -1.5247877e-07),
)  # fmt: skip

_DIRICHLET_COEFFICIENTS = (
    (((1.003668233, -0.01061107488, -0.0657888334, 0.01201642863),
      (0.6336835991, -0.3557432599, 0.05486251648, -0.001465281033),
      (-0.03276231906, 0.004474107445, 0.002429354597, -0.0001557569013)),
     ((0.221950385, -0.3187676331, 0.01799915743, 0.01074823814),
      (-0.2951249643, 0.06219954479, 0.01535556598, 0.001550077057),
      (0.02155310298, 0.004170831599, 0.001292462449, 6.976601077e-05)),
     ((-0.05980841433, 0.008441916499, 0.01085618172, 0.002319392565),
      (0.02911413504, 0.01400243777, -0.002721828457, 0.000751041181),
      (0.005900514878, -0.001936558688, -9.495446725e-06, 5.385558597e-05))),
    (((1, -0.02924021934, -0.04438342661, 0.007285809825),
      (0.6357567472, -0.3473456711, 0.05454656494, -0.002407477521),
      (-0.03301322327, 0.004845219414, 0.00231480583, -0.0002307248149)),
     ((0.5925320577, -0.1757678135, 0.01505928619, 0.000564515273),
      (0.1014815858, -0.06589186703, 0.01272886114, -0.0007316646956),
      (-0.007258481865, 0.001096195486, 0.0003934994223, -4.12701925e-05)),
     ((0.06469649321, -0.0236701437, 0.002902096474, -5.896963079e-05),
      (0.001925008108, -0.002869809258, 0.0008000589141, -6.063713228e-05),
      (-0.0003477407336, 6.959756487e-05, 1.097287507e-05, -1.650964693e-06))),
)  # fmt: skip


def _each(formula: Callable[..., float]) -> Callable[..., Any]:
    """Turn a formula of numbers into one of arrays, in the dtype of the first."""
    many = np.vectorize(formula, otypes=[np.float64])

    @wraps(formula)
    def of_arrays(*arrays: Any) -> Any:
        first = np.asarray(arrays[0])
        found = many(*arrays) if first.size else np.zeros(first.shape)
        return np.asarray(found, dtype=first.dtype)[()]

    return of_arrays


def _digamma(x: float) -> float:
    return float(special_values.digamma(x))


def _number(x: float) -> float:
    return 0.0 if math.isnan(x) else x


@_each
def gamma_slope(alpha: float, x: float) -> float:
    """dx/dalpha of a gamma number x: a series near 0, a saddle point for large alpha, a rational function between."""
    if x < 0.8:
        return _number(_gamma_near_zero(alpha, x))
    if alpha > 8:
        return _gamma_saddle(alpha, x)
    u, v = math.log(x / alpha), math.log(alpha)
    rows = [c0 + u * (c1 + u * c2) for c0, c1, c2 in zip(*_GAMMA_COEFFICIENTS, strict=True)]
    above = rows[0] + v * (rows[1] + v * (rows[2] + v * rows[3]))
    below = rows[4] + v * (rows[5] + v * (rows[6] + v * rows[7]))
    return math.exp(above / below)


def _gamma_near_zero(alpha: float, x: float) -> Any:
    above, below = 1.0, alpha
    first, second = above / below, above / (below * below)
    for i in range(1, 6):
        above *= -x / i
        below += 1
        first += above / below
        second += above / (below * below)
    power = x**alpha
    density = x ** (alpha - 1) * math.exp(-x)
    reached = power * first
    return -((math.log(x) - _digamma(alpha)) * reached - power * second) / density


def _gamma_saddle(alpha: float, x: float) -> float:
    if 0.9 * alpha <= x <= 1.1 * alpha:
        first = 1 + 24 * alpha * (1 + 12 * alpha)
        second = 1440 * alpha**2 + 6 * x * (53 - 120 * x) - 65 * x * x / alpha + alpha * (107 + 3600 * x)
        return first * second / (1244160 * alpha**4)
    below = math.sqrt(8 * alpha)
    middle = below / (alpha - x)
    power = (x - alpha - alpha * math.log(x / alpha)) ** -1.5
    both = middle - power if x < alpha else middle + power
    term = math.log(x / alpha) * both - math.sqrt(2 / alpha) * (alpha + x) / (alpha - x) ** 2
    stirling = 1 + 1 / (12 * alpha) * (1 + 1 / (24 * alpha))
    found: float = -stirling * x * term / below
    return found


@_each
def dirichlet_slope(x: float, alpha: float, total: float) -> float:
    """(dx/dalpha) / (1 - x) for a number x of the distribution Beta(alpha, total - alpha)."""
    beta = total - alpha
    edge = total * x * (1 - x)
    if x <= 0.5 and edge < 2.5:
        return _number(_beta_near_zero(x, alpha, beta))
    if x >= 0.5 and edge < 0.75:
        return -_number(_beta_near_one(1 - x, beta, alpha))
    if alpha > 6 and beta > 6:
        return _beta_saddle(x, alpha, beta)
    u = math.log(x)
    a = math.log(alpha) - u
    b = math.log(total) - a
    above, below = (
        sum(
            u**i * a**j * (c[0] + b * (c[1] + b * (c[2] + b * c[3])))
            for i, row in enumerate(table)
            for j, c in enumerate(row)
        )
        for table in _DIRICHLET_COEFFICIENTS
    )
    return above / below * x * (_digamma(total) - _digamma(alpha)) / beta


def _beta_near_zero(x: float, alpha: float, beta: float) -> Any:
    factor = _digamma(alpha) - _digamma(alpha + beta) - math.log(x)
    above = 1.0
    series = above / alpha * (factor + 1 / alpha)
    for i in range(1, 11):
        above *= (i - beta) * x / i
        below = alpha + i
        series += above / below * (factor + 1 / below)
    return x * (1 - x) ** -beta * series


def _beta_near_one(x: float, alpha: float, beta: float) -> Any:
    factor = _digamma(alpha + beta) - _digamma(beta)
    above, betas, slopes = 1.0, 1.0, 0.0
    series = factor / alpha
    for i in range(1, 9):
        above *= -x / i
        slopes = slopes * (beta - i) + betas
        betas = betas * (beta - i)
        series += above / (alpha + i) * (slopes + factor * betas)
    return -((1 - x) ** (1 - beta)) * series


def _beta_saddle(x: float, alpha: float, beta: float) -> float:
    total = alpha + beta
    mean = alpha / total
    deviation = math.sqrt(alpha * beta / (total + 1)) / total
    if mean - 0.1 * deviation <= x <= mean + 0.1 * deviation:
        polynomial = 47 * x * beta**4 + alpha * (
            (43 + 20 * (16 + 27 * beta) * x) * beta**3
            + alpha
            * (
                3 * (59 + 180 * beta - 90 * x) * beta**2
                + alpha * ((453 + 1620 * beta * (1 - x) - 455 * x) * beta + alpha * (8 * (1 - x) * (135 * beta - 11)))
            )
        )
        above = (1 + 12 * alpha) * (1 + 12 * beta) / total**2
        below = 12960 * alpha**3 * beta**2 * (1 + 12 * total)
        return above / (1 - x) * polynomial / below
    stirling = _stirling(alpha) * _stirling(beta) / _stirling(total)
    distance = alpha * (x - 1) + beta * x
    first = (2 * alpha**2 * (x - 1) + alpha * beta * (x - 1) - x * beta**2) / (
        math.sqrt(2 * alpha / beta) * total**1.5 * distance**2
    )
    second = 0.5 * math.log(alpha / (total * x))
    third = math.sqrt(8 * alpha * beta / total) / distance
    fourth = (beta * math.log(beta / (total * (1 - x))) + alpha * math.log(alpha / (total * x))) ** -1.5
    sum_of_all = first + second * (third + (fourth if x < mean else -fourth))
    found: float = stirling * -x / math.sqrt(2 * alpha * beta / total) * sum_of_all
    return found


def _stirling(x: float) -> float:
    return 1 + 1 / (12 * x) + 1 / (288 * x * x)
