"""Activations: relu, leaky_relu, threshold, sigmoid, and how an activation is called."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.declaration import A, V, primitives, xp
from backscope.ops.core.elementwise import elementwise
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import argument_error, export
from backscope.ops.pointwise.arithmetic import conj, kept, like, pick
from backscope.runtime.given import Option, Value
from backscope.tensor.dtype import FLOATING, dtype
from backscope.tensor.strides import arranged
from backscope.tensor.tensor import Tensor

_SCALARS = frozenset({np.float32, np.float64})
_zeros = {np.dtype(kind): np.zeros(1 << 16, kind) for kind in (np.float32, np.float64)}


def _relu(value: A) -> A:
    zero = like(0, value)
    if value.__class__ in _SCALARS:
        return zero if value < zero else value
    # NumPy compares two arrays four times as fast as an array and a number; in this order -0 is unchanged.
    zeros = _zeros.get(value.dtype)
    if zeros is not None and 256 <= value.size <= zeros.size and value.flags.c_contiguous:
        return np.maximum(zeros[: value.size].reshape(value.shape), value)
    return np.maximum(zero, value)


def _above(value: A, threshold: Value) -> A:
    """Return a mask of the values that are above the threshold or NaN."""
    if value.__class__ in _SCALARS:
        return not value <= threshold
    return ~(value <= like(threshold, value))


def require_floating(value: A, kernel: str, *, complex_too: bool = False) -> None:
    """Raise PyTorch's NotImplementedError for integers and bools, and for complex numbers unless `complex_too`."""
    kind = dtype.table[value.dtype]
    if kind.category != FLOATING and not (complex_too and kind.is_complex):
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{kind.type_name}'")


def _leaky(value: A, slope: float) -> A:
    require_floating(value, "leaky_relu_cpu")
    return pick(value > 0, value, value * like(slope, value))


def _threshold(value: A, limit: Value, other: Value) -> A:
    if value.dtype.kind in "bc":
        raise NotImplementedError(f"\"threshold_cpu\" not implemented for '{dtype.table[value.dtype].type_name}'")
    return pick(value <= like(limit, value), like(other, value), value)


@elementwise(
    compute=_relu,
    symbol="relu",
    latex={"self": r"g \cdot [\text{result} > 0]"},
    summary={"self": "sends the incoming {g} where the saved result is positive, 0 elsewhere"},
)
class relu:
    """self where positive, else 0."""

    def forward(self: A) -> A:
        if self.dtype.kind == "b":
            raise RuntimeError("Boolean inputs not supported for relu")
        if self.dtype.kind == "c":
            raise NotImplementedError("clamp is not supported for complex types")
        return _relu(self)

    def grad_self(g: V, result: V) -> V:
        return xp.threshold_backward(g, result, 0)


@elementwise(
    exported=False,
    leading="self",
    grad_fn="ThresholdBackwardBackward0",
    symbol="relu′",
    latex={"grad_output": r"g \cdot [\text{self} > \text{threshold}]", "self": "0"},
    summary={
        "grad_output": "sends the incoming {g} where the saved {self} is above the threshold, 0 elsewhere",
        "self": "sends 0: the threshold's slope is constant almost everywhere",
    },
)
class threshold_backward:
    """The gradient of relu as an op of its own."""

    def forward(grad_output: A, self: A, threshold: Value) -> A:
        found = kept(grad_output, _above(self, threshold))
        return arranged(found, [self, grad_output]) if found.ndim > 1 else found

    def grad_grad_output(g: V, self: V, threshold: V) -> V:
        return xp.threshold_backward(g, self, threshold)

    def grad_self(g: V) -> V:
        return xp.zeros_like(g)


@elementwise(
    exported=False,
    symbol="threshold",
    latex={"self": r"g \cdot [\text{self} > \text{threshold}]"},
    summary={"self": "sends the incoming {g} where {self} is above the threshold, 0 elsewhere"},
)
class threshold:
    """self where above `threshold`, else `value`."""

    def forward(self: A, threshold: Value, value: Value) -> A:
        return _threshold(self, threshold, value)

    def grad_self(g: V, self: V, threshold: V) -> V:
        return xp.threshold_backward(g, self, threshold)


