"""Losses of numbers: squared, absolute and Huber differences, binary cross entropy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.dtype import LOW_PRECISION, dtype, promote_types
from backscope.ops.arithmetic import like
from backscope.ops.declaration import A, K, V, op, primitives, xp
from backscope.ops.dispatch import apply
from backscope.ops.namespace import export
from backscope.tensor import Tensor
from backscope.warning import warn

REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}
"""How element losses become one number: by the number that PyTorch's nodes keep."""


def reduction_number(reduction: str) -> int:
    """The number of a reduction; ValueError for an unknown one."""
    number = REDUCTIONS.get(reduction)
    if number is None:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return number


def reduced(value: A, reduction: int) -> A:
    """Element losses as they are, averaged or summed."""
    if reduction == 0:
        return value
    if dtype.table[value.dtype] in LOW_PRECISION:
        wide = value.astype(np.float32)
        return np.asarray(wide.mean() if reduction == 1 else wide.sum()).astype(value.dtype)[()]
    return value.mean() if reduction == 1 else value.sum()


def share(shape: Any, reduction: int) -> float:
    """What each element's loss counts in the reduced one."""
    if reduction != 1:
        return 1.0
    count = math.prod(shape)
    return 1 / count if count else float("nan")


def reduce_tensor(terms: Any, reduction: str) -> Any:
    """Element losses as a Tensor, reduced by recorded ops."""
    number = reduction_number(reduction)
    return terms if number == 0 else terms.mean() if number == 1 else terms.sum()


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


def _robust(name: str, parameter: str, symbol: str, loss: Any, slope: Any) -> None:
    """Declare a loss that is quadratic near 0 and linear from the parameter on, by its values and its slope."""

    def forward(self: A, target: A, reduction: int, limit: float) -> A:
        return reduced(loss(np.abs(self - target), like(limit, self)), reduction)

    def grad_self(g: V, self: V, target: V, reduction: V, limit: V) -> V:
        return g * (slope(self - target, limit) * share(self.shape, reduction))

    def grad_target(g: V, self: V, target: V, reduction: V, limit: V) -> V:
        return g * (slope(self - target, limit) * -share(self.shape, reduction))

    forward.__annotations__ = {"self": "A", "target": "A"}
    op(
        name=name,
        symbol=symbol,
        latex={"self": r"\frac{g}{n} \cdot \ell'(d)", "target": r"-\frac{g}{n} \cdot \ell'(d)"},
        summary={
            "self": "multiplies the incoming {g} by the slope of the loss at {self} − {target}, over n",
            "target": "multiplies the incoming {g} by −the slope of the loss at {self} − {target}, over n",
        },
    )(type(name, (), {"forward": forward, "grad_self": grad_self, "grad_target": grad_target}))

    def published(
        input: Tensor,  # noqa: A002
        target: Tensor,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
        limit: float = 1.0,
        **named: float,
    ) -> Any:
        number = reduction_number(reduction)
        given, aim = matched(input, target)
        return apply(primitives[name], given, aim, number, named.get(parameter, limit))

    published.__doc__ = f"{name}, quadratic near 0 and linear from {parameter} on."
    export(name, function=False, method=False, nn=True)(published)


def _near(difference: V, limit: float, near: V, far: V) -> V:
    return xp.where(xp.abs(difference) < limit, near, far)


_robust(
    "smooth_l1_loss",
    "beta",
    "smooth l1",
    lambda d, beta: np.where(d < beta, 0.5 * d * d / np.where(beta == 0, 1, beta), d - 0.5 * beta).astype(d.dtype),
    lambda d, beta: _near(d, beta, d * (1 / beta if beta else 0.0), xp.sgn(d)),
)
_robust(
    "huber_loss",
    "delta",
    "huber",
    lambda d, delta: np.where(d <= delta, 0.5 * d * d, delta * (d - 0.5 * delta)).astype(d.dtype),
    lambda d, delta: xp.where(xp.abs(d) <= delta, d, xp.sgn(d) * delta),
)


def matched(input: Tensor, target: Tensor) -> tuple[Any, Any]:  # noqa: A002
    """Input and target in one shape, with PyTorch's warning where that takes broadcasting, and in one dtype."""
    if input._data.shape != target._data.shape:
        warn(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will "
            "likely lead to incorrect results due to broadcasting. Please ensure they have the same size."
        )
        from backscope.ops.broadcasting import broadcast_tensors

        input, target = broadcast_tensors(input, target)  # noqa: A001
    kind = promote_types(input._dtype, target._dtype)
    return input.to(kind), target.to(kind)  # type: ignore[attr-defined]


@export("mse_loss", function=False, method=False, nn=True)
def _mse_loss(
    input: Tensor,  # noqa: A002
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Any = None,
) -> Any:
    """The squared difference of input and target, averaged, summed or as it is."""
    number = reduction_number(reduction)
    given, aim = matched(input, target)
    if weight is None:
        return apply(primitives["mse_loss"], given, aim, number)
    if number == 1:
        return (apply(primitives["mse_loss"], given, aim, 0) * weight).sum() / weight.sum()
    return reduce_tensor(apply(primitives["mse_loss"], given, aim, 0) * weight, reduction)


