"""gelu: the input times the share of a normal distribution below it, with the error function or with tanh."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.ops.activation.activation import activate, require_floating
from backscope.ops.core.declaration import A, V, xp
from backscope.ops.core.elementwise import elementwise
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import export
from backscope.ops.pointwise.arithmetic import like
from backscope.ops.special.erf import error_function
from backscope.tensor.tensor import Tensor

_PER_ROOT_TWO = 1 / math.sqrt(2)
_PER_ROOT_TAU = 1 / math.sqrt(2 * math.pi)
_TANH_SCALE, _TANH_CUBE = math.sqrt(2 / math.pi), 0.044715
_ROUGH = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
_ROUGH_SCALE = 0.3275911 * _PER_ROOT_TWO
# At a distance a from 0 the share beyond is 1 / (2 (1 + p)^16), the slope there (1 - a / _TURN) times such a one, to
# 7e-8: p are polynomials without a constant, the highest power first. An exp takes numpy as long as ten of their steps.
_BEYOND = 7.30458765e-7, -1.1478007e-6, 7.09389309e-5, 2.71119792e-6, 3.3050876e-3, 2.1131595e-2, 4.98683676e-2
_SLOPE = 1.93452914e-6, -1.96367268e-5, 1.72313381e-4, -2.97142204e-4, 2.77779533e-3, 2.44269745e-2, 1.66005619e-2
_TURN = 0.7517915246935645
_BEYOND_ARRAYS, _SLOPE_ARRAYS = (tuple([np.asarray(n, np.float32) for n in p]) for p in (_BEYOND, _SLOPE))
_HALF, _ONE, _TWO, _FALL = (np.asarray(n, np.float32) for n in (0.5, 1, 2, -0.5 / _TURN))
_SIGN = np.int32(-(1 << 31))
_SMALL = 512


def _exact_share(value: A) -> A:
    """Return twice the probability of a normal number below each value."""
    return 1 + error_function(value * like(_PER_ROOT_TWO, value))


def _rough_share(value: A) -> A:
    """Return the probability by Abramowitz and Stegun 7.1.26, as most of PyTorch's single precision kernels do."""
    if value.dtype != np.float32 or not value.ndim:
        return _exact_share(value)
    t = 1 / (np.abs(value) * _ROUGH_SCALE + 1)
    share = t * _ROUGH[0]
    for c in _ROUGH[1:]:
        share += c
        share *= t
    share *= _density(value)
    np.subtract(1, share, out=share)
    bits = share.view(np.int32)
    bits |= value.view(np.int32) & _SIGN
    share += 1
    return share


def _grown(distance: A, coefficients: tuple[A, ...], guarded: int) -> A:
    """(1 + p)^16 for a polynomial p of the distances; of the four squarings the first few `guarded` keep p's digits."""
    out = distance * coefficients[0]
    for c in coefficients[1:]:
        out += c
        out *= distance
    for _ in range(guarded):
        out *= out + _TWO
    out += _ONE
    for _ in range(4 - guarded):
        out *= out
    return out


def _quick_gelu(value: A) -> A:
    """gelu of many numbers in single precision, none of them too large, in few steps."""
    out = np.abs(value)
    grown = _grown(out, _BEYOND_ARRAYS, 0)
    np.divide(out, grown, grown)
    out += value
    out -= grown
    out *= _HALF
    return out


def _quick_slope(value: A) -> A:
    """The slope of gelu for many numbers in single precision, in few steps."""
    out = np.abs(value)
    grown = _grown(out, _SLOPE_ARRAYS, 2)
    out *= _FALL
    out += _HALF
    out /= grown
    np.subtract(_HALF, out, out)
    bits = out.view(np.int32)
    bits |= value.view(np.int32) & _SIGN
    out += _HALF
    return out


def _are_many(value: A) -> bool:
    return bool(value.size > _SMALL and value.dtype.char == "f")


def _density(value: A) -> A:
    """exp(-value ** 2 / 2)."""
    square = value * value
    square *= -0.5
    return np.exp(square, out=square) if square.ndim else np.exp(square)


def _gelu(value: A, approximate: str) -> A:
    if approximate == "tanh":
        out = np.tanh(_tanh_argument(value))
        out += like(1, value)
    elif _are_many(value) and math.isfinite(np.vdot(value, value)):
        return _quick_gelu(value)
    else:
        out = _exact_share(value)
    out *= value * 0.5
    return out