def _sigmoid(value: A) -> A:
    one = like(1, value)
    return one / (one + np.exp(-value))


@elementwise(
    result="float",
    compute=_sigmoid,
    symbol="σ",
    names=("special_expit",),
    latex={"self": r"g \cdot (1 - \text{result}) \cdot \text{result}"},
    summary={"self": "multiplies the incoming {g} by {result} × (1 − {result}), from the saved result"},
)
class sigmoid:
    """1 / (1 + exp(-self))."""

    def forward(self: A) -> A:
        return _sigmoid(wide(self)).astype(self.dtype)

    def grad_self(g: V, result: V) -> V:
        return xp.sigmoid_backward(g, result)


@elementwise(
    exported=False,
    grad_fn="SigmoidBackwardBackward0",
    symbol="σ′",
    latex={
        "grad_output": r"g \cdot (1 - \text{output}) \cdot \text{output}",
        "output": r"g \cdot \text{grad\_output} \cdot (1 - 2\, \text{output})",
    },
    summary={
        "grad_output": "multiplies the incoming {g} by {output} × (1 − {output})",
        "output": "multiplies the incoming {g} by {grad_output} × (1 − 2 × {output})",
    },
)
class sigmoid_backward:
    """The gradient of sigmoid as an op of its own."""

    def forward(grad_output: A, output: A) -> A:
        return grad_output * ((1 - conj(output)) * conj(output))

    def low(grad_output: A, output: A) -> A:
        if output.dtype == np.float16:
            return grad_output * (like(1, output) - output) * output
        return (wide(grad_output) * ((1 - wide(output)) * wide(output))).astype(output.dtype)

    def grad_grad_output(g: V, output: V) -> V:
        return xp.sigmoid_backward(g, conj(output))

    def grad_output(g: V, grad_output: V, output: V) -> V:
        return conj(g) * grad_output * (-2 * conj(output) + 1)


@elementwise(
    exported=False,
    symbol="leaky relu",
    latex={"self": r"g \cdot (\text{self} > 0\ ?\ 1 : \text{negative\_slope})"},
    summary={"self": "sends the incoming {g} where {self} is positive, times {negative_slope} elsewhere"},
)
class leaky_relu:
    """self where positive, else negative_slope * self."""

    def forward(self: A, negative_slope: float = 0.01) -> A:
        return _leaky(self, negative_slope)

    def grad_self(g: V, self: V, negative_slope: V) -> V:
        return xp.leaky_relu_backward(g, self, negative_slope)


@elementwise(
    exported=False,
    leading="self",
    grad_fn="LeakyReluBackwardBackward0",
    symbol="leaky relu′",
    latex={"grad_output": r"g \cdot (\text{self} > 0\ ?\ 1 : \text{negative\_slope})", "self": "0"},
    summary={
        "grad_output": "sends the incoming {g} where {self} is positive, times {negative_slope} elsewhere",
        "self": "sends 0: the slope is constant almost everywhere",
    },
)
class leaky_relu_backward:
    """The gradient of leaky_relu as an op of its own."""

    def forward(grad_output: A, self: A, negative_slope: float) -> A:
        found = pick(self > 0, grad_output, grad_output * like(negative_slope, self))
        return arranged(found, [self, grad_output]) if found.ndim > 1 else found

    def grad_grad_output(g: V, self: V, negative_slope: V) -> V:
        return xp.leaky_relu_backward(g, self, negative_slope)

    def grad_self(g: V) -> V:
        return xp.zeros_like(g)


