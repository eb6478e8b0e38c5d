"""Activations made of straight pieces: hardtanh, relu6, hardsigmoid, hardswish, hardshrink, softshrink."""

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
from backscope.tensor.dtype import uint8
from backscope.tensor.tensor import Tensor


def _hardtanh(value: A, min_val: float, max_val: float) -> A:
    return np.minimum(like(max_val, value), np.maximum(like(min_val, value), value))


@elementwise(
    exported=False,
    compute=_hardtanh,
    symbol="hardtanh",
    latex={"self": r"g \cdot [\text{min\_val} < \text{self} < \text{max\_val}]"},
    summary={"self": "sends the incoming {g} where {self} is between {min_val} and {max_val}, 0 elsewhere"},
)
class hardtanh:
    """self limited to min_val and max_val; no gradient at the bounds."""

    def forward(self: A, min_val: float = -1.0, max_val: float = 1.0) -> A:
        if self.dtype.kind == "b":
            raise RuntimeError("Bool inputs not supported for hardtanh")
        if self.dtype.kind == "c":
            raise NotImplementedError("clamp is not supported for complex types")
        return _hardtanh(self, min_val, max_val)

    def grad_self(g: V, self: V, min_val: V, max_val: V) -> V:
        return xp.hardtanh_backward(g, self, min_val, max_val)


@elementwise(
    exported=False,
    grad_fn="HardtanhBackwardBackward0",
    symbol="hardtanh′",
    latex={"grad_output": r"g \cdot [\text{min\_val} < \text{self} < \text{max\_val}]", "self": "0"},
    summary={
        "grad_output": "sends the incoming {g} where {self} is between {min_val} and {max_val}, 0 elsewhere",
        "self": "sends 0: the slope is constant almost everywhere",
    },
)
class hardtanh_backward:
    """The gradient of hardtanh as an op of its own."""

    def forward(grad_output: A, self: A, min_val: float, max_val: float) -> A:
        return pick((self <= min_val) | (self >= max_val), like(0, grad_output), grad_output)

    def grad_grad_output(g: V, self: V, min_val: V, max_val: V) -> V:
        return xp.hardtanh_backward(g, self, min_val, max_val)

    def grad_self(g: V) -> V:
        return xp.zeros_like(g)


def _hardsigmoid(value: A) -> A:
    return np.minimum(np.maximum(value + like(3, value), like(0, value)), like(6, value)) / like(6, value)


@elementwise(
    exported=False,
    compute=_hardsigmoid,
    symbol="hardsigmoid",
    latex={"self": r"\frac{g}{6} \cdot [-3 < \text{self} < 3]"},
    summary={"self": "sends a sixth of the incoming {g} where {self} is between −3 and 3, 0 elsewhere"},
)
class hardsigmoid:
    """self / 6 + 1/2 limited to 0 and 1."""

    def forward(self: A) -> A:
        require_floating(self, "hardsigmoid_cpu")
        return _hardsigmoid(wide(self)).astype(self.dtype)

    def grad_self(g: V, self: V) -> V:
        return xp.hardsigmoid_backward(g, self)


_SIXTH = float(np.float32(1 / 6))
"""PyTorch's constant is in single precision whatever the dtype."""


def _not_implemented() -> RuntimeError:
    return RuntimeError("derivative for aten::hardsigmoid_backward is not implemented")


@elementwise(
    exported=False,
    grad_fn="NotImplemented",
    symbol="hardsigmoid′",
    latex={"grad_output": r"\text{not implemented}", "self": r"\text{not implemented}"},
    summary={
        "grad_output": "raises an error: PyTorch has no derivative for this op",
        "self": "raises an error: PyTorch has no derivative for this op",
    },
)
class hardsigmoid_backward:
    """The gradient of hardsigmoid as an op of its own, which has none."""

    def forward(grad_output: A, self: A) -> A:
        return pick((self > -3) & (self < 3), grad_output * like(_SIXTH, grad_output), like(0, grad_output))

    def grad_grad_output(g: V) -> V:
        raise _not_implemented()

    def grad_self(g: V) -> V:
        raise _not_implemented()


def _hardswish(value: A) -> A:
    return value * np.minimum(np.maximum(value + like(3, value), like(0, value)), like(6, value)) / like(6, value)


@elementwise(
    exported=False,
    compute=_hardswish,
    symbol="hardswish",
    latex={"self": r"g \cdot (\text{self} \le -3\ ?\ 0 : \text{self} < 3\ ?\ \text{self} / 3 + 1/2 : 1)"},
    summary={"self": "multiplies the incoming {g} by {self} / 3 + ½ between −3 and 3, by 0 below and 1 above"},
)
class hardswish:
    """self * hardsigmoid(self)."""

    def forward(self: A) -> A:
        require_floating(self, "hardswish_cpu")
        return _hardswish(wide(self)).astype(self.dtype)

    def grad_self(g: V, self: V) -> V:
        return xp.hardswish_backward(g, self)


@elementwise(
    exported=False,
    grad_fn="HardswishBackwardBackward0",
    symbol="hardswish′",
    latex={
        "grad_output": r"g \cdot (\text{self} \le -3\ ?\ 0 : \text{self} < 3\ ?\ \text{self} / 3 + 1/2 : 1)",
        "self": r"g \cdot \text{grad\_output} / 3 \cdot [-3 < \text{self} < 3]",
    },
    summary={
        "grad_output": "multiplies the incoming {g} by {self} / 3 + ½ between −3 and 3, by 0 below and 1 above",
        "self": "sends a third of {g} × {grad_output} where {self} is between −3 and 3, 0 elsewhere",
    },
)
class hardswish_backward:
    """The gradient of hardswish as an op of its own."""

    def forward(grad_output: A, self: A) -> A:
        value = wide(self)
        slope = np.where(value < 3, value / like(3, value) + like(0.5, value), 1)
        return np.where(value <= -3, 0, grad_output * slope).astype(self.dtype)[()]

    def grad_grad_output(g: V, self: V) -> V:
        return xp.hardswish_backward(g, self)

    def grad_self(g: V, grad_output: V, self: V) -> V:
        return xp.where(xp.logical_and(self > -3, self < 3), g * grad_output / 3, xp.zeros_like(g))


