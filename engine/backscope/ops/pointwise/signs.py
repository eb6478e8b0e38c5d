"""Elementwise functions of signs, angles in degrees, powers of two, steps, and of whole numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.elementwise import elementwise
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import export
from backscope.ops.core.return_types import return_type
from backscope.ops.pointwise.arithmetic import conj, like
from backscope.runtime.given import Value
from backscope.tensor.dtype import default, dtype
from backscope.tensor.tensor import Tensor

DEGREES = 180 / np.pi


@elementwise(
    result="float",
    exported=True,
    symbol="±",
    latex={"self": r"g \cdot \frac{\text{result}}{\text{self}}", "other": "0"},
    summary={"self": "multiplies the incoming {g} by {result} / {self}, ±1", "other": "sends 0"},
)
class copysign:
    """The magnitude of self with the sign of other."""

    def forward(self: A, other: A) -> A:
        return np.copysign(self, other)

    def grad_self(g: V, self: V, result: V) -> V:
        ratio = result / self
        return g * xp.where(self == 0, xp.zeros_like(ratio), ratio)

    def grad_other(g: V) -> V:
        return xp.zeros_like(g)


@elementwise(
    result="float",
    grad_fn="CopysignBackward1",
    exported=False,
    symbol="±",
    latex={"self": r"g \cdot \frac{\text{result}}{\text{self}}"},
    summary={"self": "multiplies the incoming {g} by {result} / {self}, ±1"},
)
class copysign_number:
    """The magnitude of self with the sign of a number."""

    def forward(self: A, other: Value) -> A:
        return np.copysign(self, like(other, self))

    def grad_self(g: V, self: V, result: V) -> V:
        ratio = result / self
        return g * xp.where(self == 0, xp.zeros_like(ratio), ratio)


@export("copysign")
def _copysign(input: Tensor, other: Value) -> Any:  # noqa: A002
    """The magnitude of input with the sign of other, a tensor or a number."""
    return primitives["copysign" if isinstance(other, Tensor) else "copysign_number"].slow(input, other)


@export("copysign_", function=False)
def _copysign_in_place(self: Tensor, other: Value) -> Any:
    """The magnitude of self with the sign of other, in place."""
    return primitives["copysign" if isinstance(other, Tensor) else "copysign_number"].call_in_place(self, other)


def _turns(name: str, factor: float, symbol: str) -> None:
    """Declare the conversion of degrees to radians, or the other way round."""

    def forward(self: A) -> A:
        return self * like(factor, self)

    def grad_self(g: V) -> V:
        return g * factor

    forward.__annotations__ = {"self": "A"}
    elementwise(
        name=name,
        result="float",
        grad_fn=f"{'Deg2Rad' if factor < 1 else 'Rad2Deg'}Backward0",
        symbol=symbol,
        latex={"self": rf"{factor:.4f}\, g"},
        summary={"self": f"multiplies the incoming {{g}} by {factor:.4f}"},
    )(type(name, (), {"forward": forward, "grad_self": grad_self}))


_turns("deg2rad", 1 / DEGREES, "° → rad")
_turns("rad2deg", DEGREES, "rad → °")


@elementwise(
    grad_fn="Logaddexp2Backward0",
    symbol="log₂ Σ 2ˣ",
    inplace=False,
    latex={
        "self": r"\frac{g}{1 + 2^{\text{other} - \text{self}}}",
        "other": r"\frac{g}{1 + 2^{\text{self} - \text{other}}}",
    },
    summary={
        "self": "divides the incoming {g} by 1 + 2^({other} − {self})",
        "other": "divides the incoming {g} by 1 + 2^({self} − {other})",
    },
)
class logaddexp2:
    """log2(2**self + 2**other), without overflow."""

    def forward(self: A, other: A) -> A:
        return np.logaddexp2(self, other)

    def grad_self(g: V, self: V, other: V) -> V:
        return g / (1 + xp.exp2(other - self))

    def grad_other(g: V, self: V, other: V) -> V:
        return g / (1 + xp.exp2(self - other))


@elementwise(
    symbol="x · 2ⁿ",
    result="float",
    latex={"self": r"g \cdot 2^{\text{other}}", "other": r"g \cdot \text{result} \cdot \ln 2"},
    summary={
        "self": "multiplies the incoming {g} by 2 to the power of {other}",
        "other": "multiplies the incoming {g} by {result} × ln 2",
    },
)
class ldexp:
    """self * 2**other."""

    def forward(self: A, other: A) -> A:
        return self * np.exp2(other)

    def low(self: A, other: A) -> A:
        return self * np.exp2(wide(other)).astype(other.dtype)

    def grad_self(g: V, other: V) -> V:
        return g * conj(xp.exp2(other))

    def grad_other(g: V, result: V) -> V:
        return g * conj(result) * math.log(2)


def _not_implemented(name: str) -> V:
    raise RuntimeError(f"derivative for aten::{name} is not implemented")


@elementwise(
    grad_fn="NotImplemented",
    symbol="step",
    latex={"self": r"\text{no derivative}", "values": r"\text{no derivative}"},
    summary={"self": "is an error: this op has no derivative", "values": "is an error: this op has no derivative"},
)
class heaviside:
    """0 below 0, 1 above, and `values` at 0."""

    def forward(self: A, values: A) -> A:
        return np.where(self == 0, values, np.where(self > 0, 1, 0)).astype(self.dtype)[()]

    def grad_self(g: V) -> V:
        return _not_implemented("heaviside")

    def grad_values(g: V) -> V:
        return _not_implemented("heaviside")


primitives["heaviside"].node.prefix = "torch::autograd::"


@elementwise(
    symbol="next",
    latex={"self": r"g\,[\text{self} \ne \text{other}]", "other": "0"},
    summary={"self": "passes the incoming {g} on where {self} is not {other}", "other": "sends 0"},
)
class nextafter:
    """The next number that the type can hold, from self towards other."""

    def forward(self: A, other: A) -> A:
        return np.nextafter(self, other)

    def grad_self(g: V, self: V, other: V) -> V:
        return xp.where(self != other, g, xp.zeros_like(g))

    def grad_other(g: V) -> V:
        return xp.zeros_like(g)


def _whole(name: str, symbol: str, function: Callable[[A, A], A]) -> None:
    """Declare an op of two integers."""

    def forward(self: A, other: A) -> A:
        if self.dtype.kind not in "iu":
            raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{dtype.table[self.dtype].type_name}'")
        return np.asarray(function(self, other)).astype(self.dtype)[()]

    forward.__annotations__ = {"self": "A", "other": "A"}
    elementwise(name=name, symbol=symbol)(type(name, (), {"forward": forward}))


_whole("gcd", "gcd", np.gcd)
_whole("lcm", "lcm", np.lcm)
_whole("bitwise_left_shift", "<<", np.left_shift)
_whole("bitwise_right_shift", ">>", np.right_shift)

for _dunder, _name in (("lshift", "bitwise_left_shift"), ("rshift", "bitwise_right_shift")):
    setattr(Tensor, f"__i{_dunder}__", getattr(Tensor, _name + "_"))


def _test(name: str, function: Callable[[A], A]) -> None:
    """Declare a test of each element."""

    def forward(self: A) -> A:
        return function(self)

    forward.__annotations__ = {"self": "A"}
    elementwise(name=name, result="bool", symbol=name, inplace=False)(type(name, (), {"forward": forward}))


def _floats(value: A) -> A:
    return value if value.dtype.kind in "fc" else value.astype(np.float64)


_test("signbit", lambda v: np.signbit(v) if v.dtype.kind == "f" else np.asarray(v < 0)[()])
_test("isneginf", lambda v: np.isneginf(_floats(v)))
_test("isposinf", lambda v: np.isposinf(_floats(v)))
_test("isreal", lambda v: np.asarray(np.isreal(v))[()])


@export("fix")
def _fix(input: Tensor) -> Any:  # noqa: A002
    """Rounded towards zero."""
    return input.trunc()  # type: ignore[attr-defined]


@export("fix_", function=False)
def _fix_in_place(self: Tensor) -> Any:
    """Rounded towards zero, in place."""
    return self.trunc_()  # type: ignore[attr-defined]


@op(
    outputs=2,
    differentiable=1,
    returns=("mantissa", "exponent"),
    symbol="m · 2ᵉ",
    latex={"self": r"\frac{g}{2^{\text{exponent}}}"},
    summary={"self": "divides the incoming {g} by 2 to the power of the exponent"},
)
class frexp:
    """Mantissas in [0.5, 1) and powers of two."""

    def forward(self: A) -> tuple[A, ...]:
        mantissa, exponent = np.frexp(self)
        return mantissa, np.asarray(exponent, np.int32)[()]

    def grad_self(g: V, exponent: V) -> V:
        return g / xp.exp2(xp.to_copy(exponent, default.floating))


_FREXP = return_type("frexp", "mantissa", "exponent")


@export("frexp")
def _frexp(input: Tensor) -> Any:  # noqa: A002
    """Mantissas in [0.5, 1) and powers of two."""
    return _FREXP(*apply(primitives["frexp"], input))