@elementwise(
    exported=False,
    name="leaky_relu_in_place",
    grad_fn="LeakyReluBackward1",
    symbol="leaky relu",
    latex={"self": r"g \cdot (\text{result} > 0\ ?\ 1 : \text{negative\_slope})"},
    summary={"self": "sends the incoming {g} where the saved result is positive, times {negative_slope} elsewhere"},
)
class leaky_relu_in_place:
    """leaky_relu in place, which saves its result."""

    def forward(self: A, negative_slope: float = 0.01) -> A:
        return _leaky(self, negative_slope)

    def grad_self(g: V, result: V, negative_slope: V) -> V:
        if negative_slope < 0:
            raise RuntimeError(
                "In-place leakyReLu backward calculation is triggered with a negative slope which is not supported. "
                "This is caused by calling in-place forward function with a negative slope, please call out-of-place "
                "version instead. File an issue at https://github.com/pytorch/pytorch if you do require supporting "
                "in-place leakRelu backward calculation with negative slope"
            )
        return xp.leaky_relu_backward(g, result, negative_slope)


@elementwise(
    exported=False,
    name="threshold_in_place",
    grad_fn="ThresholdBackward1",
    symbol="threshold",
    latex={"self": r"g \cdot [\text{self} > \text{threshold}]"},
    summary={"self": "sends the incoming {g} where {self} is above the threshold, 0 elsewhere"},
)
class threshold_in_place:
    """threshold in place."""

    def forward(self: A, threshold: Value, value: Value) -> A:
        return _threshold(self, threshold, value)

    def grad_self(g: V, self: V, threshold: V) -> V:
        return xp.threshold_backward(g, self, threshold)


def activate(name: str, input: Value, inplace: bool, *given: Option, called: str = "", other: str = "") -> Value:  # noqa: A002
    """Run the activation `name`, in place or not; `other` is the op that does it in place, where it is another."""
    if not isinstance(input, Tensor):
        raise argument_error(called or name, "input", 1, input)
    if inplace:
        return primitives[other or name].call_in_place(input, *given)
    return primitives[name].call(input, *given)


@export("relu", function=False, method=False, nn=True)
def _relu_function(input: Tensor, inplace: bool = False) -> Any:  # noqa: A002
    """input where positive, else 0."""
    return activate("relu", input, inplace)


@export("relu_", function=True, method=False, nn=True)
def _relu_in_place(input: Tensor) -> Any:  # noqa: A002
    """relu in place."""
    return activate("relu", input, True, called="relu_")


@export("leaky_relu", function=False, method=False, nn=True)
def _leaky_relu_function(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Any:  # noqa: A002
    """input where positive, else negative_slope * input."""
    return activate("leaky_relu", input, inplace, negative_slope, other="leaky_relu_in_place")


@export("leaky_relu_", function=False, method=False, nn=True)
def _leaky_relu_in_place(input: Tensor, negative_slope: float = 0.01) -> Any:  # noqa: A002
    """leaky_relu in place."""
    return activate("leaky_relu", input, True, negative_slope, called="leaky_relu_", other="leaky_relu_in_place")


def _number(value: Value) -> Any:
    return value.item() if isinstance(value, Tensor) else value


@export("threshold", method=False, nn=True)
def _threshold_function(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Any:  # noqa: A002
    """input where above `threshold`, else `value`."""
    limit, other = _number(threshold), _number(value)
    return activate("threshold", input, inplace, limit, other, other="threshold_in_place")


@export("threshold_", method=False, nn=True)
def _threshold_in_place(input: Tensor, threshold: float, value: float) -> Any:  # noqa: A002
    """threshold in place."""
    return activate("threshold", input, True, _number(threshold), _number(value), other="threshold_in_place")


@export("sigmoid", function=False, method=False, nn=True)
def _sigmoid_function(input: Tensor) -> Any:  # noqa: A002
    """1 / (1 + exp(-input))."""
    return input.sigmoid()  # type: ignore[attr-defined]


@export("tanh", function=False, method=False, nn=True)
def _tanh(input: Tensor) -> Any:  # noqa: A002
    """The hyperbolic tangent."""
    return input.tanh()  # type: ignore[attr-defined]
