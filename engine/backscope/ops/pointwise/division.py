"""Elementwise quotients and remainders."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.ops.core.declaration import A, V, primitives, xp
from backscope.ops.core.elementwise import NUMBERS, elementwise, plain
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import export, write_out
from backscope.ops.core.unsupported import no_kernel
from backscope.ops.pointwise.arithmetic import conj, like, promoted
from backscope.runtime.given import Value
from backscope.tensor.dtype import dtype
from backscope.tensor.tensor import Tensor


@elementwise(
    result="float",
    compute=operator.truediv,
    symbol="÷",
    exported=False,
    latex={"self": r"\frac{g}{\text{other}}", "other": r"-g \cdot \frac{\text{self}}{\text{other}^2}"},
    summary={
        "self": "divides the incoming {g} by the saved {other}",
        "other": "multiplies the incoming {g} by −{self} / {other}²",
    },
)
class div:
    """self / other."""

    def forward(self: A, other: A) -> A:
        return self / other

    def into(out: A, other: A) -> None:
        np.divide(out, other, out=out)

    def grad_self(g: V, other: V) -> V:
        return g / conj(other)

    def grad_other(g: V, self: V, other: V) -> V:
        return -g * conj((self / other) / other)


@elementwise(
    grad_fn="DivBackward2",
    exported=False,
    symbol="÷",
    latex={"self": "0", "other": "0"},
    summary={
        "self": "sends 0 to {self}: rounding is constant almost everywhere",
        "other": "sends 0 to {other}: rounding is constant almost everywhere",
    },
)
class div_mode:
    """self / other, rounded towards zero or down."""

    def forward(self: A, other: A, rounding_mode: str) -> A:
        if self.dtype.kind in "bc":
            raise no_kernel(f"div_{rounding_mode}_cpu", dtype.table[self.dtype])
        if rounding_mode == "trunc":
            return truncated(self, other)
        return floored(self, other)

    def low(self: A, other: A, rounding_mode: str) -> A:
        if rounding_mode != "trunc":
            return floored(wide(self), wide(other))
        quotient = wide(self) / wide(other)
        return np.trunc(quotient if other.size == 1 else quotient.astype(self.dtype)).astype(self.dtype)

    def grad_self(g: V, self: V, other: V, rounding_mode: V) -> V:
        return xp.zeros_like(g)

    def grad_other(g: V, self: V, other: V, rounding_mode: V) -> V:
        return xp.zeros_like(g)


@elementwise(
    result="float",
    compute=operator.truediv,
    grad_fn="DivBackward2",
    exported=False,
    symbol="÷",
    latex={"self": r"\frac{g}{\text{other}}", "other": r"-g \cdot \frac{\text{self}}{\text{other}^2}"},
    summary={
        "self": "divides the incoming {g} by the saved {other}",
        "other": "multiplies the incoming {g} by −{self} / {other}²",
    },
    shows={"rounding_mode": lambda node: None},
)
class div_unrounded:
    """self / other with rounding_mode=None given: a node of its own, as for rounded quotients."""

    def forward(self: A, other: A) -> A:
        return self / other

    def grad_self(g: V, other: V) -> V:
        return g / conj(other)

    def grad_other(g: V, self: V, other: V) -> V:
        return -g * conj((self / other) / other)


class _Unsaid:
    """The default of `rounding_mode`: other than None, it makes PyTorch's plain division."""

    def __repr__(self) -> str:
        return "None"


_UNSAID: Any = _Unsaid()


def floored(a: A, b: A) -> A:
    """a / b rounded down; ZeroDivisionError for integers divided by zero."""
    if a.dtype.kind in "iub":
        _check_divisor(b)
        return np.floor_divide(a, b).astype(a.dtype)
    return np.floor_divide(a, b)


def truncated(a: A, b: A) -> A:
    """a / b rounded towards zero."""
    if a.dtype.kind in "iub":
        _check_divisor(b)
        down = np.floor_divide(a, b)
        return (down + ((down < 0) & (down * b != a))).astype(a.dtype)
    return np.trunc(a / b)


def _check_divisor(b: A) -> None:
    if not np.all(b):
        raise RuntimeError("ZeroDivisionError")


def _divided(self: Value, other: Value, rounding_mode: str | None) -> Any:
    if rounding_mode is None or rounding_mode is _UNSAID:
        div = primitives["div" if rounding_mode is _UNSAID else "div_unrounded"]
        return div.call(self, other) if isinstance(self, Tensor) else div.slow(self, other)
    _check_mode(rounding_mode)
    return primitives["div_mode"].slow(self, other, rounding_mode)


def _check_mode(rounding_mode: str) -> None:
    if rounding_mode not in ("trunc", "floor"):
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )


