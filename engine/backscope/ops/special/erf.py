"""The error function and its complement."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.ops.core.declaration import A, V, xp
from backscope.ops.core.elementwise import elementwise

_TWO_OVER_ROOT_PI = 2 / math.sqrt(math.pi)

# The rational approximations of fdlibm (Sun Microsystems, 1993), lowest power first: within one unit in the last place.
_NEAR = (
    (1.28379167095512558561e-01, -3.25042107247001499370e-01, -2.84817495755985104766e-02, -5.77027029648944159157e-03,
     -2.37630166566501626084e-05),
    (1.0, 3.97917223959155352819e-01, 6.50222499887672944485e-02, 5.08130628187576562776e-03,
     1.32494738004321644526e-04, -3.96022827877536812320e-06),
)  # fmt: skip
_AROUND_ONE = (
    (-2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01, 3.18346619901161753674e-01,
     -1.10894694282396677476e-01, 3.54783043256182359371e-02, -2.16637559486879084300e-03),
    (1.0, 1.06420880400844228286e-01, 5.40397917702171048937e-01, 7.18286544141962662868e-02,
     1.26171219808761642112e-01, 1.36370839120290507362e-02, 1.19844998467991074170e-02),
)  # fmt: skip
_FAR = (
    (-9.86494403484714822705e-03, -6.93858572707181764372e-01, -1.05586262253232909814e+01,
     -6.23753324503260060396e+01, -1.62396669462573470355e+02, -1.84605092906711035994e+02,
     -8.12874355063065934246e+01, -9.81432934416914548592e+00),
    (1.0, 1.96512716674392571292e+01, 1.37657754143519042600e+02, 4.34565877475229228821e+02,
     6.45387271733267880336e+02, 4.29008140027567833386e+02, 1.08635005541779435134e+02,
     6.57024977031928170135e+00, -6.04244152148580987438e-02),
)  # fmt: skip
_FARTHER = (
    (-9.86494292470009928597e-03, -7.99283237680523006574e-01, -1.77579549177547519889e+01,
     -1.60636384855821916062e+02, -6.37566443368389627722e+02, -1.02509513161107724954e+03,
     -4.83519191608651397019e+02),
    (1.0, 3.03380607434824582924e+01, 3.25792512996573918826e+02, 1.53672958608443695994e+03,
     3.19985821950859553908e+03, 2.55305040643316442583e+03, 4.74528541206955367215e+02,
     -2.24409524465858183362e+01),
)  # fmt: skip
_ERF_OF_ONE = 8.45062911510467529297e-01  # To single precision; the approximation around 1 is of the difference.

_SINGLE = (
    (1.128379169379, 0.1852032267552, 0.05431691763994, 0.003849612462068, 0.0003796090439574, 4.684782039606e-06,
     -1.320225396281e-08),
    (1.0, 0.4974655000871, 0.1139584231502, 0.0154620924039, 0.001307570295156, 6.31106225477e-05),
)  # fmt: skip
"""erf(x) / x by powers of x squared up to x = 4, to a 2e-9th: what single precision needs."""


def _polynomial(coefficients: tuple[float, ...], value: A) -> A:
    out = value * coefficients[-1]
    for c in coefficients[-2:0:-1]:
        out += c
        out *= value
    out += coefficients[0]
    return out


def _quotient(approximation: tuple[tuple[float, ...], tuple[float, ...]], value: A) -> A:
    above, below = approximation
    out = _polynomial(above, value)
    out /= _polynomial(below, value)
    return out


def _tail(distance: A, approximation: tuple[tuple[float, ...], tuple[float, ...]]) -> A:
    """erfc of numbers from 1.25 on."""
    quotient = _quotient(approximation, 1 / (distance * distance))
    # The square of a number with few digits is exact; the rest is small.
    short = distance.astype(np.float32).astype(np.float64)
    return np.exp(-short * short - 0.5625) * np.exp((short - distance) * (short + distance) + quotient) / distance


def _double(value: A, complement: bool) -> A:
    """erf, or its complement, of a flat array of float64: by four ranges of the distance from 0."""
    distance = np.abs(value)
    out = np.array(value)  # NaN stays NaN.
    ranges = (distance >= 0.84375).astype(np.int8)
    ranges += distance >= 1.25
    ranges += distance >= 1 / 0.35
    near = np.flatnonzero(ranges == 0)
    x = value[near]
    excess = _quotient(_NEAR, x * x)
    excess *= x
    out[near] = np.where(x < 0.25, 1 - (x + excess), 0.5 - (excess + (x - 0.5))) if complement else x + excess
    for number in (1, 2, 3):
        where = np.flatnonzero(ranges == number)
        if not where.size:
            continue
        far = distance[where]
        if number == 1:
            part = _quotient(_AROUND_ONE, far - 1)
            share, left = _ERF_OF_ONE + part, (1 - _ERF_OF_ONE) - part
        else:
            left = _tail(np.minimum(far, 28.0), _FAR if number == 2 else _FARTHER)
            share = 1 - left
        out[where] = np.where(value[where] < 0, 1 + share, left) if complement else np.copysign(share, value[where])
    return out


def _single(value: A) -> A:
    """erf of an array of float32, rounded to it once."""
    x = np.clip(value, -4, 4).astype(np.float64)
    out = _quotient(_SINGLE, x * x)
    out *= x
    return out.astype(np.float32)


def error_function(value: A, complement: bool = False) -> A:
    """Compute erf, or erfc as the `complement`, of floating point values; low precision ones in float64."""
    array: Any = np.asarray(value)
    if array.dtype == np.float32 and not complement:
        return _single(array)[()]
    flat = array.astype(np.float64).reshape(-1)
    return _double(flat, complement).reshape(array.shape).astype(array.dtype)[()]


@elementwise(
    result="float",
    symbol="erf",
    names=("special_erf",),
    latex={"self": r"g \cdot \frac{2}{\sqrt\pi} \cdot e^{-\text{self}^2}"},
    summary={"self": "multiplies the incoming {g} by 2/√π × exp(−{self}²)"},
)
class erf:
    """The error function."""

    def forward(self: A) -> A:
        return error_function(self)

    def grad_self(g: V, self: V) -> V:
        return _TWO_OVER_ROOT_PI * xp.exp(-(self**2)) * g


@elementwise(
    result="float",
    symbol="erfc",
    names=("special_erfc",),
    latex={"self": r"-g \cdot \frac{2}{\sqrt\pi} \cdot e^{-\text{self}^2}"},
    summary={"self": "multiplies the incoming {g} by −2/√π × exp(−{self}²)"},
)
class erfc:
    """1 - erf(self), exact where erf is near 1."""

    def forward(self: A) -> A:
        return error_function(self, complement=True)

    def grad_self(g: V, self: V) -> V:
        return -_TWO_OVER_ROOT_PI * xp.exp(-(self**2)) * g