@export("l1_loss", function=False, method=False, nn=True)
def _l1_loss(
    input: Tensor,  # noqa: A002
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """The absolute difference of input and target, averaged, summed or as it is."""
    reduction_number(reduction)
    given, aim = matched(input, target)
    return reduce_tensor((given - aim).abs(), reduction)


@op(
    symbol="bce",
    latex={
        "self": r"g \cdot \frac{w\,(\text{self} - \text{target})}{\text{self}(1 - \text{self})\, n}",
        "target": r"g \cdot \frac{w\,(\ln(1 - \text{self}) - \ln \text{self})}{n}",
    },
    summary={
        "self": "multiplies the incoming {g} by ({self} − {target}) / ({self} × (1 − {self})) / n",
        "target": "multiplies the incoming {g} by (ln(1 − {self}) − ln {self}) / n",
    },
)
class binary_cross_entropy:
    """Minus the log probability of a yes or no target, reduced; logarithms are at least -100."""

    def forward(self: A, target: A, weight: K | None, reduction: int) -> A:
        if not np.all((self >= 0) & (self <= 1)):
            raise RuntimeError("all elements of input should be between 0 and 1")
        low = like(-100, self)
        losses = (target - 1) * np.maximum(np.log1p(-self), low) - target * np.maximum(np.log(self), low)
        return reduced(losses if weight is None else losses * weight, reduction)

    def grad_self(g: V, self: V, target: V, weight: V, reduction: V) -> V:
        spread = xp.maximum((1 - self) * self, xp.ones_like(self) * 1e-12)
        return _weighted(g * (self - target) / spread, weight) * share(self.shape, reduction)

    def grad_target(g: V, self: V, weight: V, reduction: V) -> V:
        return _weighted(g * (xp.log(1 - self) - xp.log(self)), weight) * share(self.shape, reduction)


def _weighted(value: V, weight: Any) -> V:
    return value if weight is None else value * weight


@op(
    symbol="bce",
    latex={
        "self": r"\frac{g}{n} \cdot (\sigma(\text{self}) - \text{target})",
        "target": r"-\frac{g}{n} \cdot \text{self}",
    },
    summary={
        "self": "multiplies the incoming {g} by (σ({self}) − {target}) / n",
        "target": "multiplies the incoming {g} by −{self} / n",
    },
)
class binary_cross_entropy_with_logits:
    """binary_cross_entropy of sigmoid(self), without overflow."""

    def forward(self: A, target: A, weight: K | None, pos_weight: K | None, reduction: int) -> A:
        softplus = np.log1p(np.exp(-np.abs(self))) + np.maximum(-self, 0)
        scale = 1 if pos_weight is None else (pos_weight - 1) * target + 1
        losses = (1 - target) * self + scale * softplus
        losses = losses if weight is None else losses * weight
        return reduced(losses.astype(self.dtype, copy=False), reduction)

    def grad_self(g: V, self: V, target: V, weight: V, pos_weight: V, reduction: V) -> V:
        probability = xp.sigmoid(self)
        if pos_weight is None:
            slope = probability - target
        else:
            yes = _weighted(target, pos_weight)
            slope = (yes + 1 - target) * probability - yes
        return _weighted(slope * g, weight) * share(self.shape, reduction)

    def grad_target(g: V, self: V, weight: V, pos_weight: V, reduction: V) -> V:
        slope = -self
        if pos_weight is not None:
            slope = _weighted(xp.softplus(-self, 1, 20), pos_weight) - xp.softplus(self, 1, 20)
        return _weighted(slope * g, weight) * share(self.shape, reduction)


@export("binary_cross_entropy", function=False, method=False, nn=True)
def _binary_cross_entropy(
    input: Tensor,  # noqa: A002
    target: Tensor,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """Minus the log probability of a yes or no target; ValueError for another size of target."""
    number = reduction_number(reduction)
    if input._data.shape != target._data.shape:
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is deprecated. "
            "Please ensure they have the same size."
        )
    weight = None if weight is None else weight.expand(input._data.shape)
    return apply(primitives["binary_cross_entropy"], input, target, weight, number)


@export("binary_cross_entropy_with_logits", function=False, method=False, nn=True)
def _binary_cross_entropy_with_logits(
    input: Tensor,  # noqa: A002
    target: Tensor,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    pos_weight: Any = None,
) -> Any:
    """binary_cross_entropy of sigmoid(input); ValueError for another size of target."""
    number = reduction_number(reduction)
    if input._data.shape != target._data.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    weight, pos_weight = (None if w is None else w.expand(input._data.shape) for w in (weight, pos_weight))
    return apply(primitives["binary_cross_entropy_with_logits"], input, target, weight, pos_weight, number)
