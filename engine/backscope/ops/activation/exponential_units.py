"""Activations that are linear above 0 and exponential below: elu, celu, selu."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.activation.activation import activate, require_floating
from backscope.ops.core.declaration import A, V, xp
from backscope.ops.core.elementwise import elementwise
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import export
from backscope.ops.pointwise.arithmetic import like, pick
from backscope.runtime.given import Value
from backscope.tensor.tensor import Tensor

SELU_ALPHA, SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


def _elu(value: A, alpha: float, scale: float, input_scale: float) -> A:
    low = np.expm1(value * like(input_scale, value)) * like(alpha * scale, value)
    return pick(value <= 0, low, value * like(scale, value))


def _elu_forward(value: A, alpha: float, scale: float, input_scale: float) -> A:
    require_floating(value, "elu_cpu")
    return _elu(wide(value), alpha, scale, input_scale).astype(value.dtype)


@elementwise(
    exported=False,
    compute=_elu,
    symbol="elu",
    latex={"self": r"g \cdot (\text{self} > 0\ ?\ 1 : \alpha\, e^{\text{self}})"},
    summary={"self": "sends the incoming {g} where {self} is positive, times {alpha} × exp({self}) elsewhere"},
)
class elu:
    """scale * self where positive, else scale * alpha * (exp(self * input_scale) - 1)."""

    def forward(self: A, alpha: float = 1.0, scale: float = 1, input_scale: float = 1) -> A:
        return _elu_forward(self, alpha, scale, input_scale)

    def grad_self(g: V, self: V, alpha: V, scale: V, input_scale: V) -> V:
        return xp.elu_backward(g, self, alpha, scale, input_scale, False)


@elementwise(
    exported=False,
    grad_fn="EluBackward1",
    symbol="elu",
    latex={"self": r"g \cdot (\text{result} > 0\ ?\ 1 : \text{result} + \alpha)"},
    summary={"self": "sends the incoming {g} where the saved result is positive, times result + {alpha} elsewhere"},
)
class elu_in_place:
    """elu in place, which saves its result."""

    def forward(self: A, alpha: float = 1.0, scale: float = 1, input_scale: float = 1) -> A:
        return _elu_forward(self, alpha, scale, input_scale)

    def grad_self(g: V, result: V, alpha: V, scale: V, input_scale: V) -> V:
        _check_in_place(alpha)
        return xp.elu_backward(g, result, alpha, scale, input_scale, True)


def _check_in_place(alpha: float) -> None:
    if alpha < 0:
        raise RuntimeError(
            "In-place elu backward calculation is triggered with a negative slope which is not supported. This is "
            "caused by calling in-place forward function with a negative slope, please call out-of-place version "
            "instead."
        )


def _inverse(alpha: Value) -> float:
    """Return 1 / alpha as PyTorch's gradient of celu computes it, with alpha in single precision."""
    return 1.0 / float(np.float32(alpha))


@elementwise(
    exported=False,
    symbol="celu",
    compute=lambda value, alpha: _elu(value, alpha, 1.0, 1 / alpha),
    latex={"self": r"g \cdot (\text{self} > 0\ ?\ 1 : e^{\text{self} / \alpha})"},
    summary={"self": "sends the incoming {g} where {self} is positive, times exp({self} / {alpha}) elsewhere"},
)
class celu:
    """self where positive, else alpha * (exp(self / alpha) - 1)."""

    def forward(self: A, alpha: float = 1.0) -> A:
        return _elu_forward(self, alpha, 1.0, 1 / alpha)

    def grad_self(g: V, self: V, alpha: V) -> V:
        return xp.elu_backward(g, self, alpha, 1, _inverse(alpha), False)


