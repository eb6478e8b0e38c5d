"""Activations of single elements: relu and its relatives, sigmoid, silu, softplus."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.arithmetic import conj, like, pick
from backscope.ops.declaration import A, V, primitives, xp
from backscope.ops.elementwise import elementwise
from backscope.ops.namespace import export, functional, torch_functions
from backscope.tensor import Tensor

_zeros: dict[Any, Any] = {np.float32: np.float32(0), np.float64: np.float64(0)}


def _relu(value: A) -> A:
    zero = _zeros.get(value.dtype.type)
    return np.maximum(value, like(0, value) if zero is None else zero)


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
        return _relu(self)

    def grad_self(g: V, result: V) -> V:
        return xp.threshold_backward(g, result, 0)


@elementwise(
    exported=False,
    grad_fn="ThresholdBackwardBackward0",
    symbol="relu′",
    latex={"grad_output": r"g \cdot [\text{self} > t]", "self": "0"},
    summary={
        "grad_output": "sends the incoming {g} where the saved {self} is above the threshold, 0 elsewhere",
        "self": "sends 0: the threshold's slope is constant almost everywhere",
    },
)
class threshold_backward:
    """The gradient of relu as an op of its own."""

    def forward(grad_output: A, self: A, threshold: Any) -> A:
        return grad_output * (self > threshold)

    def grad_grad_output(g: V, self: V, threshold: V) -> V:
        return xp.threshold_backward(g, self, threshold)

    def grad_self(g: V) -> V:
        return xp.zeros_like(g)


@elementwise(
    exported=False,
    symbol="threshold",
    latex={"self": r"g \cdot [\text{self} > t]"},
    summary={"self": "sends the incoming {g} where {self} is above the threshold, 0 elsewhere"},
)
class threshold:
    """self where above `threshold`, else `value`."""

    def forward(self: A, threshold: Any, value: Any) -> A:
        return pick(self <= threshold, like(value, self), self)

    def grad_self(g: V, self: V, threshold: V) -> V:
        return xp.threshold_backward(g, self, threshold)


@elementwise(
    result="float",
    symbol="σ",
    names=("special_expit",),
    latex={"self": r"g \cdot (1 - \text{result}) \cdot \text{result}"},
    summary={"self": "multiplies the incoming {g} by {result} × (1 − {result}), from the saved result"},
)
class sigmoid:
    """1 / (1 + exp(-self))."""

    def forward(self: A) -> A:
        one = like(1, self)
        return one / (one + np.exp(-self))

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
        if output.dtype.kind == "c":
            output = output.conj()
        return grad_output * ((1 - output) * output)

    def grad_grad_output(g: V, output: V) -> V:
        return xp.sigmoid_backward(g, conj(output))

    def grad_output(g: V, grad_output: V, output: V) -> V:
        return conj(g) * grad_output * (-2 * conj(output) + 1)


@elementwise(
    exported=False,
    symbol="leaky relu",
    latex={"self": r"g \cdot (\text{self} > 0\ ?\ 1 : s)"},
    summary={"self": "sends the incoming {g} where {self} is positive, times {negative_slope} elsewhere"},
)
class leaky_relu:
    """self where positive, else negative_slope * self."""

    def forward(self: A, negative_slope: float = 0.01) -> A:
        return pick(self > 0, self, self * like(negative_slope, self))

    def grad_self(g: V, self: V, negative_slope: V) -> V:
        return xp.leaky_relu_backward(g, self, negative_slope)


@elementwise(
    exported=False,
    grad_fn="LeakyReluBackwardBackward0",
    symbol="leaky relu′",
    latex={"grad_output": r"g \cdot (\text{self} > 0\ ?\ 1 : s)", "self": "0"},
    summary={
        "grad_output": "sends the incoming {g} where {self} is positive, times {negative_slope} elsewhere",
        "self": "sends 0: the slope is constant almost everywhere",
    },
)
class leaky_relu_backward:
    """The gradient of leaky_relu as an op of its own."""

    def forward(grad_output: A, self: A, negative_slope: float) -> A:
        return pick(self > 0, grad_output, grad_output * like(negative_slope, self))

    def grad_grad_output(g: V, self: V, negative_slope: V) -> V:
        return xp.leaky_relu_backward(g, self, negative_slope)

    def grad_self(g: V) -> V:
        return xp.zeros_like(g)


@elementwise(
    exported=False,
    symbol="silu",
    latex={"self": r"g \cdot \sigma (1 + \text{self} (1 - \sigma))"},
    summary={"self": "multiplies the incoming {g} by σ × (1 + {self} × (1 − σ)), σ the sigmoid of {self}"},
)
class silu:
    """self * sigmoid(self)."""

    def forward(self: A) -> A:
        return self / (like(1, self) + np.exp(-self))

    def grad_self(g: V, self: V) -> V:
        s = xp.sigmoid(self)
        return g * conj(s * (1 + self * (1 - s)))


@elementwise(
    exported=False,
    symbol="softplus",
    latex={"self": r"g \cdot \sigma(\beta\, \text{self})"},
    summary={"self": "multiplies the incoming {g} by the sigmoid of {beta} × {self}"},
)
class softplus:
    """log(1 + exp(beta * self)) / beta, linear above `threshold`."""

    def forward(self: A, beta: float = 1, threshold: float = 20) -> A:
        scaled = self * like(beta, self)
        return np.where(scaled > threshold, self, np.log1p(np.exp(scaled)) / like(beta, self)).astype(self.dtype)[()]

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
        scaled = self * like(beta, self)
        slope = 1 / (1 + np.exp(-scaled))
        return np.where(scaled > threshold, grad_output, grad_output * slope).astype(self.dtype)[()]

    def grad_grad_output(g: V, self: V, beta: V, threshold: V) -> V:
        return xp.softplus_backward(g, self, beta, threshold)

    def grad_self(g: V, grad_output: V, self: V, beta: V, threshold: V) -> V:
        scaled = self * beta
        slope = xp.sigmoid(scaled)
        return xp.where(scaled > threshold, 0, g * grad_output * (slope * (1 - slope) * beta))


@elementwise(
    exported=False,
    symbol="elu",
    latex={"self": r"g \cdot (\text{self} > 0\ ?\ 1 : \alpha\, e^{\text{self}})"},
    summary={"self": "sends the incoming {g} where {self} is positive, times {alpha} × exp({self}) elsewhere"},
)
class elu:
    """scale * self where positive, else scale * alpha * (exp(self * input_scale) - 1)."""

    def forward(self: A, alpha: float = 1.0, scale: float = 1, input_scale: float = 1) -> A:
        low = np.expm1(self * like(input_scale, self)) * like(alpha, self)
        return pick(self > 0, self, low) * like(scale, self)

    def grad_self(g: V, self: V, alpha: V, scale: V, input_scale: V) -> V:
        slope = xp.exp(self * input_scale) * (alpha * scale * input_scale)
        return xp.where(self > 0, g * scale, g * slope)


@elementwise(
    exported=False,
    symbol="hardtanh",
    latex={"self": r"g \cdot [a < \text{self} < b]"},
    summary={"self": "sends the incoming {g} where {self} is between {min_val} and {max_val}, 0 elsewhere"},
)
class hardtanh:
    """self limited to min_val and max_val; no gradient at the bounds."""

    def forward(self: A, min_val: float = -1.0, max_val: float = 1.0) -> A:
        return np.minimum(np.maximum(self, like(min_val, self)), like(max_val, self))

    def grad_self(g: V, self: V, min_val: V, max_val: V) -> V:
        return xp.hardtanh_backward(g, self, min_val, max_val)


@elementwise(
    exported=False,
    grad_fn="HardtanhBackwardBackward0",
    symbol="hardtanh′",
    latex={"grad_output": r"g \cdot [a < \text{self} < b]", "self": "0"},
    summary={
        "grad_output": "sends the incoming {g} where {self} is between {min_val} and {max_val}, 0 elsewhere",
        "self": "sends 0: the slope is constant almost everywhere",
    },
)
class hardtanh_backward:
    """The gradient of hardtanh as an op of its own."""

    def forward(grad_output: A, self: A, min_val: float, max_val: float) -> A:
        return pick((self > min_val) & (self < max_val), grad_output, like(0, grad_output))

    def grad_grad_output(g: V, self: V, min_val: V, max_val: V) -> V:
        return xp.hardtanh_backward(g, self, min_val, max_val)

    def grad_self(g: V) -> V:
        return xp.zeros_like(g)


def _publish(name: str, *parameters: tuple[str, Any], fixed: tuple[Any, ...] | None = None, of: str = "") -> None:
    """`torch.nn.functional.NAME(input, ..., inplace)` and, with a trailing underscore, the same in place."""
    op = primitives[of or name]

    def bind(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], bool]:
        values = dict(zip([p for p, _ in parameters] + ["inplace"], args, strict=False)) | kwargs
        extra = [values.pop(p, default) for p, default in parameters]
        inplace = bool(values.pop("inplace", False))
        if values:
            raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(values))}'")
        given = [*extra, *(fixed or ())]
        rest = op.parameters[1 + len(given) :]
        return given + [op.defaults[p] for p in rest], inplace

    def activation(input: Tensor, *args: Any, **kwargs: Any) -> Any:  # noqa: A002
        extra, inplace = bind(args, kwargs)
        return op.call_in_place(input, *extra) if inplace else op.call(input, *extra)

    def in_place(input: Tensor, *args: Any, **kwargs: Any) -> Any:  # noqa: A002
        return op.call_in_place(input, *bind(args, kwargs)[0])

    activation.__name__ = activation.__qualname__ = name
    activation.__doc__ = f"The activation {name}; see the op catalogue."
    in_place.__doc__ = f"The activation {name}, in place."
    functional[name] = activation
    functional[name + "_"] = in_place


_publish("relu")
_publish("silu")
_publish("leaky_relu", ("negative_slope", 0.01))
_publish("softplus", ("beta", 1), ("threshold", 20))
_publish("threshold", ("threshold", None), ("value", None))
_publish("elu", ("alpha", 1.0))
_publish("hardtanh", ("min_val", -1.0), ("max_val", 1.0))
_publish("relu6", fixed=(0, 6), of="hardtanh")
export("threshold", method=False)(functional["threshold"])
functional["sigmoid"] = torch_functions["sigmoid"]
