"""Elementwise exponentials and logarithms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.ops.core.declaration import A, V, primitives, xp
from backscope.ops.core.elementwise import elementwise
from backscope.ops.core.namespace import export
from backscope.ops.pointwise.arithmetic import conj, like, pick
from backscope.runtime.given import Value
from backscope.tensor.tensor import Tensor

LN2 = 0.6931471805599453
LN10 = 2.302585092994046


@elementwise(
    compute=np.exp,
    result="float",
    symbol="exp",
    latex={"self": r"g \cdot \text{result}"},
    summary={"self": "multiplies the incoming {g} by the saved result {result}"},
)
class exp:
    """e to the power self."""

    def forward(self: A) -> A:
        return np.exp(self)

    def grad_self(g: V, result: V) -> V:
        return g * conj(result)


@elementwise(
    compute=np.expm1,
    result="float",
    symbol="exp−1",
    names=("special_expm1",),
    latex={"self": r"g \cdot (\text{result} + 1)"},
    summary={"self": "multiplies the incoming {g} by the saved result plus 1"},
)
class expm1:
    """exp(self) - 1, exact near 0."""

    def forward(self: A) -> A:
        return np.expm1(self)

    def grad_self(g: V, result: V) -> V:
        return g * conj(result + 1)


@elementwise(
    compute=np.exp2,
    result="float",
    symbol="2ˣ",
    latex={"self": r"g \cdot \text{result} \cdot \ln 2"},
    summary={"self": "multiplies the incoming {g} by the saved result {result} × ln 2"},
)
class exp2:
    """2 to the power self."""

    def forward(self: A) -> A:
        return np.exp2(self)

    def grad_self(g: V, result: V) -> V:
        return g * conj(result) * LN2


def _logarithm(
    name: str, symbol: str, function: Callable[..., Any], divisor: str, words: str, of: Any, doc: str
) -> None:
    """Declare a logarithm with the gradient g / `of(self)`."""

    def forward(self: A) -> A:
        return function(self)

    def grad_self(g: V, self: V) -> V:
        return g / conj(of(self))

    forward.__annotations__ = {"self": "A"}
    elementwise(
        name=name,
        grad_fn="Log1PBackward0" if name == "log1p" else f"{name.capitalize()}Backward0",
        compute=function,
        result="float",
        symbol=symbol,
        latex={"self": rf"\frac{{g}}{{{divisor}}}"},
        summary={"self": f"divides the incoming {{g}} by {words}"},
    )(type(name, (), {"forward": forward, "grad_self": grad_self, "__doc__": doc}))


_logarithm("log", "ln", np.log, r"\text{self}", "the saved {self}", lambda x: x, "The natural logarithm.")
_logarithm("log2", "log2", np.log2, r"\text{self} \ln 2", "{self} × ln 2", lambda x: x * LN2, "To base 2.")
_logarithm("log10", "log10", np.log10, r"\text{self} \ln 10", "{self} × ln 10", lambda x: x * LN10, "To base 10.")
_logarithm("log1p", "ln(1+x)", np.log1p, r"\text{self} + 1", "{self} + 1", lambda x: x + 1, "log(1 + self).")


@elementwise(
    symbol="ln(eˣ+eʸ)",
    inplace=False,
    latex={
        "self": r"\frac{g}{1 + e^{\text{other} - \text{self}}}",
        "other": r"\frac{g}{1 + e^{\text{self} - \text{other}}}",
    },
    summary={
        "self": "divides the incoming {g} by 1 + exp({other} − {self})",
        "other": "divides the incoming {g} by 1 + exp({self} − {other})",
    },
)
class logaddexp:
    """log(exp(self) + exp(other)), without overflow."""

    def forward(self: A, other: A) -> A:
        if self.dtype.kind == "c":
            first = pick(self.real >= other.real, self, other)
            second = pick(self.real >= other.real, other, self)
            return (first + np.log1p(np.exp(second - first))).astype(self.dtype)[()]
        return np.logaddexp(self, other)

    def grad_self(g: V, self: V, other: V) -> V:
        return g / conj(1 + xp.exp(other - self))

    def grad_other(g: V, self: V, other: V) -> V:
        return g / conj(1 + xp.exp(self - other))


def _xlogy(value: A, other: A) -> A:
    return np.where((value == 0) & ~np.isnan(other), 0, value * np.log(other))


@elementwise(
    result="float",
    grad_fn="XlogyBackward0",
    exported=False,
    symbol="x ln y",
    latex={"self": r"g \cdot \ln \text{other}", "other": r"g \cdot \frac{\text{self}}{\text{other}}"},
    summary={
        "self": "multiplies the incoming {g} by ln {other}",
        "other": "multiplies the incoming {g} by {self} / {other}",
    },
)
class xlogy:
    """self * log(other), 0 where self is 0 and other no NaN."""

    def forward(self: A, other: A) -> A:
        return _xlogy(self, other).astype(self.dtype)[()]

    def grad_self(g: V, self: V, other: V) -> V:
        return xp.where((self == 0) & (other <= 0), 0, xp.xlogy(g, other))

    def grad_other(g: V, self: V, other: V) -> V:
        return g * self / other


@elementwise(
    result="float",
    grad_fn="XlogyBackward2",
    exported=False,
    symbol="x ln n",
    latex={"self": r"g \cdot \ln \text{other}"},
    summary={"self": "multiplies the incoming {g} by ln {other}"},
)
class xlogy_number:
    """self * log(other) for a number as other."""

    def forward(self: A, other: Value) -> A:
        return _xlogy(self, like(other, self)).astype(self.dtype)[()]

    def grad_self(g: V, self: V, other: V) -> V:
        slope = xp.xlogy_number(g, other)
        return slope if other > 0 else xp.where(self == 0, 0, slope)


@elementwise(
    result="float",
    grad_fn="XlogyBackward1",
    exported=False,
    symbol="n ln x",
    latex={"other": r"g \cdot \frac{\text{self}}{\text{other}}"},
    summary={"other": "multiplies the incoming {g} by {self} / {other}"},
)
class xlogy_of_number:
    """self * log(other) for a number as self."""

    def forward(other: A, self: Value) -> A:
        return _xlogy(like(self, other), other).astype(other.dtype)[()]

    def grad_other(g: V, other: V, self: V) -> V:
        return g * self / other


@export("xlogy")
def _xlogy_of(input: Value, other: Value) -> Any:  # noqa: A002
    """input * log(other) of tensors, or of a tensor and a number."""
    if not isinstance(other, Tensor):
        return primitives["xlogy_number"].slow(input, other)
    if not isinstance(input, Tensor):
        return primitives["xlogy_of_number"].slow(other, input)
    return primitives["xlogy"].call(input, other)


@export(function=False)
def xlogy_(self: Tensor, other: Value) -> Value:
    """self * log(other), in place."""
    return primitives["xlogy" if isinstance(other, Tensor) else "xlogy_number"].call_in_place(self, other)


def _xlog1py(value: A, other: A) -> A:
    return np.where((value == 0) & ~np.isnan(other), 0, value * np.log1p(other))


@elementwise(
    result="float",
    grad_fn="SpecialXlog1PyBackward0",
    exported=False,
    symbol="x ln(1+y)",
    latex={"self": r"g \cdot \ln(1 + \text{other})", "other": r"g \cdot \frac{\text{self}}{\text{other} + 1}"},
    summary={
        "self": "multiplies the incoming {g} by ln(1 + {other})",
        "other": "multiplies the incoming {g} by {self} / ({other} + 1)",
    },
)
class special_xlog1py:
    """self * log(1 + other), 0 where self is 0 and other no NaN."""

    def forward(self: A, other: A) -> A:
        return _xlog1py(self, other).astype(self.dtype)[()]

    def grad_self(g: V, self: V, other: V) -> V:
        return xp.where((self == 0) & (other <= -1), 0, xp.special_xlog1py(g, other))

    def grad_other(g: V, self: V, other: V) -> V:
        return g * self / (other + 1)


@elementwise(
    result="float",
    grad_fn="SpecialXlog1PyBackward2",
    exported=False,
    symbol="x ln(1+n)",
    latex={"self": r"g \cdot \ln(1 + \text{other})"},
    summary={"self": "multiplies the incoming {g} by ln(1 + {other})"},
)
class special_xlog1py_number:
    """self * log(1 + other) for a number as other."""

    def forward(self: A, other: Value) -> A:
        return _xlog1py(self, like(other, self)).astype(self.dtype)[()]

    def grad_self(g: V, self: V, other: V) -> V:
        slope = xp.special_xlog1py_number(g, other)
        return slope if other > -1 else xp.where(self == 0, 0, slope)


@elementwise(
    result="float",
    grad_fn="SpecialXlog1PyBackward1",
    exported=False,
    symbol="n ln(1+x)",
    latex={"other": r"g \cdot \frac{\text{self}}{\text{other} + 1}"},
    summary={"other": "multiplies the incoming {g} by {self} / ({other} + 1)"},
)
class special_xlog1py_of_number:
    """self * log(1 + other) for a number as self."""

    def forward(other: A, self: Value) -> A:
        return _xlog1py(like(self, other), other).astype(other.dtype)[()]

    def grad_other(g: V, other: V, self: V) -> V:
        return g * self / (other + 1)


@export("special_xlog1py", method=False)
def _special_xlog1py(input: Value, other: Value) -> Any:  # noqa: A002
    """input * log(1 + other) of tensors, or of a tensor and a number."""
    if not isinstance(other, Tensor):
        return primitives["special_xlog1py_number"].slow(input, other)
    if not isinstance(input, Tensor):
        return primitives["special_xlog1py_of_number"].slow(other, input)
    return primitives["special_xlog1py"].call(input, other)