def _hardshrink(value: A, lambd: float) -> A:
    return pick((value >= -lambd) & (value <= lambd), like(0, value), value)


@elementwise(
    exported=False,
    compute=_hardshrink,
    symbol="hardshrink",
    latex={"self": r"g \cdot [|\text{self}| > \text{lambd}]"},
    summary={"self": "sends the incoming {g} where {self} is further than {lambd} from 0, 0 elsewhere"},
)
class hardshrink:
    """self where it is further than lambd from 0, else 0."""

    def forward(self: A, lambd: float = 0.5) -> A:
        require_floating(self, "hardshrink_cpu")
        return _hardshrink(self, lambd)

    def grad_self(g: V, self: V, lambd: V) -> V:
        return xp.hardshrink_backward(g, self, lambd)


def _softshrink(value: A, lambd: float) -> A:
    step = like(lambd, value)
    return pick(value > step, value - step, pick(value < -step, value + step, value * like(0, value)))


@elementwise(
    exported=False,
    compute=_softshrink,
    symbol="softshrink",
    latex={"self": r"g \cdot [|\text{self}| > \text{lambd}]"},
    summary={"self": "sends the incoming {g} where {self} is further than {lambd} from 0, 0 elsewhere"},
)
class softshrink:
    """self brought nearer to 0 by lambd, at most to 0."""

    def forward(self: A, lambd: float = 0.5) -> A:
        require_floating(self, "softshrink_check")
        return _softshrink(self, lambd)

    def grad_self(g: V, self: V, lambd: V) -> V:
        return xp.softshrink_backward(g, self, lambd)


def _shrink_backward(name: str, grad_fn: str) -> None:
    """Declare the gradient of hardshrink or softshrink."""

    @elementwise(
        exported=False,
        name=name,
        grad_fn=grad_fn,
        symbol="shrink′",
        latex={"grad_output": r"g \cdot [|\text{self}| > \text{lambd}]", "self": "0"},
        summary={
            "grad_output": "sends the incoming {g} where {self} is further than {lambd} from 0, 0 elsewhere",
            "self": "sends 0: the slope is constant almost everywhere",
        },
    )
    class shrink_backward:
        def forward(grad_output: A, self: A, lambd: float) -> A:
            return pick((self >= -lambd) & (self <= lambd), like(0, grad_output), grad_output)

        def grad_grad_output(g: V, self: V, lambd: V) -> V:
            return getattr(xp, name)(g, self, lambd)

        def grad_self(g: V) -> V:
            return xp.zeros_like(g)


_shrink_backward("hardshrink_backward", "HardshrinkBackwardBackward0")
_shrink_backward("softshrink_backward", "SoftshrinkBackwardBackward0")


@export("hardtanh", function=False, method=False, nn=True)
def _hardtanh_function(
    input: Tensor,  # noqa: A002
    min_val: float = -1.0,
    max_val: float = 1.0,
    inplace: bool = False,
) -> Any:
    """input limited to two bounds; ValueError where the lower one is above the upper one."""
    if input._dtype is uint8 and min_val < 0:
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return activate("hardtanh", input, inplace, min_val, max_val)


@export("hardtanh_", function=False, method=False, nn=True)
def _hardtanh_in_place(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Any:  # noqa: A002
    """hardtanh in place."""
    return activate("hardtanh", input, True, min_val, max_val, called="hardtanh_")


@export(function=False, method=False, nn=True)
def relu6(input: Tensor, inplace: bool = False) -> Value:  # noqa: A002
    """input limited to 0 and 6."""
    return activate("hardtanh", input, inplace, 0, 6, called="relu6")


@export("hardsigmoid", function=False, method=False, nn=True)
def _hardsigmoid_function(input: Tensor, inplace: bool = False) -> Any:  # noqa: A002
    """input / 6 + 1/2 limited to 0 and 1."""
    return activate("hardsigmoid", input, inplace)


@export("hardswish", function=False, method=False, nn=True)
def _hardswish_function(input: Tensor, inplace: bool = False) -> Any:  # noqa: A002
    """input * hardsigmoid(input)."""
    return activate("hardswish", input, inplace)


@export("hardshrink", nn=True)
def _hardshrink_function(input: Tensor, lambd: float = 0.5) -> Any:  # noqa: A002
    """input where it is further than lambd from 0, else 0."""
    return activate("hardshrink", input, False, lambd)


@export("softshrink", function=False, method=False, nn=True)
def _softshrink_function(input: Tensor, lambd: float = 0.5) -> Any:  # noqa: A002
    """input brought nearer to 0 by lambd, at most to 0; RuntimeError for a negative lambd."""
    if isinstance(input, Tensor):
        require_floating(np.asarray(input._data), "softshrink_check")
        most = float(np.finfo(input._dtype.np).max) if input._dtype.name != "bfloat16" else 3.38953e38
        if not 0 <= lambd <= most:
            raise RuntimeError(
                f"lambda must be in range [0, {most:g}] for input dtype {input._dtype.type_name}, but found {lambd:g}"
            )
    return activate("softshrink", input, False, lambd)
