"""Elementwise combinations of three: addcmul, addcdiv, lerp."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.ops.core.arguments.signatures import check
from backscope.ops.core.declaration import A, V, primitives
from backscope.ops.core.elementwise import elementwise
from backscope.ops.core.namespace import export
from backscope.ops.pointwise.arithmetic import conj, like
from backscope.runtime.given import Value
from backscope.tensor.dtype import LOW_PRECISION, cast, dtype
from backscope.tensor.tensor import Tensor


@elementwise(
    symbol="+ ×",
    latex={
        "self": "g",
        "tensor1": r"g \cdot \text{value} \cdot \text{tensor2}",
        "tensor2": r"g \cdot \text{value} \cdot \text{tensor1}",
    },
    summary={
        "self": "passes the incoming {g} on to {self}",
        "tensor1": "multiplies the incoming {g} by {value} × the saved {tensor2}",
        "tensor2": "multiplies the incoming {g} by {value} × the saved {tensor1}",
    },
)
class addcmul:
    """self + value * tensor1 * tensor2."""

    def forward(self: A, tensor1: A, tensor2: A, value: Value = 1) -> A:
        return _precisely(lambda a, b, c: a + like(value, a) * b * c, self, tensor1, tensor2)

    def into(out: A, tensor1: A, tensor2: A, value: Value = 1) -> None:
        part = tensor1 if value == 1 else tensor1 * value
        out += part * tensor2

    def grad_self(g: V) -> V:
        return g

    def grad_tensor1(g: V, tensor2: V, value: V) -> V:
        return g * conj(tensor2 * value)

    def grad_tensor2(g: V, tensor1: V, value: V) -> V:
        return g * conj(tensor1 * value)


@elementwise(
    symbol="+ ÷",
    latex={
        "self": "g",
        "tensor1": r"g \cdot \frac{\text{value}}{\text{tensor2}}",
        "tensor2": r"-g \cdot \text{value} \cdot \frac{\text{tensor1}}{\text{tensor2}^2}",
    },
    summary={
        "self": "passes the incoming {g} on to {self}",
        "tensor1": "multiplies the incoming {g} by {value} / {tensor2}",
        "tensor2": "multiplies the incoming {g} by −{value} × {tensor1} / {tensor2}²",
    },
)
class addcdiv:
    """self + value * tensor1 / tensor2."""

    def forward(self: A, tensor1: A, tensor2: A, value: Value = 1) -> A:
        return _precisely(lambda a, b, c: a + like(value, a) * b / c, self, tensor1, tensor2)

    def into(out: A, tensor1: A, tensor2: A, value: Value = 1) -> None:
        part = tensor1 * value
        part /= tensor2
        out += part

    def grad_self(g: V) -> V:
        return g

    def grad_tensor1(g: V, tensor2: V, value: V) -> V:
        return g * conj(value / tensor2)

    def grad_tensor2(g: V, tensor1: V, tensor2: V, value: V) -> V:
        return -g * conj(value * tensor1 / (tensor2 * tensor2))


@elementwise(
    grad_fn="LerpBackward1",
    exported=False,
    symbol="lerp",
    latex={
        "self": r"g \cdot (1 - \text{weight})",
        "end": r"g \cdot \text{weight}",
        "weight": r"g \cdot (\text{end} - \text{self})",
    },
    summary={
        "self": "multiplies the incoming {g} by 1 − {weight}",
        "end": "multiplies the incoming {g} by {weight}",
        "weight": "multiplies the incoming {g} by {end} − {self}",
    },
)
class lerp:
    """self + weight * (end - self)."""

    def forward(self: A, end: A, weight: A) -> A:
        return _precisely(_between, self, end, weight)

    def grad_self(g: V, weight: V) -> V:
        return g * conj(1 - weight)

    def grad_end(g: V, weight: V) -> V:
        return g * conj(weight)

    def grad_weight(g: V, self: V, end: V) -> V:
        return g * conj(end - self)


@elementwise(
    name="lerp_number",
    grad_fn="LerpBackward0",
    exported=False,
    symbol="lerp",
    latex={"self": r"g \cdot (1 - \text{weight})", "end": r"g \cdot \text{weight}"},
    summary={
        "self": "multiplies the incoming {g} by 1 − {weight}",
        "end": "multiplies the incoming {g} by {weight}",
    },
)
class lerp_number:
    """self + weight * (end - self) for a number as weight."""

    def forward(self: A, end: A, weight: Value) -> A:
        return _precisely(_between, self, end, like(weight, self))

    def into(out: A, end: A, weight: Value) -> None:
        weight = like(weight, out)
        way = end - out
        if abs(weight) < 0.5:
            way *= weight
            out += way
        else:
            way *= 1 - weight
            np.subtract(end, way, out=out)

    def grad_self(g: V, weight: V) -> V:
        return g * conj(1 - weight)

    def grad_end(g: V, weight: V) -> V:
        return g * conj(weight)


def _precisely(function: Callable[..., A], *values: A) -> A:
    """Wrap a function of several values to compute in float32 for less precise ones, as PyTorch's kernels do."""
    kind = dtype.table[values[0].dtype]
    if kind not in LOW_PRECISION:
        return function(*values)
    return cast(function(*[v.astype(np.float32) for v in values]), kind)


def _between(start: A, end: A, weight: A) -> A:
    if not weight.ndim:
        return start + weight * (end - start) if abs(weight) < 0.5 else end - (end - start) * (1 - weight)
    return np.where(np.abs(weight) < 0.5, start + weight * (end - start), end - (end - start) * (1 - weight)).astype(
        start.dtype
    )[()]


@export("lerp")
def _lerp(input: Tensor, end: Value, weight: Value) -> Any:  # noqa: A002
    """input + weight * (end - input)."""
    if not isinstance(end, Tensor):
        check("torch", "lerp", (input, end, weight), {})
    return primitives["lerp" if isinstance(weight, Tensor) else "lerp_number"].slow(input, end, weight)


@export("lerp_", function=False)
def _lerp_in_place(self: Tensor, end: Tensor, weight: Value) -> Any:
    """self + weight * (end - self), in place."""
    return primitives["lerp" if isinstance(weight, Tensor) else "lerp_number"].call_in_place(self, end, weight)
