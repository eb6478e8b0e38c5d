"""Elementwise trigonometric and hyperbolic functions and their inverses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.ops.core.declaration import A, V, xp
from backscope.ops.core.elementwise import elementwise
from backscope.ops.core.namespace import functional, torch_functions
from backscope.ops.pointwise.arithmetic import conj


def _function(
    name: str,
    compute: Callable[..., Any],
    latex: str,
    summary: str,
    gradient: Callable[..., Any],
    *,
    names: tuple[str, ...] = (),
    of_result: bool = False,
    symbol: str | None = None,
    underived_in_place: bool = False,
) -> None:
    """Declare a function of one number; `gradient(g, x)` is given the saved input, or the result where `of_result`.

    Of one that is `underived_in_place` PyTorch has a derivative only where it does not change its input.
    """

    def forward(self: A) -> A:
        return compute(self)

    def grad_of_input(g: V, self: V) -> V:
        return gradient(g, self)

    def grad_of_result(g: V, result: V) -> V:
        return gradient(g, result)

    forward.__annotations__ = {"self": "A"}
    grad_self = grad_of_result if of_result else grad_of_input
    elementwise(
        name=name,
        names=names,
        compute=compute,
        result="float",
        symbol=symbol or name,
        latex={"self": latex},
        summary={"self": summary},
        underived_in_place=underived_in_place,
    )(type(name, (), {"forward": forward, "grad_self": grad_self, "__doc__": f"numpy's {compute.__name__}."}))


_function(
    "sin",
    np.sin,
    r"g \cdot \cos(\text{self})",
    "multiplies the incoming {g} by cos of the saved {self}",
    lambda g, x: g * conj(xp.cos(x)),
)
_function(
    "cos",
    np.cos,
    r"-g \cdot \sin(\text{self})",
    "multiplies the incoming {g} by −sin of the saved {self}",
    lambda g, x: g * -conj(xp.sin(x)),
)
_function(
    "tan",
    np.tan,
    r"g \cdot (1 + \text{result}^2)",
    "multiplies the incoming {g} by 1 + the saved result {result} squared",
    lambda g, r: g * conj(1 + r * r),
    of_result=True,
)
_function(
    "asin",
    np.arcsin,
    r"\frac{g}{\sqrt{1 - \text{self}^2}}",
    "divides the incoming {g} by √(1 − {self}²)",
    lambda g, x: g * conj(xp.rsqrt(1 - x * x)),
    names=("arcsin",),
)
_function(
    "acos",
    np.arccos,
    r"\frac{-g}{\sqrt{1 - \text{self}^2}}",
    "divides the incoming {g} by −√(1 − {self}²)",
    lambda g, x: g * -conj(xp.rsqrt(1 - x * x)),
    names=("arccos",),
)
_function(
    "atan",
    np.arctan,
    r"\frac{g}{1 + \text{self}^2}",
    "divides the incoming {g} by 1 + {self}²",
    lambda g, x: g / conj(x * x + 1),
    names=("arctan",),
)
_function(
    "sinh",
    np.sinh,
    r"g \cdot \cosh(\text{self})",
    "multiplies the incoming {g} by cosh of the saved {self}",
    lambda g, x: g * conj(xp.cosh(x)),
)
_function(
    "cosh",
    np.cosh,
    r"g \cdot \sinh(\text{self})",
    "multiplies the incoming {g} by sinh of the saved {self}",
    lambda g, x: g * conj(xp.sinh(x)),
)
_function(
    "asinh",
    np.arcsinh,
    r"\frac{g}{\sqrt{\text{self}^2 + 1}}",
    "divides the incoming {g} by √({self}² + 1)",
    lambda g, x: g * conj(xp.rsqrt(x * x + 1)),
    names=("arcsinh",),
    underived_in_place=True,
)
_function(
    "acosh",
    np.arccosh,
    r"\frac{g}{\sqrt{\text{self}^2 - 1}}",
    "divides the incoming {g} by √({self}² − 1)",
    lambda g, x: g * conj(xp.rsqrt(x - 1) * xp.rsqrt(x + 1)),
    names=("arccosh",),
    underived_in_place=True,
)
_function(
    "atanh",
    np.arctanh,
    r"\frac{g}{1 - \text{self}^2}",
    "divides the incoming {g} by 1 − {self}²",
    lambda g, x: g / conj(1 - x * x),
    names=("arctanh",),
    underived_in_place=True,
)


@elementwise(
    compute=np.tanh,
    result="float",
    symbol="tanh",
    latex={"self": r"g \cdot (1 - \text{result}^2)"},
    summary={"self": "multiplies the incoming {g} by 1 − the saved result {result} squared"},
)
class tanh:
    """The hyperbolic tangent."""

    def forward(self: A) -> A:
        return np.tanh(self)

    def grad_self(g: V, result: V) -> V:
        return xp.tanh_backward(g, result)


@elementwise(
    exported=False,
    grad_fn="TanhBackwardBackward0",
    symbol="tanh′",
    latex={
        "grad_output": r"g \cdot (1 - \text{output}^2)",
        "output": r"-2\, g \cdot \text{output} \cdot \text{grad\_output}",
    },
    summary={
        "grad_output": "multiplies the incoming {g} by 1 − the saved {output} squared",
        "output": "multiplies the incoming {g} by −2 × {output} × {grad_output}",
    },
)
class tanh_backward:
    """The gradient of tanh as an op of its own."""

    def forward(grad_output: A, output: A) -> A:
        return grad_output * (1 - conj(output) * conj(output))

    def grad_grad_output(g: V, output: V) -> V:
        return xp.tanh_backward(g, conj(output))

    def grad_output(g: V, grad_output: V, output: V) -> V:
        return conj(g) * (-2 * conj(output) * grad_output)


@elementwise(
    symbol="atan2",
    names=("arctan2",),
    result="float",
    latex={
        "self": r"g \cdot \frac{\text{other}}{\text{self}^2 + \text{other}^2}",
        "other": r"-g \cdot \frac{\text{self}}{\text{self}^2 + \text{other}^2}",
    },
    summary={
        "self": "multiplies the incoming {g} by {other} / ({self}² + {other}²)",
        "other": "multiplies the incoming {g} by −{self} / ({self}² + {other}²)",
    },
)
class atan2:
    """The angle of the point (other, self)."""

    def forward(self: A, other: A) -> A:
        return np.arctan2(self, other)

    def grad_self(g: V, self: V, other: V) -> V:
        return g * other * _inverse_square(self, other)

    def grad_other(g: V, self: V, other: V) -> V:
        return g * -self * _inverse_square(self, other)


def _inverse_square(a: V, b: V) -> V:
    square = a * a + b * b
    return xp.masked_fill(xp.reciprocal(square), square == 0, 0)


@elementwise(
    symbol="hypot",
    latex={
        "self": r"g \cdot \frac{\text{self}}{\text{result}}",
        "other": r"g \cdot \frac{\text{other}}{\text{result}}",
    },
    summary={
        "self": "multiplies the incoming {g} by {self} / {result}",
        "other": "multiplies the incoming {g} by {other} / {result}",
    },
)
class hypot:
    """The root of self² + other²."""

    def forward(self: A, other: A) -> A:
        return np.hypot(self, other)

    def grad_self(g: V, self: V, result: V) -> V:
        return g * self / result

    def grad_other(g: V, other: V, result: V) -> V:
        return g * other / result


functional["tanh"] = torch_functions["tanh"]
