"""Smooth activations: silu, softplus, logsigmoid, mish; gelu is in gelu.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.activation.activation import activate, require_floating
from backscope.ops.core.declaration import A, K, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.elementwise import elementwise
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import argument_error, export
from backscope.ops.pointwise.arithmetic import conj, like, pick
from backscope.runtime.given import Value
from backscope.tensor.tensor import Tensor


def _silu(value: A) -> A:
    return value / (like(1, value) + np.exp(-value))


@elementwise(
    exported=False,
    fused=True,
    compute=_silu,
    symbol="silu",
    latex={"self": r"g \cdot \sigma(\text{self}) \cdot (1 + \text{self} \cdot (1 - \sigma(\text{self})))"},
    summary={"self": "multiplies the incoming {g} by σ × (1 + {self} × (1 − σ)), σ the sigmoid of {self}"},
)
class silu:
    """self * sigmoid(self)."""

    def forward(self: A) -> A:
        require_floating(self, "silu_cpu", complex_too=True)
        return _silu(wide(self)).astype(self.dtype)

    def grad_self(g: V, self: V) -> V:
        s = xp.sigmoid(self)
        return g * conj(s) * conj(1 + self * (1 - s))


def _mish(value: A) -> A:
    return value * np.tanh(np.logaddexp(like(0, value), value))


@elementwise(
    exported=False,
    fused=True,
    compute=_mish,
    symbol="mish",
    latex={
        "self": r"g \cdot (t + \text{self} \cdot \sigma(\text{self}) \cdot (1 - t^2)),"
        r"\ t = \tanh(\ln(1 + e^{\text{self}}))",
    },
    summary={
        "self": "multiplies the incoming {g} by t + {self} × σ({self}) × (1 − t²), t the tanh of softplus of {self}",
    },
)
class mish:
    """self * tanh(softplus(self))."""

    def forward(self: A) -> A:
        require_floating(self, "mish_cpu")
        return _mish(wide(self)).astype(self.dtype)

    def grad_self(g: V, self: V) -> V:
        s = xp.sigmoid(self)
        t = xp.tanh(xp.softplus(self, 1, 20))
        return g * (t + self * s * (1 - t * t))


def _softplus(value: A, beta: float, threshold: float) -> A:
    scaled = value * like(beta, value)
    return pick(
        scaled > threshold, value, np.log1p(np.exp(np.minimum(scaled, like(threshold, value)))) / like(beta, value)
    )


@elementwise(
    exported=False,
    compute=_softplus,
    symbol="softplus",
    latex={"self": r"g \cdot \sigma(\beta\, \text{self})"},
    summary={"self": "multiplies the incoming {g} by the sigmoid of {beta} × {self}"},
)
class softplus:
    """log(1 + exp(beta * self)) / beta, linear above `threshold`."""

    def forward(self: A, beta: float = 1, threshold: float = 20) -> A:
        require_floating(self, "softplus_cpu")
        return _softplus(wide(self), beta, threshold).astype(self.dtype)

    def grad_self(g: V, self: V, beta: V, threshold: V) -> V:
        return xp.softplus_backward(g, self, beta, threshold)


@elementwise(
    exported=False,
    grad_fn="SoftplusBackwardBackward0",
    symbol="softplus′",
    latex={
        "grad_output": r"g \cdot \sigma(\beta\, \text{self})",
        "self": r"g \cdot \text{grad\_output} \cdot \beta\, \sigma (1 - \sigma)",
    },
    summary={
        "grad_output": "multiplies the incoming {g} by the sigmoid of {beta} × {self}",
        "self": "multiplies the incoming {g} by {grad_output} and by the slope of the sigmoid",
    },
)
class softplus_backward:
    """The gradient of softplus as an op of its own."""

    def forward(grad_output: A, self: A, beta: float, threshold: float) -> A:
        scaled = wide(self) * like(beta, wide(self))
        slope = 1 / (1 + np.exp(-scaled))
        return np.where(scaled > threshold, grad_output, grad_output * slope).astype(self.dtype)[()]

    def grad_grad_output(g: V, self: V, beta: V, threshold: V) -> V:
        return xp.softplus_backward(g, self, beta, threshold)

    def grad_self(g: V, grad_output: V, self: V, beta: V, threshold: V) -> V:
        scaled = self * beta
        slope = xp.sigmoid(scaled)
        return xp.where(scaled > threshold, 0, g * grad_output * (slope * (1 - slope) * beta))


@op(
    outputs=2,
    differentiable=1,
    returns=("output", "buffer"),
    hidden=("buffer",),
    symbol="ln σ",
    latex={"self": r"g \cdot \sigma(-\text{self})"},
    summary={"self": "multiplies the incoming {g} by the sigmoid of −{self}"},
)
class log_sigmoid:
    """log(sigmoid(self)) without overflow, and exp(-abs(self)), which the gradient uses."""

    def forward(self: A) -> A:
        require_floating(self, "log_sigmoid_cpu")
        value = wide(self)
        buffer = np.exp(-np.abs(value))
        return (np.minimum(value, like(0, value)) - np.log1p(buffer)).astype(self.dtype), buffer.astype(self.dtype)

    def grad_self(g: V, self: V, buffer: V) -> V:
        return xp.log_sigmoid_backward(g, self, buffer)


@op(
    grad_fn="LogSigmoidBackwardBackward0",
    symbol="ln σ′",
    latex={
        "grad_output": r"g \cdot \sigma(-\text{self})",
        "self": r"-g \cdot \text{grad\_output} \cdot \sigma (1 - \sigma)",
    },
    summary={
        "grad_output": "multiplies the incoming {g} by the sigmoid of −{self}",
        "self": "multiplies the incoming {g} by −{grad_output} × σ × (1 − σ), σ the sigmoid of {self}",
    },
)
class log_sigmoid_backward:
    """The gradient of logsigmoid as an op of its own."""

    def forward(grad_output: A, self: A, buffer: K) -> A:
        slope = wide(buffer) / (1 + wide(buffer))
        slope = np.where(self < 0, 1 - slope, slope)
        return (grad_output * slope).astype(self.dtype)[()]

    def grad_grad_output(g: V, self: V, buffer: V) -> V:
        return xp.log_sigmoid_backward(g, self, buffer)

    def grad_self(g: V, grad_output: V, self: V) -> V:
        s = xp.sigmoid(self)
        return -(g * grad_output) * (s * (1 - s))


@export("silu", function=False, method=False, nn=True)
def _silu_function(input: Tensor, inplace: bool = False) -> Any:  # noqa: A002
    """input * sigmoid(input)."""
    return activate("silu", input, inplace)


@export("mish", function=False, method=False, nn=True)
def _mish_function(input: Tensor, inplace: bool = False) -> Any:  # noqa: A002
    """input * tanh(softplus(input))."""
    return activate("mish", input, inplace)


@export("softplus", function=False, method=False, nn=True)
def _softplus_function(input: Tensor, beta: float = 1, threshold: float = 20) -> Any:  # noqa: A002
    """log(1 + exp(beta * input)) / beta, linear above `threshold`."""
    return activate("softplus", input, False, beta, threshold)


@export(function=False, method=False, nn=True)
def logsigmoid(input: Tensor) -> Value:  # noqa: A002
    """log(sigmoid(input)) without overflow."""
    if not isinstance(input, Tensor):
        raise argument_error("log_sigmoid", "input", 1, input)
    return apply(primitives["log_sigmoid"], input)[0]