def _tanh_argument(value: A) -> A:
    out = value * value
    out *= like(_TANH_CUBE * _TANH_SCALE, value)
    out += like(_TANH_SCALE, value)
    out *= value
    return out


def _gelu_slope(value: A, approximate: str, *, rough: bool = False) -> A:
    if approximate == "tanh":
        square = value * value
        t = np.tanh(_tanh_argument(value))
        bend = 1 - t * t
        square *= like(1.5 * _TANH_CUBE * _TANH_SCALE, value)
        square += like(0.5 * _TANH_SCALE, value)
        square *= bend
        square *= value
        t *= like(0.5, value)
        t += like(0.5, value)
        t += square
        return t
    if not rough and _are_many(value):
        return _quick_slope(value)
    share = _rough_share(value)
    share *= 0.5
    slope = _density(value)
    slope *= value
    slope *= _PER_ROOT_TAU
    slope += share
    return slope


def _gelu_curve(value: V, approximate: str) -> V:
    """The second derivative."""
    if approximate == "tanh":
        t = xp.tanh((value + value * value * value * _TANH_CUBE) * _TANH_SCALE)
        slope = (value * value * (3 * _TANH_CUBE) + 1) * _TANH_SCALE
        bend = value * (6 * _TANH_CUBE * _TANH_SCALE)
        return (1 - t * t) * (slope + value * bend * 0.5 - value * t * slope * slope)
    return xp.exp(value * value * -0.5) * _PER_ROOT_TAU * (2 - value * value)


@elementwise(
    exported=False,
    compute=_gelu,
    symbol="gelu",
    latex={"self": r"g \cdot (\Phi(\text{self}) + \text{self} \cdot \varphi(\text{self}))"},
    summary={"self": "multiplies the incoming {g} by Φ({self}) + {self} × φ({self}) of the normal distribution"},
)
class gelu:
    """self times the share of a normal distribution below it."""

    def forward(self: A, approximate: str = "none") -> A:
        require_floating(self, "GeluKernelImpl")
        return _gelu(wide(self), approximate).astype(self.dtype, copy=False)

    def low(self: A, approximate: str) -> A:
        value = wide(self)
        found = _gelu(value, approximate) if approximate == "tanh" else value * 0.5 * _rough_share(value)
        return found.astype(self.dtype)

    def grad_self(g: V, self: V, approximate: V) -> V:
        return xp.gelu_backward(g, self, approximate)


@elementwise(
    exported=False,
    grad_fn="GeluBackwardBackward0",
    symbol="gelu′",
    latex={
        "grad_output": r"g \cdot (\Phi(\text{self}) + \text{self} \cdot \varphi(\text{self}))",
        "self": r"g \cdot \text{grad\_output} \cdot \varphi(\text{self}) (2 - \text{self}^2)",
    },
    summary={
        "grad_output": "multiplies the incoming {g} by Φ({self}) + {self} × φ({self}) of the normal distribution",
        "self": "multiplies the incoming {g} by {grad_output} and by the second derivative of gelu at {self}",
    },
)
class gelu_backward:
    """The gradient of gelu as an op of its own."""

    def forward(grad_output: A, self: A, approximate: str) -> A:
        slope = _gelu_slope(wide(self), approximate)
        g = wide(grad_output)
        if slope.__class__ is np.ndarray is g.__class__ and g.strides == slope.strides and g.shape == slope.shape:
            slope *= g
        else:
            slope = g * slope
        return slope.astype(self.dtype, copy=False)

    def low(grad_output: A, self: A, approximate: str) -> A:
        slope = _gelu_slope(wide(self), approximate, rough=True)
        return (wide(grad_output) * slope).astype(self.dtype)

    def grad_grad_output(g: V, self: V, approximate: V) -> V:
        return xp.gelu_backward(g, self, approximate)

    def grad_self(g: V, grad_output: V, self: V, approximate: V) -> V:
        return g * grad_output * _gelu_curve(self, approximate)


@export("gelu", function=False, method=False, nn=True)
def _gelu_function(input: Tensor, *, approximate: str = "none") -> Any:  # noqa: A002
    """input times the share of a normal distribution below it, or by its approximation with tanh."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return activate("gelu", input, False, approximate)
