"""Losses: mse_loss, l1_loss, nll_loss, cross_entropy, binary_cross_entropy."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.activation import _log_softmax
from backscope.ops.declaration import A, V, op, xp
from backscope.ops.dispatch import apply
from backscope.ops.namespace import export
from backscope.tensor import Tensor, make
from backscope.warning import warn

REDUCTIONS = ("none", "mean", "sum")


def _check_reduction(reduction: str) -> None:
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")


def _reduce(value: A, reduction: str) -> A:
    return value if reduction == "none" else value.mean() if reduction == "mean" else value.sum()


@op(symbol="mse", name="mse_loss", latex={"self": r"\frac{2\, g\, (\text{self} - \text{target})}{n}", "target": r"-\frac{2\, g\, (\text{self} - \text{target})}{n}"},
    summary={"self": "multiplies the incoming {g} by 2 × ({self} − {target}) / n", "target": "multiplies the incoming {g} by −2 × ({self} − {target}) / n"})  # fmt: skip
class mse_loss:
    """The squared difference, reduced."""

    def forward(self: A, target: A, reduction: str = "mean") -> A:
        difference = self - target
        return _reduce(difference * difference, reduction)

    def grad_self(g: V, self: V, target: V, self_shape: V, reduction: V) -> V:
        return _squared(self, target, self_shape, reduction) * g

    def grad_target(g: V, self: V, target: V, self_shape: V, reduction: V) -> V:
        return _squared(target, self, self_shape, reduction) * g


def _squared(a: V, b: V, shape: Any, reduction: str) -> V:
    count = int(np.prod(shape)) if reduction == "mean" else 1
    return (a - b) * (2.0 / count if count else float("nan"))


@op(symbol="nll", name="nll_loss", latex={"self": r"-\frac{g\, w}{\sum w}\ \text{at the target}"}, summary={"self": "puts −{g} × weight / total weight at each row's target class, 0 elsewhere"})
class nll_loss:
    """Minus the log probability of the target class, reduced; `self` is [batch, classes]."""

    def forward(self: A, target: Any, weight: Any, reduction: str, ignore_index: int) -> A:
        rows, kept, scale = _picked(self, target, weight, ignore_index)
        losses = np.where(kept, -self[np.arange(len(rows)), rows] * scale, 0).astype(self.dtype)
        if reduction == "none":
            return losses
        total = losses.sum()
        return total if reduction == "sum" else total / scale.sum().astype(self.dtype)

    def grad_self(g: V, self_shape: V, target: V, weight: V, reduction: V, ignore_index: V) -> V:
        return xp.nll_loss_backward(g, self_shape, target, weight, reduction, ignore_index)


def _picked(like: A, target: Any, weight: Any, ignore_index: int) -> tuple[Any, Any, Any]:
    kept = target != ignore_index
    rows = np.where(kept, target, 0)
    scale = np.ones(len(rows), like.dtype) if weight is None else weight[rows].astype(like.dtype)
    return rows, kept, np.where(kept, scale, 0).astype(like.dtype)


@op(symbol="nll", name="nll_loss_backward", grad_fn="NllLossBackwardBackward0", latex={"self": r"\text{nll}(g)"}, summary={"self": "picks the incoming gradient at the targets"})
class nll_loss_backward:
    """The gradient of nll_loss as an op of its own, linear in `self`."""

    def forward(self: A, shape: Any, target: Any, weight: Any, reduction: str, ignore_index: int) -> A:
        out = np.zeros(shape, self.dtype)
        rows, _, scale = _picked(out, target, weight, ignore_index)
        if reduction == "mean":
            scale = scale / scale.sum()
        out[np.arange(len(rows)), rows] = -self * scale
        return out

    def grad_self(g: V, shape: V, target: V, weight: V, reduction: V, ignore_index: V) -> V:
        rows, _, scale = _picked(g._data if isinstance(g, Tensor) else g, target, weight, ignore_index)
        if reduction == "mean":
            scale = scale / scale.sum()
        if isinstance(g, Tensor):
            picked = g[make(np.arange(len(rows)), _int64()), make(rows, _int64())]  # type: ignore[index]
            scaled = picked * make(-scale, g._dtype)
        else:
            scaled = g[np.arange(len(rows)), rows] * -scale
        return scaled if reduction == "none" else xp.sum(scaled, None)


def _int64() -> Any:
    from backscope.dtype import int64

    return int64


@export("mse_loss", function=False, method=False, nn=True)
def _mse_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean", weight: Any = None) -> Any:  # noqa: A002
    """The squared difference of input and target, averaged, summed or as it is."""
    _check_reduction(reduction)
    if input._data.shape != target._data.shape:
        warn(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will likely lead to incorrect "
            "results due to broadcasting. Please ensure they have the same size."
        )
        from backscope.ops.shape import broadcast_tensors

        input, target = broadcast_tensors(input, target)  # noqa: A001
    if input._dtype is not target._dtype:
        from backscope.dtype import promote_types

        kind = promote_types(input._dtype, target._dtype)
        input, target = input.to(kind), target.to(kind)  # type: ignore[attr-defined]  # noqa: A001
    return apply(mse_loss, input, target, reduction)


@export("l1_loss", function=False, method=False, nn=True)
def _l1_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> Any:  # noqa: A002
    """The absolute difference of input and target, averaged, summed or as it is."""
    _check_reduction(reduction)
    found = (input - target).abs()  # type: ignore[operator]
    return found.mean() if reduction == "mean" else found.sum() if reduction == "sum" else found


@export("nll_loss", function=False, method=False, nn=True)
def _nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, ignore_index: int = -100, reduce: Any = None, reduction: str = "mean") -> Any:  # noqa: A002
    """Minus the log probability of each row's target class."""
    _check_reduction(reduction)
    classes = input._data.shape[1 if input._data.ndim > 1 else 0]
    wrong = target._data[(target._data != ignore_index) & ((target._data < 0) | (target._data >= classes))] if target._data.ndim else np.array([])
    if len(wrong):
        raise IndexError(f"Target {wrong[0]} is out of bounds.")
    w = None if weight is None else weight._data
    if input._data.ndim == 1:
        return _nll_loss(input.unsqueeze(0), target.unsqueeze(0), weight, None, ignore_index, None, reduction if reduction != "none" else "sum")  # type: ignore[attr-defined]
    if input._data.ndim > 2:
        moved = input.transpose(1, -1) if input._data.ndim == 3 else input.permute(0, *range(2, input._data.ndim), 1)  # type: ignore[attr-defined]
        flat = moved.reshape(-1, classes)
        out = apply(nll_loss, flat, target._data.reshape(-1), w, reduction, ignore_index)
        return out.reshape(tuple(target._data.shape)) if reduction == "none" else out
    if input._data.shape[0] != target._data.shape[0]:
        raise ValueError(f"Expected input batch_size ({input._data.shape[0]}) to match target batch_size ({target._data.shape[0]}).")
    return apply(nll_loss, input, target._data, w, reduction, ignore_index)


