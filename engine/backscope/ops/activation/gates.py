"""Activations with weights, noise or gates: prelu, rrelu, glu, softsign, tanhshrink, gumbel_softmax."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.transforms.absent import Absent
from backscope.autograd.transforms.dual_tensor import tangent_of
from backscope.autograd.views.view_history import requires_grad
from backscope.ops.activation.activation import activate, require_floating
from backscope.ops.core.arguments.dims import wrap_dim
from backscope.ops.core.declaration import A, K, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.elementwise import elementwise
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import argument_error, export, torch_functions
from backscope.ops.pointwise.arithmetic import like, pick
from backscope.random import default_generator
from backscope.runtime.given import Option, Value
from backscope.tensor.tensor import Tensor, make


@elementwise(
    exported=False,
    symbol="prelu",
    latex={
        "self": r"g \cdot (\text{self} \geq 0\ ?\ 1 : \text{weight})",
        "weight": r"g \cdot \min(\text{self}, 0)",
    },
    summary={
        "self": "sends the incoming {g} where {self} is not negative, times {weight} elsewhere",
        "weight": "multiplies the incoming {g} by {self} where that is negative, sends 0 elsewhere",
    },
)
class prelu_kernel:
    """self where not negative, else weight * self."""

    def forward(self: A, weight: A) -> A:
        require_floating(self, "prelu_cpu")
        return pick(self >= 0, self, self * weight)

    def grad(g: V, self: V, weight: V) -> V:
        return xp.prelu_kernel_backward(g, self, weight)


@op(
    outputs=2,
    grad_fn="PreluKernelBackwardBackward0",
    symbol="prelu′",
    latex={
        "grad_output": r"g_0 \cdot (\text{self} \geq 0\ ?\ 1 : \text{weight}) + g_1 \cdot \min(\text{self}, 0)",
        "self": r"\text{self} \geq 0\ ?\ 0 : g_1 \cdot \text{grad\_output}",
        "weight": r"\text{self} \geq 0\ ?\ 0 : g_0 \cdot \text{grad\_output}",
    },
    summary={
        "grad_output": "adds what both gradients say of the incoming one, by the sign of {self}",
        "self": "sends the gradient of the weight's times {grad_output} where {self} is negative",
        "weight": "sends the gradient of the input's times {grad_output} where {self} is negative",
    },
)
class prelu_kernel_backward:
    """The gradients of prelu as an op of its own."""

    def forward(grad_output: A, self: A, weight: A) -> A:
        positive = self > 0
        by_self = pick(positive, grad_output, grad_output * weight)
        return by_self.astype(self.dtype), pick(positive, like(0, self), grad_output * self).astype(self.dtype)

    def grad(g: V, grad_output: V, self: V, weight: V, weight_shape: V) -> V:
        none = xp.zeros_like(self)
        of_output = by_self = by_weight = none
        if g[0] is not None:
            of_output = xp.where(self >= 0, g[0], g[0] * weight)
            by_weight = xp.where(self >= 0, none, grad_output * g[0])
        if g[1] is not None:
            of_output = of_output + xp.where(self >= 0, none, g[1] * self)
            by_self = xp.where(self >= 0, none, grad_output * g[1])
        return of_output, by_self, xp.sum_to_size(by_weight, weight_shape)


@export(nn=True)
def prelu(input: Tensor, weight: Tensor) -> Value:  # noqa: A002
    """input where not negative, else weight * input; one weight, or one for each channel (dim 1)."""
    for position, (name, value) in enumerate((("input", input), ("weight", weight)), 1):
        if not isinstance(value, Tensor):
            raise argument_error("prelu", name, position, value)
    if input._dtype is not weight._dtype:
        raise RuntimeError(
            f"prelu: Type promoting not supported. Got {input._dtype.type_name} and {weight._dtype.type_name}"
        )
    ndim, count = input._data.ndim, weight._data.size
    if count != 1:
        if not ndim:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = input._data.shape[1] if ndim > 1 else 1
        if channels != count:
            raise RuntimeError(
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{count} and channel size = {channels}."
            )
    if weight._data.ndim > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight._data.ndim}")
    shaped: Any = weight
    if ndim != weight._data.ndim:
        shaped = weight.reshape([count if d == 1 else 1 for d in range(ndim)])  # type: ignore[attr-defined]
    return primitives["prelu_kernel"].call(input, shaped)


def _rrelu_noise(value: A, lower: float, upper: float, generator: Option) -> A:
    """The slope of each element: drawn where it is not positive, 1 elsewhere."""
    noise = np.ones(value.shape, value.dtype)
    below = value <= 0
    count = int(np.count_nonzero(below))
    drawn = (generator or default_generator).uniform(lower, upper, (count,), np.float64)
    noise[below] = drawn.astype(value.dtype)
    return noise[()]


def _rrelu_slope(noise: Value, lower: float, upper: float, training: bool, value: V) -> V:
    """Return each element's factor: its noise in training, else the mean of both bounds for values up to 0."""
    if training and upper - lower > 1e-6:
        return noise
    slope = (lower + upper) / 2
    ones = xp.ones_like(value)
    return xp.where(value > 0, ones, ones * slope)


