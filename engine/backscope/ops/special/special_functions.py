"""Special functions of one number: modified Bessel functions, logit, sinc, entropy, inverses of the error function."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.ops.core.declaration import A, V, primitives, xp
from backscope.ops.core.elementwise import elementwise
from backscope.ops.core.namespace import export, public
from backscope.ops.core.unsupported import no_kernel
from backscope.ops.pointwise.arithmetic import conj, like
from backscope.ops.special import special_values
from backscope.runtime.given import Value
from backscope.tensor.dtype import FLOATING, default
from backscope.tensor.tensor import Tensor


def _as(like: A, found: Value) -> A:
    return np.asarray(found).astype(like.dtype)[()]


@elementwise(
    result="float",
    symbol="erf⁻¹",
    latex={"self": r"g \cdot \frac{\sqrt\pi}{2} e^{\text{erf}^{-1}(\text{self})^2}"},
    summary={"self": "multiplies the incoming {g} by √π/2 × exp(erfinv({self})²)"},
    names=("special_erfinv",),
)
class erfinv:
    """The inverse of the error function."""

    def forward(self: A) -> A:
        return _as(self, special_values.erfinv(self))

    def grad_self(g: V, self: V) -> V:
        return 0.5 * math.sqrt(math.pi) * xp.exp(xp.erfinv(self) ** 2) * g


@elementwise(
    result="float",
    symbol="I₀",
    latex={"self": r"g \cdot I_1(\text{self})"},
    summary={"self": "multiplies the incoming {g} by I₁ of the saved {self}"},
    names=("special_i0",),
)
class i0:
    """The modified Bessel function of order 0."""

    def forward(self: A) -> A:
        return _as(self, special_values.i0e(self) * np.exp(np.abs(self, dtype=np.float64)))

    def grad_self(g: V, self: V) -> V:
        return g * xp.special_i1(self)


@elementwise(
    result="float",
    symbol="I₁",
    name="special_i1",
    inplace=False,
    grad_fn="SpecialI1Backward0",
    latex={"self": r"g \cdot (I_0(\text{self}) - \text{result}/\text{self})"},
    summary={"self": "multiplies the incoming {g} by I₀ less the saved {result} over {self}"},
)
class special_i1:
    """The modified Bessel function of order 1."""

    def forward(self: A) -> A:
        return _as(self, special_values.i1e(self) * np.exp(np.abs(self, dtype=np.float64)))

    def grad_self(g: V, self: V, result: V) -> V:
        small = xp.abs(self) < _tiny(self)
        safe = xp.where(small, _tiny(self), self)
        return g * xp.where(small, 0.5, xp.i0(safe) - result / safe)


@elementwise(
    result="float",
    symbol="I₀e",
    name="special_i0e",
    inplace=False,
    grad_fn="SpecialI0EBackward0",
    latex={"self": r"g \cdot (I_{1e}(\text{self}) - \text{sgn}(\text{self})\,\text{result})"},
    summary={"self": "multiplies the incoming {g} by I₁e less the saved {result} with the sign of {self}"},
)
class special_i0e:
    """exp(-|x|) times the modified Bessel function of order 0."""

    def forward(self: A) -> A:
        return _as(self, special_values.i0e(self))

    def grad_self(g: V, self: V, result: V) -> V:
        return g * (xp.special_i1e(self) - xp.sign(self) * result)


@elementwise(
    result="float",
    symbol="I₁e",
    name="special_i1e",
    inplace=False,
    grad_fn="SpecialI1EBackward0",
    latex={"self": r"g \cdot (I_{0e} - \text{result}(\text{sgn} + 1/\text{self}))"},
    summary={"self": "multiplies the incoming {g} by I₀e less the saved {result} times sign and 1/{self}"},
)
class special_i1e:
    """exp(-|x|) times the modified Bessel function of order 1."""

    def forward(self: A) -> A:
        return _as(self, special_values.i1e(self))

    def grad_self(g: V, self: V, result: V) -> V:
        small = xp.abs(self) < _tiny(self)
        safe = xp.where(small, _tiny(self), self)
        return g * xp.where(small, 0.5, xp.special_i0e(safe) - result * (xp.sign(safe) + 1 / safe))


def _tiny(value: V) -> float:
    kind = value._data.dtype if isinstance(value, Tensor) else value.dtype
    return float(np.finfo(kind if kind.kind == "f" and kind.itemsize >= 4 else np.float32).eps)


@elementwise(
    result="float",
    symbol="sinc",
    latex={
        "self": r"g \cdot \frac{\cos(\pi\, \text{self}) \cdot \pi\, \text{self} - \sin(\pi\, \text{self})}"
        r"{\pi\, \text{self}^2}"
    },
    summary={"self": "multiplies the incoming {g} by the slope of sin(πx)/(πx) at the saved {self}"},
    names=("special_sinc",),
)
class sinc:
    """sin(πx) / (πx), 1 at 0."""

    def forward(self: A) -> A:
        return _as(self, np.sinc(self))

    def grad_self(g: V, self: V) -> V:
        turn = self * math.pi
        zero = self * self * math.pi == 0
        safe = xp.where(zero, 1.0, self * self * math.pi)
        return xp.where(zero, 0.0, g * conj((xp.cos(turn) * turn - xp.sin(turn)) / safe))


@elementwise(
    result="float",
    symbol="logit",
    exported=False,
    latex={"self": r"\frac{g}{\text{self}(1 - \text{self})}"},
    summary={"self": "divides the incoming {g} by x (1 − x) of the saved {self}"},
)
class logit:
    """log(x / (1 - x)); with eps, x is first clamped to [eps, 1 - eps]."""

    def forward(self: A, eps: float | None = None) -> A:
        if eps is None:
            return np.log(self / (1 - self))
        least = like(eps, self)
        x: A = np.where(self < least, least, np.minimum(self, like(1 - eps, self)))
        return np.log(x / (1 - x))

    def low(self: A, eps: float | None = None) -> A:
        return logit.forward(self, eps)

    def grad_self(g: V, self: V, eps: V) -> V:
        slope = g / (self * (1.0 - self))
        if eps is None:
            outside = (self < 0.0) | (self > 1.0)
            return xp.where(outside, float("nan"), slope)
        outside = (self < eps) | (self > 1.0 - eps)
        return xp.where(outside, 0.0, slope)


@elementwise(
    result="float",
    symbol="entr",
    name="special_entr",
    inplace=False,
    grad_fn="SpecialEntrBackward0",
    latex={"self": r"-g\,(\log \text{self} + 1)"},
    summary={"self": "multiplies the incoming {g} by −(log {self} + 1)"},
)
class special_entr:
    """-x log(x), 0 at 0."""

    def forward(self: A) -> A:
        safe = np.where(self > 0, self, 1)
        found = np.where(self > 0, -self * np.log(safe), np.where(self == 0, 0.0, -np.inf))
        return _as(self, np.where(np.isnan(self), self, found))

    def grad_self(g: V, self: V) -> V:
        return g * (-(1 + xp.log(self)))


def _logit(input: Tensor, eps: float | None = None) -> Any:  # noqa: A002
    """log(x / (1 - x))."""
    return primitives["logit"].slow(input, eps)


export("logit", "special_logit")(_logit)


@export("logit_", function=False)
def logit_(self: Tensor, eps: float | None = None) -> Value:
    """log(x / (1 - x)), in place."""
    return primitives["logit"].call_in_place(self, eps)


@export("special_ndtr", method=False)
def ndtr(input: Tensor) -> Value:  # noqa: A002
    """The standard normal distribution function."""
    if input._dtype.is_complex:
        raise no_kernel("erf_vml_cpu", input._dtype)
    x: Any = input
    if x._dtype.category < FLOATING:
        x = x.to(default.floating)
    return xp.mul_scalar(xp.add_scalar(xp.mul_scalar(x, math.sqrt(0.5)).erf(), 1), 0.5)


@elementwise(
    result="float",
    symbol="Φ⁻¹",
    name="special_ndtri",
    exported=False,
    latex={"self": r"g \cdot \sqrt{2\pi}\, e^{\text{result}^2 / 2}"},
    summary={"self": "divides the incoming {g} by the normal density at the saved {result}"},
)
class ndtri:
    """The inverse of the standard normal distribution function."""

    def forward(self: A) -> A:
        return _as(self, math.sqrt(2) * special_values.erfinv(2 * np.asarray(self, np.float64) - 1))

    def grad_self(g: V, result: V) -> V:
        return g * math.sqrt(2 * math.pi) * xp.exp(result * result / 2)


@elementwise(
    result="float",
    symbol="erfcx",
    name="special_erfcx",
    exported=False,
    latex={"self": r"g\,(2\,\text{self}\cdot\text{result} - 2/\sqrt\pi)"},
    summary={"self": "multiplies the incoming {g} by 2 × {self} × the saved {result} less 2/√π"},
)
class erfcx:
    """exp(x²) times the complement of the error function."""

    def forward(self: A) -> A:
        return _as(self, special_values.erfcx(self))

    def grad_self(g: V, self: V, result: V) -> V:
        return (2.0 * self * result - 2.0 / math.sqrt(math.pi)) * g


@elementwise(
    result="float",
    symbol="log Φ",
    name="special_log_ndtr",
    exported=False,
    latex={"self": r"\frac{g}{\sqrt{2\pi}}\, e^{-(\text{result} + \text{self}^2/2)}"},
    summary={"self": "multiplies the incoming {g} by the normal density at {self} over the distribution function"},
)
class log_ndtr:
    """The logarithm of the standard normal distribution function."""

    def forward(self: A) -> A:
        return _as(self, special_values.log_ndtr(self))

    def grad_self(g: V, self: V, result: V) -> V:
        return g / math.sqrt(2 * math.pi) * xp.exp(-(result + self**2 / 2))


for _name in ("special_ndtri", "special_erfcx", "special_log_ndtr"):
    public(primitives[_name], names=(_name,), method=False)
