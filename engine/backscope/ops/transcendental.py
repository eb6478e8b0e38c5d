"""Elementwise exponentials, logarithms, roots, trigonometric and hyperbolic functions."""

from __future__ import annotations

import numpy as np

from backscope.ops.arithmetic import conj
from backscope.ops.declaration import A, V, xp
from backscope.ops.elementwise import elementwise


def _times(what: str) -> dict[str, str]:
    return {"self": "multiplies the incoming {g} by " + what}


@elementwise(compute=np.exp, result="float", symbol="exp", latex={"self": r"g \cdot \text{result}"}, summary=_times("the saved result {result}"))
class exp:
    """e to the power self."""

    def forward(self: A) -> A:
        return np.exp(self)

    def grad_self(g: V, result: V) -> V:
        return g * conj(result)


@elementwise(compute=np.expm1, result="float", symbol="exp−1", latex={"self": r"g \cdot (\text{result} + 1)"}, summary=_times("the saved result plus 1"))
class expm1:
    """exp(self) - 1, exact near 0."""

    def forward(self: A) -> A:
        return np.expm1(self)

    def grad_self(g: V, result: V) -> V:
        return g * conj(result + 1)


@elementwise(compute=np.log, result="float", symbol="ln", latex={"self": r"\frac{g}{\text{self}}"}, summary={"self": "divides the incoming {g} by the saved {self}"})
class log:
    """The natural logarithm."""

    def forward(self: A) -> A:
        return np.log(self)

    def grad_self(g: V, self: V) -> V:
        return g / conj(self)


@elementwise(compute=np.log2, result="float", symbol="log2", latex={"self": r"\frac{g}{\text{self} \ln 2}"}, summary={"self": "divides the incoming {g} by {self} × ln 2"})
class log2:
    """The logarithm to base 2."""

    def forward(self: A) -> A:
        return np.log2(self)

    def grad_self(g: V, self: V) -> V:
        return g / conj(self * 0.6931471805599453)


@elementwise(compute=np.log10, result="float", symbol="log10", latex={"self": r"\frac{g}{\text{self} \ln 10}"}, summary={"self": "divides the incoming {g} by {self} × ln 10"})
class log10:
    """The logarithm to base 10."""

    def forward(self: A) -> A:
        return np.log10(self)

    def grad_self(g: V, self: V) -> V:
        return g / conj(self * 2.302585092994046)


@elementwise(compute=np.log1p, result="float", symbol="ln(1+x)", latex={"self": r"\frac{g}{\text{self} + 1}"}, summary={"self": "divides the incoming {g} by {self} + 1"})
class log1p:
    """log(1 + self), exact near 0."""

    def forward(self: A) -> A:
        return np.log1p(self)

    def grad_self(g: V, self: V) -> V:
        return g / conj(self + 1)


@elementwise(compute=np.sqrt, result="float", symbol="√", latex={"self": r"\frac{g}{2\, \text{result}}"}, summary={"self": "divides the incoming {g} by twice the saved result {result}"})
class sqrt:
    """The square root."""

    def forward(self: A) -> A:
        return np.sqrt(self)

    def grad_self(g: V, result: V) -> V:
        return g / conj(result * 2)


@elementwise(result="float", symbol="1/√", latex={"self": r"-\tfrac12\, g \cdot \text{result}^3"}, summary=_times("−½ × the saved result {result} cubed"))
class rsqrt:
    """One over the square root."""

    def forward(self: A) -> A:
        return np.asarray(1, self.dtype)[()] / np.sqrt(self)

    def grad_self(g: V, result: V) -> V:
        return -0.5 * g * conj(result**3)


@elementwise(result="float", symbol="1/x", latex={"self": r"-g \cdot \text{result}^2"}, summary=_times("−1 × the saved result {result} squared"))
class reciprocal:
    """One over self."""

    def forward(self: A) -> A:
        return np.asarray(1, self.dtype)[()] / self

    def grad_self(g: V, result: V) -> V:
        return -g * conj(result * result)


@elementwise(compute=np.sin, result="float", symbol="sin", latex={"self": r"g \cdot \cos(\text{self})"}, summary=_times("cos of the saved {self}"))
class sin:
    """The sine."""

    def forward(self: A) -> A:
        return np.sin(self)

    def grad_self(g: V, self: V) -> V:
        return g * conj(xp.cos(self))


