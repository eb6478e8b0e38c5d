"""The gamma function's logarithm, its derivatives, and the incomplete gamma functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.autograd.not_implemented import no_derivative
from backscope.ops.core.declaration import A, V, primitives, xp
from backscope.ops.core.elementwise import elementwise
from backscope.ops.core.namespace import export
from backscope.ops.core.unsupported import no_kernel
from backscope.ops.special import special_values
from backscope.ops.special.special_functions import _as
from backscope.runtime.given import Value
from backscope.tensor.dtype import BOOL
from backscope.tensor.tensor import Tensor

NO_DERIVATIVE = "ends the backward pass with an error: PyTorch has no derivative by this input"


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


def _polygamma(n: int, input: Tensor) -> Any:  # noqa: A002
    """The n-th derivative of digamma."""
    if input._dtype.is_complex:
        raise no_kernel({0: "digamma", 1: "trigamma"}.get(n, "polygamma"), input._dtype)
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return primitives["digamma"].slow(input) if n == 0 else primitives["polygamma"].slow(input, n)


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
def mvlgamma_(self: Tensor, p: int) -> Value:
    """mvlgamma in place."""
    _check_dimension(self, p)
    return primitives["mvlgamma"].call_in_place(self, p)


@export(function=False)
def polygamma_(self: Tensor, n: int) -> Value:
    """The n-th derivative of digamma, in place."""
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return primitives["polygamma"].call_in_place(self, n)


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