@export("cross_entropy", function=False, method=False, nn=True)
def cross_entropy(
    input: Tensor,  # noqa: A002
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """log_softmax and nll_loss in one; floating point targets are probabilities."""
    _check_reduction(reduction)
    dim = 0 if input._data.ndim == 1 else 1
    logs = _log_softmax(input, dim)
    if target._dtype.is_floating_point:
        return _soft(logs, target, weight, reduction, label_smoothing, dim)
    if target._dtype.category != 1:
        raise RuntimeError(f'expected scalar type Long but found {target._dtype.type_name}')
    hard = _nll_loss(logs, target, weight, None, ignore_index, None, reduction)
    if not label_smoothing:
        return hard
    if weight is not None:
        raise RuntimeError("Backscope's cross_entropy can't combine weight with label_smoothing yet; apply the weights to the unreduced loss")
    classes = input._data.shape[dim]
    spread = -logs.sum(dim)  # type: ignore[attr-defined]
    kept = target != ignore_index
    spread = spread.masked_fill(~kept, 0.0)  # type: ignore[operator]
    if reduction == "mean":
        spread = spread.sum() / int(kept._data.sum())
    elif reduction == "sum":
        spread = spread.sum()
    return (1 - label_smoothing) * hard + label_smoothing / classes * spread


def _soft(logs: Tensor, target: Tensor, weight: Tensor | None, reduction: str, smoothing: float, dim: int) -> Any:
    classes = logs._data.shape[dim]
    if smoothing:
        target = target * (1 - smoothing) + smoothing / classes  # type: ignore[operator]
    terms = logs * target  # type: ignore[operator]
    if weight is not None:
        terms = terms * weight.reshape((1, -1) + (1,) * (logs._data.ndim - 2) if dim else (-1,))  # type: ignore[attr-defined]
    if reduction == "none":
        return -terms.sum(dim)
    total = -terms.sum()
    return total / (logs._data.size // classes) if reduction == "mean" else total


@op(symbol="bce", name="binary_cross_entropy", latex={"self": r"g \cdot \frac{\text{self} - \text{target}}{\text{self}(1 - \text{self})\, n}"},
    summary={"self": "multiplies the incoming {g} by ({self} − {target}) / ({self} × (1 − {self})) / n"})  # fmt: skip
class binary_cross_entropy:
    """Minus the log probability of a yes or no target, reduced; logarithms are at least -100."""

    def forward(self: A, target: A, reduction: str = "mean") -> A:
        if np.any((self < 0) | (self > 1)):
            raise RuntimeError("all elements of input should be between 0 and 1")
        low = self.dtype.type(-100)
        losses = (target - 1) * np.maximum(np.log1p(-self), low) - target * np.maximum(np.log(self), low)
        return _reduce(losses, reduction)

    def grad_self(g: V, self: V, target: V, self_shape: V, reduction: V) -> V:
        count = int(np.prod(self_shape)) if reduction == "mean" else 1
        spread = (1 - self) * self
        return g * (self - target) / xp.maximum(spread, xp.ones_like(spread) * 1e-12) / count

    def grad_target(g: V, self: V, self_shape: V, reduction: V) -> V:
        count = int(np.prod(self_shape)) if reduction == "mean" else 1
        return g * (xp.log(1 - self) - xp.log(self)) / count


@export("binary_cross_entropy", function=False, method=False, nn=True)
def _binary_cross_entropy(input: Tensor, target: Tensor, weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> Any:  # noqa: A002
    """Minus the log probability of a yes or no target."""
    _check_reduction(reduction)
    if input._data.shape != target._data.shape:
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is deprecated. Please ensure they have the same size."
        )
    if weight is None:
        return apply(binary_cross_entropy, input, target, reduction)
    terms = apply(binary_cross_entropy, input, target, "none") * weight
    return terms.mean() if reduction == "mean" else terms.sum() if reduction == "sum" else terms
