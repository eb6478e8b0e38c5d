"""Losses of differences: squared, absolute, and quadratic near 0 but linear beyond."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.evaluation import composed
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import argument_error, export
from backscope.ops.loss.reducing_loss import (
    broadcast,
    check_weight,
    reduce_tensor,
    reduced,
    reduction_name,
    reduction_number,
    share,
    weighed,
)
from backscope.ops.pointwise.arithmetic import like
from backscope.runtime.given import Option, Value
from backscope.tensor.dtype import bfloat16, dtype, float16, promote_types
from backscope.tensor.tensor import Tensor


@op(
    symbol="mse",
    latex={
        "self": r"\frac{2\, g\, (\text{self} - \text{target})}{n}",
        "target": r"-\frac{2\, g\, (\text{self} - \text{target})}{n}",
    },
    summary={
        "self": "multiplies the incoming {g} by 2 × ({self} − {target}) / n",
        "target": "multiplies the incoming {g} by −2 × ({self} − {target}) / n",
    },
)
class mse_loss:
    """The squared difference, reduced."""

    def forward(self: A, target: A, reduction: int) -> A:
        difference = self - target
        return reduced(difference * difference, reduction)

    def grad_self(g: V, self: V, target: V, reduction: V) -> V:
        return xp.mse_loss_backward(g, self, target, reduction)

    def grad_target(g: V, self: V, target: V, reduction: V) -> V:
        return xp.mse_loss_backward(g, target, self, reduction)


@op(
    grad_fn="MseLossBackwardBackward0",
    symbol="mse′",
    latex={
        "grad_output": r"\frac{2}{n} \textstyle\sum g\, (\text{self} - \text{target})",
        "self": r"\frac{2}{n}\, g \cdot \text{grad\_output}",
        "target": r"-\frac{2}{n}\, g \cdot \text{grad\_output}",
    },
    summary={
        "grad_output": "sums the incoming gradient times 2 × ({self} − {target}) / n",
        "self": "multiplies the incoming gradient by 2 × {grad_output} / n",
        "target": "multiplies the incoming gradient by −2 × {grad_output} / n",
    },
)
class mse_loss_backward:
    """The gradient of mse_loss as an op of its own."""

    def forward(grad_output: A, self: A, target: A, reduction: int) -> A:
        return (self - target) * like(2 * share(self.shape, reduction), self) * grad_output

    def grad_grad_output(g: V, self: V, target: V, reduction: V, grad_output_shape: V) -> V:
        return xp.sum_to_size(xp.mse_loss_backward(g, self, target, reduction), grad_output_shape)

    def grad_self(g: V, grad_output: V, reduction: V, self_shape: V) -> V:
        return g * grad_output * (2 * share(self_shape, reduction))

    def grad_target(g: V, grad_output: V, reduction: V, self_shape: V) -> V:
        return g * grad_output * (-2 * share(self_shape, reduction))


def _robust(name: str, symbol: str, loss: Value, slope: Value, bend: Any, once: dtype, whole: bool) -> None:
    """Declare a loss that is quadratic near 0 and linear from a limit on, by its values and first two derivatives.

    Of the low precision types `once` is rounded once, the other at each step; the gradient is computed of the `whole`
    difference, or of the rounded one.
    """

    shows = {"beta" if whole else "delta": "limit"}

    def forward(self: A, target: A, reduction: int, limit: float) -> A:
        kind = self.dtype
        if dtype.table[kind] is once:
            self, target = wide(self), wide(target)
        return reduced(loss(np.abs(self - target), like(limit, self)).astype(kind), reduction)

    def grad_self(g: V, self: V, target: V, reduction: V, limit: V) -> V:
        return getattr(xp, name + "_backward")(g, self, target, reduction, limit)

    def grad_target(g: V, self: V, target: V, reduction: V, limit: V) -> V:
        return getattr(xp, name + "_backward")(g, target, self, reduction, limit)

    forward.__annotations__ = {"self": "A", "target": "A"}
    op(
        name=name,
        shows=shows,
        symbol=symbol,
        latex={"self": r"\frac{g}{n} \cdot \ell'(d)", "target": r"-\frac{g}{n} \cdot \ell'(d)"},
        summary={
            "self": "multiplies the incoming {g} by the slope of the loss at {self} − {target}, over n",
            "target": "multiplies the incoming {g} by −the slope of the loss at {self} − {target}, over n",
        },
    )(type(name, (), {"forward": forward, "grad_self": grad_self, "grad_target": grad_target}))

    def backward(grad_output: A, self: A, target: A, reduction: int, limit: float) -> A:
        d = wide(self) - wide(target) if whole else wide(self - target)
        counted = slope(d, limit if whole else wide(like(limit, self))) * share(self.shape, reduction)
        return (wide(grad_output) * counted).astype(self.dtype)

    def grad_grad_output(g: V, self: V, target: V, reduction: V, limit: V, grad_output_shape: V) -> V:
        return xp.sum_to_size(getattr(xp, name + "_backward")(g, self, target, reduction, limit), grad_output_shape)

    def again_self(g: V, grad_output: V, self: V, target: V, reduction: V, limit: V) -> V:
        return g * grad_output * (bend(self - target, limit) * share(self.shape, reduction))

    def again_target(g: V, grad_output: V, self: V, target: V, reduction: V, limit: V) -> V:
        return -(g * grad_output * (bend(self - target, limit) * share(self.shape, reduction)))

    backward.__annotations__ = {"grad_output": "A", "self": "A", "target": "A"}
    curve = r"\frac{1}{n}\, g \cdot \text{grad\_output} \cdot \ell''(d)"
    op(
        name=name + "_backward",
        shows=shows,
        grad_fn=primitives[name].grad_fn.replace("Backward0", "BackwardBackward0"),
        symbol=symbol + "′",
        latex={"grad_output": r"\frac{1}{n} \textstyle\sum g \cdot \ell'(d)", "self": curve, "target": "-" + curve},
        summary={
            "grad_output": "sums the incoming gradient times the slope of the loss at {self} − {target}, over n",
            "self": "multiplies the incoming gradient by {grad_output} and the curvature of the loss, over n",
            "target": "multiplies the incoming gradient by −{grad_output} and the curvature of the loss, over n",
        },
    )(
        type(
            name + "_backward",
            (),
            {
                "forward": backward,
                "grad_grad_output": grad_grad_output,
                "grad_self": again_self,
                "grad_target": again_target,
            },
        )
    )


def _smooth_slope(d: V, beta: float) -> V:
    return xp.where(xp.abs(d) >= beta, xp.sgn(d), d / beta)


def _smooth_bend(d: V, beta: float) -> V:
    return xp.where(xp.abs(d) < beta, xp.ones_like(d) / beta, xp.zeros_like(d))


def _huber_slope(d: V, delta: float) -> V:
    return xp.where(xp.abs(d) > delta, xp.sgn(d) * delta, d)


def _huber_bend(d: V, delta: float) -> V:
    return xp.where(xp.abs(d) < delta, xp.ones_like(d), xp.zeros_like(d))


def _smooth(d: A, beta: A) -> A:
    half = like(0.5, d)
    return np.where(d < beta, half * d * d / beta, d - half * beta)


def _huber(d: A, delta: A) -> A:
    half = like(0.5, d)
    return np.where(d <= delta, half * d * d, delta * (d - half * delta))


_robust("smooth_l1_loss", "smooth l1", _smooth, _smooth_slope, _smooth_bend, bfloat16, whole=True)
_robust("huber_loss", "huber", _huber, _huber_slope, _huber_bend, float16, whole=False)


def promoted(a: Value, b: Value) -> tuple[Any, Any]:
    """Convert two tensors to the dtype that both promote to."""
    if a._dtype is b._dtype:
        return a, b
    kind = promote_types(a._dtype, b._dtype)
    return a.to(kind), b.to(kind)


def check_tensors(name: str, **given: object) -> None:
    """Raise TypeError for an argument that is no tensor."""
    for position, (parameter, value) in enumerate(given.items(), 1):
        if not isinstance(value, Tensor):
            raise argument_error(name, parameter, position, value)


@export("mse_loss", function=False, method=False, nn=True)
def _mse_loss(
    input: Tensor,  # noqa: A002
    target: Tensor,
    size_average: Option = None,
    reduce: Option = None,
    reduction: str = "mean",
    weight: Value = None,
) -> Any:
    """The squared difference of input and target, averaged, summed or as it is."""
    name = reduction_name(reduction, size_average, reduce)
    given, aim = broadcast(input, target)
    if weight is None:
        return apply(primitives["mse_loss"], *promoted(given, aim), reduction_number(name))
    check_weight(weight, input)
    return weighed((given - aim).pow(2), weight, name)


@export("l1_loss", function=False, method=False, nn=True)
def _l1_loss(
    input: Tensor,  # noqa: A002
    target: Tensor,
    size_average: Option = None,
    reduce: Option = None,
    reduction: str = "mean",
    weight: Value = None,
) -> Any:
    """The absolute difference of input and target, averaged, summed or as it is."""
    name = reduction_name(reduction, size_average, reduce)
    given, aim = broadcast(input, target)
    if weight is None:
        return _absolute(given, aim, reduction_number(name))
    check_weight(weight, input)
    return weighed((given - aim).abs(), weight, name)


@composed
def _absolute(input: Value, target: Value, reduction: int) -> Any:  # noqa: A002
    return reduce_tensor((input - target).abs(), reduction)


@export("smooth_l1_loss", function=False, method=False, nn=True)
def _smooth_l1_loss(
    input: Tensor,  # noqa: A002
    target: Tensor,
    size_average: Option = None,
    reduce: Option = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Any:
    """The absolute difference, quadratic below beta."""
    given, aim = broadcast(input, target)
    number = reduction_number(reduction, size_average, reduce)
    if beta == 0.0:
        return _absolute(given, aim, number)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    return apply(primitives["smooth_l1_loss"], *promoted(given, aim), number, beta)


@export("huber_loss", function=False, method=False, nn=True)
def _huber_loss(
    input: Tensor,  # noqa: A002
    target: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: Value = None,
) -> Any:
    """Half the squared difference, linear beyond delta."""
    given, aim = broadcast(input, target)
    if weight is None:
        number = reduction_number(reduction)
        if delta <= 0:
            raise RuntimeError("huber_loss does not support non-positive values for delta.")
        return apply(primitives["huber_loss"], given, aim.to(given._dtype), number, delta)
    check_weight(weight, input)
    terms = apply(primitives["huber_loss"], given, aim.to(given._dtype), 0, delta)
    return weighed(terms, weight, reduction, by_weight=False)