def _rrelu(name: str, grad_fn: str, saved: str) -> None:
    """Declare rrelu, which saves its input, or in place its result."""

    def forward(self: A, noise: K, lower: float, upper: float, training: bool) -> A:
        if training:
            return self * noise
        require_floating(self, "leaky_relu_cpu")
        return pick(self > 0, self, self * like((lower + upper) / 2, self))

    def of_self(g: V, self: V, noise: V, lower: V, upper: V, training: V) -> V:
        return xp.rrelu_with_noise_backward(g, self, noise, lower, upper, training)

    def of_result(g: V, result: V, noise: V, lower: V, upper: V, training: V) -> V:
        return xp.rrelu_with_noise_backward(g, result, noise, lower, upper, training)

    forward.__annotations__ = {"self": "A", "noise": "K"}
    elementwise(
        exported=False,
        name=name,
        grad_fn=grad_fn,
        symbol="rrelu",
        latex={"self": r"g \cdot \text{noise}"},
        summary={"self": "multiplies the incoming {g} by the slope that was drawn for each element"},
    )(type(name, (), {"forward": forward, "grad_self": of_self if saved == "self" else of_result}))


_rrelu("rrelu_with_noise", "RreluWithNoiseBackward0", "self")
_rrelu("rrelu_with_noise_in_place", "RreluWithNoiseBackward1", "result")


@elementwise(
    exported=False,
    grad_fn="RreluWithNoiseBackwardBackward0",
    symbol="rrelu′",
    latex={"grad_output": r"g \cdot \text{noise}", "self": "0"},
    summary={
        "grad_output": "multiplies the incoming {g} by the slope that was drawn for each element",
        "self": "sends 0: the slope is constant almost everywhere",
    },
)
class rrelu_with_noise_backward:
    """The gradient of rrelu as an op of its own."""

    def forward(grad_output: A, self: A, noise: K, lower: float, upper: float, training: bool) -> A:
        return (grad_output * _rrelu_slope(noise, lower, upper, training, self)).astype(self.dtype)[()]

    def grad_grad_output(g: V, self: V, noise: V, lower: V, upper: V, training: V) -> V:
        return xp.rrelu_with_noise_backward(g, self, noise, lower, upper, training)

    def grad_self(g: V) -> V:
        return xp.zeros_like(g)


@export("rrelu", method=False, nn=True)
def _rrelu_function(
    input: Tensor,  # noqa: A002
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
    generator: Option = None,
) -> Any:
    """input where positive, else times a slope drawn between two bounds, or their mean when not training."""
    if not isinstance(input, Tensor):
        raise argument_error("rrelu", "input", 1, input)
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    if isinstance(input._data, Absent):
        tracked = (mode.enabled and requires_grad(input)) or tangent_of(input) is not None
        raise RuntimeError(
            f"vmap: we do not yet support aten::rrelu{'_with_noise' if tracked else ''}. Please file an issue"
        )
    value = np.asarray(input._data)
    if training:
        require_floating(value, "rrelu_with_noise_out_cpu")
        if input._dtype.name == "float16":
            raise NotImplementedError("\"rrelu_with_noise_out_cpu\" not implemented for 'Half'")
        noise = make(_rrelu_noise(value, lower, upper, generator), input._dtype)
    else:
        noise = make(np.zeros(value.shape, value.dtype)[()], input._dtype)
    given = (noise, lower, upper, training)
    return activate("rrelu_with_noise", input, inplace, *given, other="rrelu_with_noise_in_place")