@elementwise(
    exported=False,
    grad_fn="CeluBackward1",
    symbol="celu",
    latex={"self": r"g \cdot (\text{result} > 0\ ?\ 1 : (\text{result} + \alpha) / \alpha)"},
    summary={"self": "sends the incoming {g} where the saved result is positive, times result / {alpha} + 1 elsewhere"},
)
class celu_in_place:
    """celu in place, which saves its result."""

    def forward(self: A, alpha: float = 1.0) -> A:
        return _elu_forward(self, alpha, 1.0, 1 / alpha)

    def grad_self(g: V, result: V, alpha: V) -> V:
        _check_in_place(alpha)
        return xp.elu_backward(g, result, alpha, 1, _inverse(alpha), True)


@elementwise(
    exported=False,
    grad_fn="EluBackwardBackward0",
    symbol="elu′",
    latex={
        "grad_output": r"g \cdot (x > 0\ ?\ 1 : \alpha\, e^{x})",
        "self_or_result": r"x > 0\ ?\ 0 : g \cdot \text{grad\_output} \cdot \alpha\, e^{x}",
    },
    summary={
        "grad_output": "multiplies the incoming {g} by the slope of elu at {self_or_result}",
        "self_or_result": "sends 0 where {self_or_result} is positive, {g} × {grad_output} × the slope elsewhere",
    },
)
class elu_backward:
    """The gradient of elu as an op of its own, from its input or from its result."""

    def forward(
        grad_output: A, self_or_result: A, alpha: float, scale: float, input_scale: float, is_result: bool
    ) -> A:
        value = wide(self_or_result)
        if is_result:
            low = (value + like(alpha * scale, value)) * like(input_scale, value)
        else:
            low = np.exp(value * like(input_scale, value)) * like(alpha * scale * input_scale, value)
        return (grad_output * np.where(value <= 0, low, like(scale, value))).astype(self_or_result.dtype)[()]

    def grad_grad_output(g: V, alpha: V, scale: V, input_scale: V, is_result: V, self_or_result: V) -> V:
        return xp.elu_backward(g, self_or_result, alpha, scale, input_scale, is_result)

    def grad_self_or_result(
        g: V, grad_output: V, alpha: V, scale: V, input_scale: V, is_result: V, self_or_result: V
    ) -> V:
        if is_result:
            return g * grad_output * input_scale * (self_or_result < 0)
        low = xp.exp(self_or_result * input_scale) * (alpha * scale * input_scale * input_scale)
        return g * grad_output * low * (self_or_result < 0)


@export("elu", function=False, method=False, nn=True)
def _elu_function(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Any:  # noqa: A002
    """input where positive, else alpha * (exp(input) - 1)."""
    return activate("elu", input, inplace, alpha, 1, 1, other="elu_in_place")


@export("elu_", function=False, method=False, nn=True)
def _elu_in_place(input: Tensor, alpha: float = 1.0, scale: float = 1, input_scale: float = 1) -> Any:  # noqa: A002
    """elu in place."""
    return activate("elu", input, True, alpha, scale, input_scale, called="elu_", other="elu_in_place")


@export("celu", method=False, nn=True)
def _celu_function(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Any:  # noqa: A002
    """input where positive, else alpha * (exp(input / alpha) - 1)."""
    _check_celu(input, alpha)
    return activate("celu", input, inplace, alpha, other="celu_in_place")


@export("celu_", method=False, nn=True)
def _celu_in_place(input: Tensor, alpha: float = 1.0) -> Any:  # noqa: A002
    """celu in place."""
    _check_celu(input, alpha)
    return activate("celu", input, True, alpha, called="celu_", other="celu_in_place")


def _check_celu(input: Value, alpha: float) -> None:  # noqa: A002
    if isinstance(input, Tensor) and alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")


@export(method=False, nn=True)
def selu(input: Tensor, inplace: bool = False) -> Value:  # noqa: A002
    """elu with the constants that preserve mean and variance through many layers."""
    return activate("elu", input, inplace, SELU_ALPHA, SELU_SCALE, 1, called="selu", other="elu_in_place")


@export("selu_", method=False, nn=True)
def _selu_in_place(input: Tensor) -> Any:  # noqa: A002
    """selu in place."""
    return activate("elu", input, True, SELU_ALPHA, SELU_SCALE, 1, called="selu_", other="elu_in_place")