@elementwise(compute=np.cos, result="float", symbol="cos", latex={"self": r"-g \cdot \sin(\text{self})"}, summary=_times("−sin of the saved {self}"))
class cos:
    """The cosine."""

    def forward(self: A) -> A:
        return np.cos(self)

    def grad_self(g: V, self: V) -> V:
        return g * -conj(xp.sin(self))


@elementwise(compute=np.tan, result="float", symbol="tan", latex={"self": r"g \cdot (1 + \text{result}^2)"}, summary=_times("1 + the saved result {result} squared"))
class tan:
    """The tangent."""

    def forward(self: A) -> A:
        return np.tan(self)

    def grad_self(g: V, result: V) -> V:
        return g * conj(1 + result * result)


@elementwise(result="float", symbol="asin", names=("arcsin",), latex={"self": r"\frac{g}{\sqrt{1 - \text{self}^2}}"}, summary={"self": "divides the incoming {g} by √(1 − {self}²)"})
class asin:
    """The inverse sine."""

    def forward(self: A) -> A:
        return np.arcsin(self)

    def grad_self(g: V, self: V) -> V:
        return g * conj(xp.rsqrt(1 - self * self))


@elementwise(result="float", symbol="acos", names=("arccos",), latex={"self": r"\frac{-g}{\sqrt{1 - \text{self}^2}}"}, summary={"self": "divides the incoming {g} by −√(1 − {self}²)"})
class acos:
    """The inverse cosine."""

    def forward(self: A) -> A:
        return np.arccos(self)

    def grad_self(g: V, self: V) -> V:
        return g * -conj(xp.rsqrt(1 - self * self))


@elementwise(result="float", symbol="atan", names=("arctan",), latex={"self": r"\frac{g}{1 + \text{self}^2}"}, summary={"self": "divides the incoming {g} by 1 + {self}²"})
class atan:
    """The inverse tangent."""

    def forward(self: A) -> A:
        return np.arctan(self)

    def grad_self(g: V, self: V) -> V:
        return g / conj(self * self + 1)


@elementwise(compute=np.sinh, result="float", symbol="sinh", latex={"self": r"g \cdot \cosh(\text{self})"}, summary=_times("cosh of the saved {self}"))
class sinh:
    """The hyperbolic sine."""

    def forward(self: A) -> A:
        return np.sinh(self)

    def grad_self(g: V, self: V) -> V:
        return g * conj(xp.cosh(self))


@elementwise(compute=np.cosh, result="float", symbol="cosh", latex={"self": r"g \cdot \sinh(\text{self})"}, summary=_times("sinh of the saved {self}"))
class cosh:
    """The hyperbolic cosine."""

    def forward(self: A) -> A:
        return np.cosh(self)

    def grad_self(g: V, self: V) -> V:
        return g * conj(xp.sinh(self))


@elementwise(compute=np.tanh, result="float", symbol="tanh", latex={"self": r"g \cdot (1 - \text{result}^2)"}, summary=_times("1 − the saved result {result} squared"))
class tanh:
    """The hyperbolic tangent."""

    def forward(self: A) -> A:
        return np.tanh(self)

    def grad_self(g: V, result: V) -> V:
        return g * conj(1 - result * result)


@elementwise(result="float", symbol="asinh", names=("arcsinh",), latex={"self": r"\frac{g}{\sqrt{\text{self}^2 + 1}}"}, summary={"self": "divides the incoming {g} by √({self}² + 1)"})
class asinh:
    """The inverse hyperbolic sine."""

    def forward(self: A) -> A:
        return np.arcsinh(self)

    def grad_self(g: V, self: V) -> V:
        return g * conj(xp.rsqrt(self * self + 1))


@elementwise(result="float", symbol="acosh", names=("arccosh",), latex={"self": r"\frac{g}{\sqrt{\text{self}^2 - 1}}"}, summary={"self": "divides the incoming {g} by √({self}² − 1)"})
class acosh:
    """The inverse hyperbolic cosine."""

    def forward(self: A) -> A:
        return np.arccosh(self)

    def grad_self(g: V, self: V) -> V:
        return g * conj(xp.rsqrt(self - 1) * xp.rsqrt(self + 1))


@elementwise(result="float", symbol="atanh", names=("arctanh",), latex={"self": r"\frac{g}{1 - \text{self}^2}"}, summary={"self": "divides the incoming {g} by 1 − {self}²"})
class atanh:
    """The inverse hyperbolic tangent."""

    def forward(self: A) -> A:
        return np.arctanh(self)

    def grad_self(g: V, self: V) -> V:
        return g / conj(1 - self * self)