@export("rrelu_", method=False, nn=True)
def _rrelu_in_place(
    input: Tensor,  # noqa: A002
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    generator: Option = None,
) -> Any:
    """rrelu in place."""
    return _rrelu_function(input, lower, upper, training, True, generator)


def _halves(value: V, dim: int) -> tuple[V, V]:
    length = value.shape[dim] // 2
    if isinstance(value, Tensor):
        return value.narrow(dim, 0, length), value.narrow(dim, length, length)  # type: ignore[attr-defined]
    first, second = np.split(value, 2, axis=dim)
    return first, second


@op(
    symbol="glu",
    latex={"self": r"[g\, \sigma(b),\ g\, a\, \sigma(b) (1 - \sigma(b))]"},
    summary={"self": "multiplies the incoming gradient by the gate, and for the gate by a × σ(b) × (1 − σ(b))"},
)
class glu:
    """The first half along dim, times the sigmoid of the second half."""

    def forward(self: A, dim: int = -1) -> A:
        require_floating(self, "glu_cpu")
        a, b = _halves(wide(self), dim)
        return (a / (1 + np.exp(-b))).astype(self.dtype)

    def grad_self(g: V, self: V, dim: V) -> V:
        return xp.glu_backward(g, self, dim)


@op(
    grad_fn="GluBackwardBackward0",
    symbol="glu′",
    latex={
        "grad_output": r"g_a\, \sigma(b) + g_b\, a\, \sigma(b) (1 - \sigma(b))",
        "self": r"\text{the derivative by both halves}",
    },
    summary={
        "grad_output": "adds both halves of the incoming gradient, times the gate and times a × σ(b) × (1 − σ(b))",
        "self": "multiplies the incoming gradient by the second derivatives by both halves",
    },
)
class glu_backward:
    """The gradient of glu as an op of its own."""

    def forward(grad_output: A, self: A, dim: int) -> A:
        a, b = _halves(wide(self), dim)
        gate = wide((1 / (1 + np.exp(-b))).astype(self.dtype))  # PyTorch keeps it where the first half goes.
        g = wide(grad_output)
        return np.concatenate([gate * g, (1 - gate) * gate * a * g], axis=dim).astype(self.dtype)

    def grad_grad_output(g: V, self: V, dim: V) -> V:
        a, b = _halves(self, dim)
        first, second = _halves(g, dim)
        gate = xp.sigmoid(b)
        return gate * first + gate * (1 - gate) * a * second

    def grad_self(g: V, grad_output: V, self: V, dim: V) -> V:
        a, b = _halves(self, dim)
        first, second = _halves(g, dim)
        gate = xp.sigmoid(b)
        slope = gate * (1 - gate)
        by_a = second * grad_output * slope
        by_b = first * grad_output * slope + second * grad_output * a * slope * (1 - 2 * gate)
        return xp.cat([by_a, by_b], dim)


@export("glu", function=False, method=False, nn=True)
def _glu_function(input: Tensor, dim: int = -1) -> Any:  # noqa: A002
    """The first half along dim, times the sigmoid of the second half; RuntimeError for an odd length."""
    if input.dim() == 0:  # type: ignore[attr-defined]
        raise RuntimeError("glu does not support scalars because halving size must be even")
    place = wrap_dim(dim, input._data.ndim)
    length = input._data.shape[place]
    if length % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {place} is size {length}")
    return apply(primitives["glu"], input, dim)


@export(function=False, method=False, nn=True)
def softsign(input: Value) -> Value:  # noqa: A002
    """input / (1 + abs(input))."""
    return input / (input.abs() + 1)


@export(function=False, method=False, nn=True)
def tanhshrink(input: Value) -> Value:  # noqa: A002
    """input - tanh(input)."""
    return input - input.tanh()


@export(function=False, method=False, nn=True)
def gumbel_softmax(logits: Value, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Value:
    """softmax of logits with Gumbel noise; `hard` rounds to one of the classes, with the gradient of the soft one."""
    if eps != 1e-10:
        from backscope.runtime.warning import warn

        warn("`eps` parameter is deprecated and has no effect.")
    blank = torch_functions["empty_like"](logits, memory_format=torch_functions["contiguous_format"])
    noise = -blank.exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    rounded = torch_functions["zeros_like"](logits).scatter_(dim, index, 1.0)
    return rounded - soft.detach() + soft
