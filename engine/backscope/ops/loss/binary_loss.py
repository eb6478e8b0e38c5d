"""Binary cross entropy: of probabilities, and of logits."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.activation.activation import require_floating
from backscope.ops.core.arguments.out_dtypes import CAST
from backscope.ops.core.declaration import A, K, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.low_precision import wide
from backscope.ops.core.mixed_types import in_own
from backscope.ops.core.namespace import export
from backscope.ops.core.unsupported import BOOLS_SUBTRACTED, no_kernel
from backscope.ops.loss.loss import check_tensors
from backscope.ops.loss.reducing_loss import averaged, reduced, reduction_number, share
from backscope.ops.pointwise.arithmetic import like
from backscope.runtime.given import Option, Value
from backscope.tensor.dtype import BOOL, FLOATING, dtype
from backscope.tensor.tensor import Tensor


def _weighted(value: V, weight: Value) -> V:
    return value if weight is None else value * weight


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
        require_floating(self, "binary_cross_entropy")
        if not np.all((self >= 0) & (self <= 1)):
            raise RuntimeError("all elements of input should be between 0 and 1")
        low = like(-100, self)  # Every step is rounded to the type, as in PyTorch.
        losses = (target - 1) * np.maximum(np.log1p(-self), low) - target * np.maximum(np.log(self), low)
        return reduced(losses if weight is None else losses * weight, reduction)

    def grad_self(g: V, self: V, target: V, weight: V, reduction: V) -> V:
        return xp.binary_cross_entropy_backward(g, self, target, weight, reduction)

    def grad_target(g: V, self: V, weight: V, reduction: V) -> V:
        slope = -xp.clamp(xp.log(self / (1 - self)), -100, 100)
        return _weighted(g * slope, weight) * share(self.shape, reduction)


@op(
    grad_fn="BinaryCrossEntropyBackwardBackward0",
    symbol="bce′",
    latex={
        "grad_output": r"\frac{1}{n} \sum g\, \frac{\text{self} - \text{target}}{\text{self}(1 - \text{self})}",
        "self": r"\text{the second derivative by self}",
        "target": r"-\frac{g \cdot \text{grad\_output}}{\text{self}(1 - \text{self})\, n}",
    },
    summary={
        "grad_output": "sums the incoming gradient times ({self} − {target}) / ({self} × (1 − {self})) / n",
        "self": "multiplies the incoming gradient by {grad_output} and the second derivative of the loss",
        "target": "multiplies the incoming gradient by −{grad_output} / ({self} × (1 − {self})) / n",
    },
)
class binary_cross_entropy_backward:
    """The gradient of binary_cross_entropy as an op of its own."""

    def forward(grad_output: A, self: A, target: A, weight: K | None, reduction: int) -> A:
        spread = wide((1 - self) * self)
        found = (wide(grad_output * (self - target)) / np.maximum(spread, like(1e-12, spread))).astype(self.dtype)
        return averaged(found if weight is None else found * weight, self.shape, reduction)

    def grad_grad_output(g: V, self: V, target: V, weight: V, reduction: V, grad_output_shape: V) -> V:
        return xp.sum_to_size(xp.binary_cross_entropy_backward(g, self, target, weight, reduction), grad_output_shape)

    def grad_self(g: V, grad_output: V, self: V, target: V, weight: V, reduction: V) -> V:
        below, above = self + 1e-12, 1 - self + 1e-12
        bend = (self * self - 2 * self * target + target) / (below * below * above * above)
        return _weighted(g * bend * grad_output, weight) * share(self.shape, reduction)

    def grad_target(g: V, grad_output: V, self: V, weight: V, reduction: V) -> V:
        slope = -g / ((self + 1e-12) * (1 - self + 1e-12))
        return _weighted(slope * grad_output, weight) * share(self.shape, reduction)


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
        logarithm = _log_sigmoid(self)
        if pos_weight is not None:
            logarithm = ((pos_weight - 1) * target + 1) * logarithm
        losses = (1 - target) * self - logarithm
        losses = losses if weight is None else losses * weight
        return reduced(losses.astype(target.dtype, copy=False), reduction)

    def grad_self(g: V, self: V, target: V, weight: V, pos_weight: V, reduction: V, self_dtype: V) -> V:
        probability = xp.sigmoid(self)
        if pos_weight is None:
            slope = probability - target
        else:
            yes = target * pos_weight
            slope = (yes + 1 - target) * probability - yes
        return in_own(_weighted(slope * g, weight) * share(self.shape, reduction), self_dtype)

    def grad_target(g: V, self: V, weight: V, pos_weight: V, reduction: V, target_dtype: V) -> V:
        slope = -self
        if pos_weight is not None:
            slope = xp.log_sigmoid_value(-self) - pos_weight * xp.log_sigmoid_value(self)
        return in_own(_weighted(slope * g, weight) * share(self.shape, reduction), target_dtype)


def _log_sigmoid(value: V) -> V:
    if isinstance(value, Tensor):
        return apply(primitives["log_sigmoid"], value)[0]
    return primitives["log_sigmoid"].forward(value)[0]


xp.log_sigmoid_value = _log_sigmoid


@export("binary_cross_entropy", function=False, method=False, nn=True)
def _binary_cross_entropy(
    input: Tensor,  # noqa: A002
    target: Tensor,
    weight: Value = None,
    size_average: Option = None,
    reduce: Option = None,
    reduction: str = "mean",
) -> Any:
    """Minus the log probability of a yes or no target; ValueError for another size of target."""
    number = reduction_number(reduction, size_average, reduce)
    if input._data.shape != target._data.shape:
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is deprecated. "
            "Please ensure they have the same size."
        )
    if weight is not None:
        weight = weight.expand(np.broadcast_shapes(target._data.shape, weight._data.shape))
    if input._dtype is not target._dtype:
        raise RuntimeError(f"Found dtype {target._dtype.type_name} but expected {input._dtype.type_name}")
    return apply(primitives["binary_cross_entropy"], input, target, weight, number)


@export("binary_cross_entropy_with_logits", function=False, method=False, nn=True)
def _binary_cross_entropy_with_logits(
    input: Tensor,  # noqa: A002
    target: Tensor,
    weight: Value = None,
    size_average: Option = None,
    reduce: Option = None,
    reduction: str = "mean",
    pos_weight: Value = None,
) -> Any:
    """binary_cross_entropy of sigmoid(input); ValueError for another size of target."""
    number = reduction_number(reduction, size_average, reduce)
    if input._data.shape != target._data.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    check_tensors("binary_cross_entropy_with_logits", input=input, target=target)
    if input._dtype is not target._dtype:
        _refuse_mixture(input._dtype, target._dtype)
    return apply(primitives["binary_cross_entropy_with_logits"], input, target, weight, pos_weight, number)


def _refuse_mixture(kind: dtype, target: dtype) -> None:
    """Raise the error for targets of a type that can't store the loss: PyTorch computes it in their memory."""
    if kind.category < FLOATING:
        raise no_kernel("log_sigmoid_cpu", kind)
    if target.category == BOOL:
        raise RuntimeError(BOOLS_SUBTRACTED)
    if target.category < FLOATING:
        raise RuntimeError(CAST.format(kind.type_name, target.type_name))