@export("div", "divide", "true_divide")
def _div(input: Tensor, other: Value, *, rounding_mode: str | None = _UNSAID, out: Value = None) -> Any:  # noqa: A002
    """input / other; `rounding_mode` "trunc" or "floor" rounds the quotient."""
    found = _divided(input, other, rounding_mode)
    return found if out is None else write_out(out, found, "div")


@export("div_", "divide_", "true_divide_", function=False)
def _div_in_place(self: Tensor, other: Value, *, rounding_mode: str | None = _UNSAID) -> Any:
    """self / other, in place."""
    if rounding_mode is None or rounding_mode is _UNSAID:
        return primitives["div" if rounding_mode is _UNSAID else "div_unrounded"].call_in_place(self, other)
    _check_mode(rounding_mode)
    return primitives["div_mode"].call_in_place(self, other, rounding_mode)


def _modulo(name: str, tensor_fn: str, number_fn: str, rounding: str, compute: Callable[..., Any], sign: str) -> None:
    """Declare a remainder: one op for a tensor as divisor, one for a number, which is not saved."""

    def forward(self: A, other: A) -> A:
        if self.dtype.kind in "iub" and not np.all(other):
            raise RuntimeError("ZeroDivisionError")
        return compute(self, other)

    def grad_self(g: V) -> V:
        return g

    def grad_other(g: V, self: V, other: V) -> V:
        return -g * xp.div_mode(self, other, rounding)

    def forward_number(self: A, other: Value) -> A:
        return forward(self, like(other, self))

    forward.__annotations__ = {"self": "A", "other": "A"}
    forward_number.__annotations__ = {"self": "A", "other": "Any"}
    whole = r"\lfloor \text{self} / \text{other} \rfloor"
    whole = whole if rounding == "floor" else r"\operatorname{trunc}(\text{self} / \text{other})"
    passes = "passes the incoming {g} on to {self}"
    quotient = "⌊{self} / {other}⌋" if rounding == "floor" else "the whole part of {self} / {other}"
    elementwise(
        name=name,
        grad_fn=tensor_fn,
        symbol="mod",
        exported=False,
        latex={"self": "g", "other": rf"-g \cdot {whole}"},
        summary={"self": passes, "other": "multiplies the incoming {g} by −" + quotient},
    )(type(name, (), {"forward": forward, "grad_self": grad_self, "grad_other": grad_other}))
    elementwise(
        name=name + "_number",
        grad_fn=number_fn,
        promotes=True,
        symbol="mod",
        exported=False,
        latex={"self": "g"},
        summary={"self": passes},
    )(type(name, (), {"forward": forward_number, "grad_self": grad_self}))

    def modulo(input: Value, other: Value) -> Any:  # noqa: A002
        other = plain(other)
        if not isinstance(input, Tensor):
            base = plain(input)
            if name != "remainder" or not isinstance(base, NUMBERS) or not isinstance(other, Tensor):
                return NotImplemented
            return primitives["remainder_of_number"].call(promoted(other, base), base)
        if isinstance(other, NUMBERS):
            return primitives[name + "_number"].call(promoted(input, other), other)
        return primitives[name].slow(input, other)

    def modulo_in_place(self: Tensor, other: Value) -> Any:
        other = plain(other)
        if isinstance(other, NUMBERS):
            return primitives[name + "_number"].call_in_place(self, other)
        return primitives[name].call_in_place(self, other)

    modulo.__doc__ = f"input modulo other, with the sign of {sign}."
    modulo_in_place.__doc__ = f"self modulo other, with the sign of {sign}, in place."
    export(name)(modulo)
    export(name + "_", function=False)(modulo_in_place)


_modulo("remainder", "RemainderBackward1", "RemainderBackward0", "floor", np.mod, "other")
_modulo("fmod", "FmodBackward1", "FmodBackward0", "trunc", np.fmod, "input")


@elementwise(
    grad_fn="NotImplemented",
    exported=False,
    symbol="mod",
    latex={"other": r"\text{not defined}"},
    summary={"other": "ends the backward pass with an error: this op has no derivative"},
)
class remainder_of_number:
    """A number modulo a tensor; its backward is not defined."""

    def forward(other: A, self: Value) -> A:
        return primitives["remainder"].forward(like(self, other), other)

    def grad(g: V) -> V:
        raise RuntimeError("derivative for aten::remainder is not implemented")


@elementwise(
    grad_fn="NotImplemented",
    symbol="//",
    latex={"self": r"\text{not defined}", "other": r"\text{not defined}"},
    summary={
        "self": "ends the backward pass with an error: this op has no derivative",
        "other": "ends the backward pass with an error: this op has no derivative",
    },
)
class floor_divide:
    """self / other rounded down; its backward is not defined."""

    def forward(self: A, other: A) -> A:
        return floored(self, other)

    def grad(g: V) -> V:
        raise RuntimeError("derivative for aten::floor_divide is not implemented")
