"""Special functions, one number at a time: gamma functions, Bessel functions, inverses of the error function."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.autograd.not_implemented import no_derivative
from backscope.ops.core.declaration import A, V, primitives, xp
from backscope.ops.core.elementwise import elementwise
from backscope.ops.core.namespace import export, public
from backscope.ops.core.unsupported import no_kernel
from backscope.ops.pointwise.arithmetic import conj, like
from backscope.ops.special import special_values
from backscope.runtime.given import Value
from backscope.tensor.dtype import BOOL, FLOATING, default
from backscope.tensor.tensor import Tensor

NO_DERIVATIVE = "ends the backward pass with an error: PyTorch has no derivative by this input"


def _as(like: A, found: Value) -> A:
    return np.asarray(found).astype(like.dtype)[()]


@elementwise(
    result="float",
    symbol="lnΓ",
    latex={"self": r"g \cdot \psi(\text{self})"},
    summary={"self": "multiplies the incoming {g} by digamma of the saved {self}"},
    names=("special_gammaln",),
)
class lgamma:
    """The logarithm of the absolute value of the gamma function."""

    def forward(self: A) -> A:
        return _as(self, special_values.lgamma(self))

    def grad_self(g: V, self: V) -> V:
        return g * xp.digamma(self)


@elementwise(
    result="float",
    symbol="ψ",
    latex={"self": r"g \cdot \psi_1(\text{self})"},
    summary={"self": "multiplies the incoming {g} by polygamma(1) of the saved {self}"},
    names=("special_digamma", "special_psi"),
)
class digamma:
    """The derivative of lgamma."""

    def forward(self: A) -> A:
        return _as(self, special_values.digamma(self))

    def grad_self(g: V, self: V) -> V:
        return g * xp.polygamma(self, 1)


@elementwise(
    result="float",
    symbol="ψ",
    exported=False,
    written_grad_fn="PolygammaBackward1",
    latex={"self": r"g \cdot \psi_{n+1}(\text{self})"},
    summary={"self": "multiplies the incoming {g} by the next polygamma of the saved {self}"},
)
class polygamma:
    """The n-th derivative of digamma."""

    def forward(self: A, n: int) -> A:
        return _as(self, special_values.polygamma(n, self))

    def grad_self(g: V, self: V, n: V) -> V:
        return g * xp.polygamma(self, n + 1)


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
    latex={"self": r"g \cdot \frac{\cos(\pi x)\pi x - \sin(\pi x)}{\pi x^2}"},
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
    """log(x / (1 - x)); x is first kept within eps and 1 - eps where eps is given."""

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


def _polygamma(n: int, input: Tensor) -> Any:  # noqa: A002
    """The n-th derivative of digamma."""
    if input._dtype.is_complex:
        raise no_kernel({0: "digamma", 1: "trigamma"}.get(n, "polygamma"), input._dtype)
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return primitives["digamma"].slow(input) if n == 0 else primitives["polygamma"].slow(input, n)


export("logit", "special_logit")(_logit)
export("polygamma", "special_polygamma", method=False)(_polygamma)
Tensor.polygamma = lambda self, n: _polygamma(n, self)  # type: ignore[attr-defined]


@elementwise(
    result="float",
    symbol="lnΓₚ",
    exported=False,
    latex={"self": r"g \cdot \textstyle\sum_j \psi(\text{self} - j/2)"},
    summary={"self": "multiplies the incoming {g} by the sum of digamma of the saved {self} less 0, ½, 1, …"},
)
class mvlgamma:
    """The logarithm of the multivariate gamma function of dimension p."""

    def forward(self: A, p: int) -> A:
        wide = np.asarray(self, np.float64)
        total = sum(special_values.lgamma(wide - j / 2) for j in range(p))
        return _as(self, total + p * (p - 1) / 4 * math.log(math.pi))

    def grad_self(g: V, self: V, p: V) -> V:
        slope = xp.digamma(self)
        for j in range(1, p):
            slope = slope + xp.digamma(self - j / 2)
        return g * slope


def _check_dimension(input: Tensor, p: int) -> None:  # noqa: A002
    if input._dtype.category == BOOL:
        raise RuntimeError("The input tensor may not be a boolean tensor.")
    if input._dtype.is_complex:
        raise no_kernel("arange_cpu", input._dtype)
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")


@export("mvlgamma", "special_multigammaln")
def _mvlgamma(input: Tensor, p: int) -> Any:  # noqa: A002
    """The logarithm of the multivariate gamma function of dimension p."""
    _check_dimension(input, p)
    return primitives["mvlgamma"].slow(input, p)


@export(function=False)
def mvlgamma_(self: Tensor, p: int) -> Any:
    """mvlgamma in place."""
    _check_dimension(self, p)
    return primitives["mvlgamma"].call_in_place(self, p)


@export("logit_", function=False)
def logit_(self: Tensor, eps: float | None = None) -> Any:
    """log(x / (1 - x)), in place."""
    return primitives["logit"].call_in_place(self, eps)


@export(function=False)
def polygamma_(self: Tensor, n: int) -> Any:
    """The n-th derivative of digamma, in place."""
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return primitives["polygamma"].call_in_place(self, n)


@export("special_ndtr", method=False)
def ndtr(input: Tensor) -> Any:  # noqa: A002
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


def _incomplete(name: str, further: str, upper: bool) -> None:
    sign = -1.0 if upper else 1.0

    def forward(self: A, other: A) -> A:
        return _as(self, special_values.gammainc(self, other, upper=upper))

    def grad_self(g: V) -> V:
        raise no_derivative(f"{name}: input")

    def grad_other(g: V, self: V, other: V) -> V:
        return sign * g * xp.exp((self - 1.0) * xp.log(other) - other - xp.lgamma(self))

    forward.__annotations__ = {"self": "A", "other": "A"}
    elementwise(
        symbol=name,
        name=name,
        names=(further,),
        latex={"self": r"\text{not defined}", "other": r"\pm g\, e^{(a-1)\log x - x - \ln\Gamma(a)}"},
        summary={
            "self": NO_DERIVATIVE,
            "other": "multiplies the incoming {g} by the density of the gamma distribution",
        },
    )(type(name, (), {"forward": forward, "grad_self": grad_self, "grad_other": grad_other}))


_incomplete("igamma", "special_gammainc", False)
_incomplete("igammac", "special_gammaincc", True)
