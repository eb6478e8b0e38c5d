"""Activations: relu, sigmoid, leaky_relu, silu, softplus, and softmax in both forms."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.dtype import dtype
from backscope.ops.declaration import A, V, op, xp
from backscope.ops.dispatch import apply
from backscope.ops.elementwise import elementwise
from backscope.ops.namespace import export
from backscope.tensor import Tensor


@elementwise(symbol="relu", latex={"self": r"g \cdot [\text{result} > 0]"}, summary={"self": "sends the incoming {g} where the saved result is positive, 0 elsewhere"})
class relu:
    """self where positive, else 0."""

    def forward(self: A) -> A:
        return np.maximum(self, self.dtype.type(0))

    def grad_self(g: V, result: V) -> V:
        return g * (result > 0)


@elementwise(result="float", symbol="σ", latex={"self": r"g \cdot (1 - \text{result}) \cdot \text{result}"},
             summary={"self": "multiplies the incoming {g} by {result} × (1 − {result}), from the saved result"})  # fmt: skip
class sigmoid:
    """1 / (1 + exp(-self))."""

    def forward(self: A) -> A:
        one = np.asarray(1, self.dtype)[()]
        return one / (one + np.exp(-self))

    def grad_self(g: V, result: V) -> V:
        return g * (1 - result) * result


@elementwise(symbol="leaky relu", inplace=False, latex={"self": r"g \cdot (\text{self} > 0\ ?\ 1 : \text{slope})"},
             summary={"self": "sends the incoming {g} where {self} is positive, times the slope elsewhere"})  # fmt: skip
class leaky_relu:
    """self where positive, else negative_slope * self."""

    def forward(self: A, negative_slope: float = 0.01) -> A:
        return np.where(self > 0, self, self * self.dtype.type(negative_slope))[()]

    def grad_self(g: V, self: V, negative_slope: V) -> V:
        return xp.where(self > 0, g, g * negative_slope)


@elementwise(symbol="silu", latex={"self": r"g \cdot \sigma (1 + \text{self} (1 - \sigma))"}, summary={"self": "multiplies the incoming {g} by σ × (1 + {self} × (1 − σ))"})
class silu:
    """self * sigmoid(self)."""

    def forward(self: A) -> A:
        one = np.asarray(1, self.dtype)[()]
        return self / (one + np.exp(-self))

    def grad_self(g: V, self: V) -> V:
        s = xp.sigmoid(self)
        return g * s * (1 + self * (1 - s))


@elementwise(symbol="softplus", inplace=False, latex={"self": r"g \cdot \sigma(\beta\, \text{self})"}, summary={"self": "multiplies the incoming {g} by the sigmoid of {self}"})
class softplus:
    """log(1 + exp(beta * self)) / beta, linear above `threshold`."""

    def forward(self: A, beta: float = 1.0, threshold: float = 20.0) -> A:
        scaled = self * self.dtype.type(beta)
        return np.where(scaled > threshold, self, np.log1p(np.exp(scaled)) / self.dtype.type(beta)).astype(self.dtype)[()]

    def grad_self(g: V, self: V, beta: V, threshold: V) -> V:
        scaled = self * beta
        return xp.where(scaled > threshold, g, g * xp.sigmoid(scaled))


@op(symbol="softmax", latex={"self": r"\text{result} \cdot (g - \textstyle\sum g \cdot \text{result})"},
    summary={"self": "multiplies each entry of the saved result by g minus the weighted sum of g along dim {dim}"})  # fmt: skip
class softmax:
    """exp(self) normalised to sum 1 along `dim`."""

    def forward(self: A, dim: int) -> A:
        if not self.ndim:
            return self - self + self.dtype.type(1)
        e = np.exp(self - self.max(axis=dim, keepdims=True))
        return e / e.sum(axis=dim, keepdims=True)

    def grad_self(g: V, result: V, dim: V) -> V:
        weighted = g * result
        return weighted - result * xp.sum(weighted, dim, True)


@op(symbol="log softmax", name="log_softmax", latex={"self": r"g - e^{\text{result}} \textstyle\sum g"},
    summary={"self": "subtracts from g the sum of g along dim {dim} times exp of the saved result"})  # fmt: skip
class log_softmax:
    """log(softmax(self)) along `dim`."""

    def forward(self: A, dim: int) -> A:
        if not self.ndim:
            return self - self
        shifted = self - self.max(axis=dim, keepdims=True)
        return shifted - np.log(np.exp(shifted).sum(axis=dim, keepdims=True))

    def grad_self(g: V, result: V, dim: V) -> V:
        return g - xp.exp(result) * xp.sum(g, dim, True)


def _normalised(which: Any, self: Tensor, dim: int | None, kind: dtype | None) -> Any:
    from backscope.ops.shape import wrap_dim

    if kind is not None:
        self = self.to(kind)  # type: ignore[attr-defined]
    if dim is None:
        dim = 0 if self._data.ndim in (0, 1, 3) else 1
    if self._dtype.category < 2:
        raise NotImplementedError(f'"{which.name}_lastdim_kernel_impl" not implemented for \'{self._dtype.type_name}\'')
    wrap_dim(dim, self._data.ndim)
    return apply(which, self, dim)


@export("softmax", nn=True)
def _softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None) -> Tensor:  # noqa: A002
    """exp(input) normalised to sum 1 along `dim`; IndexError for a dim out of range."""
    found: Tensor = _normalised(softmax, input, dim, dtype)
    return found


@export("log_softmax", nn=True)
def _log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None) -> Tensor:  # noqa: A002
    """log(softmax(input)) along `dim`, computed without overflow."""
    found: Tensor = _normalised(log_softmax, input, dim, dtype)
    return found
