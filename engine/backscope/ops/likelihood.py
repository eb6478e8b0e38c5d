"""Losses of classes: nll_loss and cross_entropy."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.dtype import bool_
from backscope.ops.declaration import A, K, V, op, primitives, xp
from backscope.ops.dispatch import apply
from backscope.ops.loss import reduction_number
from backscope.ops.namespace import export
from backscope.tensor import Tensor, make


@op(
    outputs=2,
    differentiable=1,
    returns=("output", "total_weight"),
    symbol="nll",
    latex={"self": r"-\frac{g\, w}{\sum w}\ \text{at the target}"},
    summary={"self": "puts −{g} × weight / total weight at each row's target class, 0 elsewhere"},
)
class nll_loss:
    """Minus the log probability of the target class, reduced, and the total weight; `self` is [batch, classes, ...]."""

    def forward(self: A, target: K, weight: K | None, reduction: int, ignore_index: int) -> A:
        places, scale = _places(self.shape, self.dtype, target, weight, ignore_index)
        losses = -self[places] * scale
        losses = np.where(scale == 0, 0, losses).astype(self.dtype)
        if reduction == 0:
            return losses, np.zeros((), self.dtype)[()]
        total = scale.sum(dtype=self.dtype)
        return (losses.sum() if reduction == 2 else losses.sum() / total), total

    def grad_self(g: V, self: V, target: V, weight: V, reduction: V, ignore_index: V, total_weight: V) -> V:
        return xp.nll_loss_backward(g, self, target, weight, reduction, ignore_index, total_weight)


def _places(shape: Any, kind: Any, target: A, weight: Any, ignore_index: int) -> tuple[Any, A]:
    """Where the target classes are in an array of `shape`, and what each counts (0 where ignored)."""
    kept = target != ignore_index
    classes = np.where(kept, target, 0)
    scale = kept.astype(kind) if weight is None else np.where(kept, weight[classes], 0).astype(kind)
    if len(shape) == 2:
        return (np.arange(shape[0]), classes), scale
    first, *rest = np.indices(target.shape, sparse=True)
    return (first, classes, *rest), scale


@op(
    symbol="nll′",
    grad_fn="NllLossBackwardBackward0",
    latex={"grad_output": r"\text{nll}(g)", "self": "0"},
    summary={"grad_output": "picks the incoming gradient at the targets", "self": "sends 0: the loss is linear"},
)
class nll_loss_backward:
    """The gradient of nll_loss as an op of its own."""

    def forward(
        grad_output: A,
        self: A,
        target: K,
        weight: K | None,
        reduction: int,
        ignore_index: int,
        total_weight: K,
    ) -> A:
        out = np.zeros_like(self)
        places, scale = _places(self.shape, self.dtype, target, weight, ignore_index)
        factor = -grad_output * scale
        if reduction == 1:
            factor = np.where(scale == 0, 0, factor / total_weight).astype(self.dtype)
        out[places] = factor
        return out

    def grad_grad_output(g: V, target: V, weight: V, reduction: V, ignore_index: V) -> V:
        if isinstance(g, Tensor):
            return apply(primitives["nll_loss"], g, target, weight, reduction, ignore_index)[0]
        return primitives["nll_loss"].forward(g, target, weight, reduction, ignore_index)[0]

    def grad_self(g: V) -> V:
        return xp.zeros_like(g)


def _bad_target(target: Tensor) -> RuntimeError:
    return RuntimeError(f"expected target dtype to be Long or Byte, but got {target._dtype.type_name}")


def _check_target(classes: int, target: Any, ignore_index: int) -> None:
    wrong = target[(target != ignore_index) & ((target < 0) | (target >= classes))]
    if wrong.size:
        raise IndexError(f"Target {wrong.flat[0]} is out of bounds.")


@export("nll_loss", function=False, method=False, nn=True)
def _nll_loss(
    input: Tensor,  # noqa: A002
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """Minus the log probability of each row's target class; IndexError for a target that is no class."""
    number = reduction_number(reduction)
    if target._dtype.name not in ("int64", "uint8"):
        raise _bad_target(target)
    shape, wanted = input._data.shape, target._data.shape
    if len(shape) == 1:
        _check_target(shape[0], np.atleast_1d(target._data), ignore_index)
        single = _nll_loss(
            input.unsqueeze(0),  # type: ignore[attr-defined]
            target.reshape(1),  # type: ignore[attr-defined]
            weight,
            ignore_index=ignore_index,
            reduction=reduction,
        )
        return single if number else single.squeeze(0)
    if len(shape) == 2 and shape[0] != wanted[0]:
        raise ValueError(f"Expected input batch_size ({shape[0]}) to match target batch_size ({wanted[0]}).")
    if len(shape) > 2 and (shape[0], *shape[2:]) != wanted:
        raise ValueError(f"Expected target size {[shape[0], *shape[2:]]}, got {list(wanted)}")
    _check_target(shape[1], target._data, ignore_index)
    return apply(primitives["nll_loss"], input, target, weight, number, ignore_index)[0]


@export("cross_entropy", function=False, method=False, nn=True)
def _cross_entropy(
    input: Tensor,  # noqa: A002
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """log_softmax and nll_loss in one; a target of floating point numbers is probabilities."""
    reduction_number(reduction)
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    dim = 0 if input._data.ndim == 1 else 1
    logs: Any = input.log_softmax(dim)  # type: ignore[attr-defined]
    if target._data.shape == input._data.shape and target._dtype.is_floating_point:
        return _of_probabilities(logs, target, weight, reduction, label_smoothing, dim)
    if target._dtype.category != 1:
        raise _bad_target(target)
    hard = _nll_loss(logs, target, weight, ignore_index=ignore_index, reduction=reduction)
    if not label_smoothing:
        return hard
    smooth = _smooth(logs, target, weight, reduction, ignore_index, dim)
    return (1 - label_smoothing) * hard + smooth * (label_smoothing / logs._data.shape[dim])


def _weights_along(weight: Tensor, ndim: int, dim: int) -> Any:
    return weight.reshape([-1 if d == dim else 1 for d in range(ndim)])  # type: ignore[attr-defined]


def _smooth(logs: Any, target: Tensor, weight: Any, reduction: str, ignore_index: int, dim: int) -> Any:
    """The part of the loss that label smoothing spreads over all classes."""
    terms = -logs if weight is None else -(logs * _weights_along(weight, logs._data.ndim, dim))
    ignored = target._data == ignore_index
    terms = terms.sum(dim).masked_fill(make(np.asarray(ignored)[()], bool_), 0.0)
    if reduction != "mean":
        return terms if reduction == "none" else terms.sum()
    if weight is None:
        return terms.sum() / int(np.asarray(~ignored).sum())
    counts = np.where(ignored, 0, weight._data[np.where(ignored, 0, target._data)]).sum()
    return terms.sum() / float(counts)


def _of_probabilities(
    logs: Any, target: Any, weight: Tensor | None, reduction: str, label_smoothing: float, dim: int
) -> Any:
    classes = logs._data.shape[dim]
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / classes
    terms = logs * target
    if weight is not None:
        terms = terms * _weights_along(weight, logs._data.ndim, dim)
    if reduction == "none":
        return -terms.sum(dim)
    total = -terms.sum()
    return total / (logs._data.size // classes) if reduction == "mean" else total
