"""Arithmetic of a tensor and a number within formulas: ops that save no tensor, with nodes of their own in PyTorch.

A program's `x * 2` is an op of two tensors to PyTorch, `MulBackward0`; a formula's is one of a tensor and a number,
`MulBackward1`.
"""

from __future__ import annotations

import numpy as np

from backscope.autograd.transforms.absent import Absent
from backscope.ops.core.declaration import A, V, primitives as p
from backscope.ops.core.elementwise import elementwise
from backscope.ops.pointwise.arithmetic import conj
from backscope.runtime.given import Value
from backscope.tensor.tensor import make


@elementwise(
    grad_fn="MulBackward1",
    exported=False,
    symbol="×",
    latex={"self": r"g \cdot \text{other}"},
    summary={"self": "multiplies the incoming {g} by the number {other}"},
)
class mul_scalar:
    """self * other, a number."""

    def forward(self: A, other: Value) -> A:
        return self * other

    def grad_self(g: V, other: V) -> V:
        return g * conj(other)


@elementwise(
    grad_fn="DivBackward1",
    exported=False,
    symbol="÷",
    latex={"self": r"\frac{g}{\text{other}}"},
    summary={"self": "divides the incoming {g} by the number {other}"},
)
class div_scalar:
    """self / other, a number."""

    def forward(self: A, other: Value) -> A:
        return self / other

    def grad_self(g: V, other: V) -> V:
        return g / conj(other)


@elementwise(
    grad_fn="AddBackward1",
    exported=False,
    symbol="+",
    latex={"self": "g"},
    summary={"self": "passes the incoming {g} on to {self}"},
)
class add_scalar:
    """self + other, a number."""

    def forward(self: A, other: Value) -> A:
        return self + other

    def grad_self(g: V) -> V:
        return g


@elementwise(
    grad_fn="SubBackward1",
    exported=False,
    symbol="−",
    latex={"self": "g"},
    summary={"self": "passes the incoming {g} on to {self}"},
)
class sub_scalar:
    """self - other, a number."""

    def forward(self: A, other: Value) -> A:
        return self - other

    def grad_self(g: V) -> V:
        return g


def filled(like: Value, number: Value) -> Value:
    """Return a tensor of the shape and type of another, filled with one number."""
    data = like._data
    if isinstance(data, Absent):
        return make(np.full(data.shape, number, data.dtype)[()], like._dtype)
    return make(np.full_like(data, number)[()], like._dtype)


def number_minus(number: Value, tensor: Value) -> Value:
    """number - tensor, as formulas record it."""
    return p["sub"].call(filled(tensor, number), tensor)


def number_over(number: Value, tensor: Value) -> Value:
    """number / tensor, as formulas record it."""
    return p["div"].call(filled(tensor, number), tensor)
