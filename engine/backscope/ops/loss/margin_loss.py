"""Losses with a margin: hinge, ranking, one class against the others, several classes against the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.autograd.evaluation import composed
from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.views.view_history import requires_grad
from backscope.ops.activation.activation import require_floating
from backscope.ops.core.declaration import A, K, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export, functional, torch_functions
from backscope.ops.loss.reducing_loss import reduce_tensor, reduced, reduction_name, reduction_number, share
from backscope.ops.pointwise.arithmetic import like
from backscope.runtime.given import Option, Value
from backscope.tensor.dtype import int64
from backscope.tensor.tensor import Tensor


@composed
def _hinge(input: Value, target: Value, margin: float, reduction: int) -> Any:  # noqa: A002
    where, zeros = torch_functions["where"], torch_functions["zeros_like"](input)
    unlike = where(target != 1, (float(margin) - input).clamp_min(0), zeros)
    alike = where(target != -1, input, zeros)
    return reduce_tensor(unlike + alike, reduction)


@export(method=False, function=False, nn=True)
def hinge_embedding_loss(
    input: Tensor,  # noqa: A002
    target: Tensor,
    margin: float = 1.0,
    size_average: Option = None,
    reduce: Option = None,
    reduction: str = "mean",
) -> Value:
    """The input where the target is 1, and max(0, margin - input) where it is −1."""
    return _hinge(input, target, margin, reduction_number(reduction, size_average, reduce))


@composed
def _ranking(input1: Value, input2: Value, target: Value, margin: float, reduction: int) -> Any:
    return reduce_tensor((-target * (input1 - input2) + float(margin)).clamp_min(0), reduction)


@export(method=False, function=False, nn=True)
def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: Option = None,
    reduce: Option = None,
    reduction: str = "mean",
) -> Value:
    """Return by how much input1 falls short of being a margin above input2 (target 1), or below it (target −1)."""
    number = reduction_number(reduction, size_average, reduce)
    if not input1._data.ndim == input2._data.ndim == target._data.ndim:
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
            f"{input1.shape}, input2: {input2.shape}, target: {target.shape} "
        )
    return _ranking(input1, input2, target, margin, number)


@op(
    symbol="soft margin",
    latex={"self": r"-\frac{g}{n} \cdot \frac{\text{target}}{1 + e^{\text{target} \cdot \text{self}}}"},
    summary={"self": "multiplies the incoming {g} by −{target} / (1 + exp({target} × {self})) / n"},
)
class soft_margin_loss:
    """log(1 + exp(-target * self)), reduced."""

    def forward(self: A, target: K, reduction: int) -> A:
        return reduced(np.log1p(np.exp(-target * self)).astype(self.dtype), reduction)

    def grad_self(g: V, self: V, target: V, reduction: V) -> V:
        return xp.soft_margin_loss_backward(g, self, target, reduction)


@op(
    grad_fn="SoftMarginLossBackwardBackward0",
    symbol="soft margin′",
    latex={
        "grad_output": r"-\frac{1}{n} \textstyle\sum g\, \frac{\text{target}}{1 + e^{\text{target} \cdot \text{self}}}",
        "self": r"\frac{1}{n}\, g \cdot \text{grad\_output} \cdot \text{target}^2\, \sigma (1 - \sigma)",
    },
    summary={
        "grad_output": "sums the incoming gradient times −{target} / (1 + exp({target} × {self})) / n",
        "self": "multiplies the incoming gradient by {grad_output}, {target}² and the slope of the sigmoid, over n",
    },
)
class soft_margin_loss_backward:
    """The gradient of soft_margin_loss as an op of its own."""

    def forward(grad_output: A, self: A, target: K, reduction: int) -> A:
        z = np.exp(-target * self)
        counted = target * z * like(-share(self.shape, reduction), target) / (1 + z)
        return (counted * grad_output).astype(self.dtype)

    def grad_grad_output(g: V, self: V, target: V, reduction: V, grad_output_shape: V) -> V:
        return xp.sum_to_size(xp.soft_margin_loss_backward(g, self, target, reduction), grad_output_shape)

    def grad_self(g: V, grad_output: V, self: V, target: V, reduction: V) -> V:
        z = xp.exp(self * -target)
        bend = g * grad_output * (target * target) * z / ((z + 1) * (z + 1))
        return bend * share(self.shape, reduction)


@export("soft_margin_loss", method=False, function=False, nn=True)
def _soft_margin_loss(
    input: Tensor,  # noqa: A002
    target: Tensor,
    size_average: Option = None,
    reduce: Option = None,
    reduction: str = "mean",
) -> Any:
    """log(1 + exp(-target * input)) for targets 1 and −1."""
    number = reduction_number(reduction, size_average, reduce)
    given, aim = input, target.to(input._dtype)  # type: ignore[attr-defined]
    if given._data.shape != aim._data.shape:
        given, aim = torch_functions["broadcast_tensors"](given, aim)
    if mode.enabled and requires_grad(target):
        raise RuntimeError(
            "The function 'soft_margin_loss' is not differentiable with respect to argument 'target'. This input "
            "cannot have requires_grad True."
        )
    return apply(primitives["soft_margin_loss"], given, aim, number)


def _undifferentiable(name: str) -> Any:
    """Return the error of a gradient op without a derivative."""

    def raises(g: V) -> V:
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    return raises


def _backward(name: str, forward: Callable[..., Any]) -> None:
    """Declare a gradient as an op of its own that PyTorch has no derivative for."""
    sentence = "raises an error: PyTorch has no derivative for this op"
    inputs = [k for k, kind in forward.__annotations__.items() if kind == "A"]
    op(
        name=name,
        grad_fn="NotImplemented",
        symbol="margin′",
        latex=dict.fromkeys(inputs, r"\text{not implemented}"),
        summary=dict.fromkeys(inputs, sentence),
    )(type(name, (), {"forward": forward} | {f"grad_{k}": _undifferentiable(name) for k in inputs}))


def _rows(self: A, target: A) -> tuple[A, A, A]:
    """Return the input as rows, the target class of each, and their positions."""
    rows = self.reshape(-1, self.shape[-1]) if self.ndim else self.reshape(1, 1)
    classes = target.reshape(-1)
    if np.any((classes < 0) | (classes >= rows.shape[1])):
        raise RuntimeError("target out of range")
    return rows, classes, np.arange(len(rows))


def _short(self: A, target: A, margin: float) -> tuple[A, A, A]:
    """Return by how much each class falls short of the margin to its row's target class; 0 for that class itself."""
    rows, classes, at = _rows(self, target)
    short = np.maximum(margin - rows[at, classes][:, None] + rows, 0)
    short[at, classes] = 0
    return short, classes, at


@op(
    symbol="margin",
    latex={"self": r"\frac{g}{n\,C} \cdot p\, \max(0, m - x_y + x)^{p - 1}"},
    summary={"self": "pushes down the classes that come within the margin of the target class, and lifts that class"},
)
class multi_margin_loss:
    """The amounts by which classes fall short of the margin to the target class, to the power p, averaged."""

    def forward(self: A, target: K, p: int, margin: float, weight: K | None, reduction: int) -> A:
        require_floating(self, "multi_margin_loss_out_frame")
        short, classes, _ = _short(self, target, margin)
        powered = short if p == 1 else short * short
        if weight is not None:
            powered = powered * weight[classes][:, None]
        losses = (powered.sum(axis=1) / short.shape[1]).astype(self.dtype)
        if not losses.size:
            return losses.dtype.type(0) if reduction else losses
        return reduced(losses, reduction) if reduction else losses.reshape(target.shape)[()]

    def grad_self(g: V, self: V, target: V, p: V, margin: V, weight: V, reduction: V) -> V:
        return xp.multi_margin_loss_backward(g, self, target, p, margin, weight, reduction)


def _multi_margin_backward(
    grad_output: A, self: A, target: K, p: int, margin: float, weight: Value, reduction: int
) -> A:
    short, classes, at = _short(self, target, margin)
    slope = (short > 0).astype(self.dtype) if p == 1 else 2 * short
    if weight is not None:
        slope = slope * weight[classes][:, None]
    slope = slope / short.shape[1] * share((len(at),), reduction)
    slope[at, classes] = 0 - slope.sum(axis=1)
    incoming = np.broadcast_to(np.asarray(grad_output).reshape(-1), (len(at),))
    return (slope * incoming[:, None]).reshape(self.shape).astype(self.dtype)


_multi_margin_backward.__annotations__ = {"grad_output": "A", "self": "A", "target": "K", "weight": "K | None"}
_backward("multi_margin_loss_backward", _multi_margin_backward)


@export("multi_margin_loss", method=False, function=False, nn=True)
def _multi_margin_loss(
    input: Tensor,  # noqa: A002
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Value = None,
    size_average: Option = None,
    reduce: Option = None,
    reduction: str = "mean",
) -> Any:
    """Average, over classes, the amounts below the margin to the target class; ValueError for p other than 1 and 2."""
    number = reduction_number(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    _check_classes(input._data.shape)
    count = input._data.shape[0] if input._data.ndim == 2 else 1
    if target._data.ndim > 1 or target._data.size != count:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch "
            f"size). Expected target size [{count}], but got {list(target.shape)}. Input has shape {list(input.shape)}."
        )
    if weight is not None and weight._data.size != (classes := input._data.shape[-1] if input._data.ndim else 1):
        raise RuntimeError(f"inconsistent weight size, expected {classes} but got {list(weight.shape)}")
    for given, wanted in ((target, int64), (weight, input._dtype)):
        if given is not None and given._dtype is not wanted:
            raise RuntimeError(f"expected scalar type {wanted.type_name} but found {given._dtype.type_name}")
    return apply(primitives["multi_margin_loss"], input, target, p, margin, weight, number)


def _check_classes(shape: tuple[int, ...]) -> None:
    """Raise RuntimeError for scores of no classes at all."""
    if len(shape) > 2 or (shape and not shape[-1]):
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(shape)}"
        )


def _listed(self: A, target: A) -> tuple[A, A, A]:
    """Rows, which of their classes are targets, and which entries of the target list count (before the first −1)."""
    rows, wanted = (
        self.reshape(-1, self.shape[-1] if self.ndim else 1),
        target.reshape(-1, target.shape[-1] if target.ndim else 1),
    )
    if np.any((wanted < -1) | (wanted >= rows.shape[1])):
        raise RuntimeError("argument #2 'target' is out of range")
    counts = np.cumprod(wanted >= 0, axis=1).astype(bool)
    is_target = np.zeros(rows.shape, bool)
    at = np.nonzero(counts)
    is_target[at[0], wanted[counts]] = True
    return rows, is_target, counts


@op(
    outputs=2,
    differentiable=1,
    returns=("output", "is_target"),
    hidden=("is_target",),
    grad_fn="MultilabelMarginLossBackward0",
    symbol="margin",
    latex={"self": r"\frac{g}{n\,C} \cdot \max(0, 1 - x_y + x)'"},
    summary={"self": "pushes down the classes that come within 1 of a target class, and lifts those target classes"},
)
class multilabel_margin_loss:
    """The amounts by which classes fall short of 1 below each target class, averaged; and a mask of the targets."""

    def forward(self: A, target: K, reduction: int) -> A:
        require_floating(self, "multilabel_margin_loss_forward_out_frame")
        rows, is_target, counts = _listed(self, target)
        wanted = target.reshape(counts.shape)
        losses = np.zeros(len(rows), self.dtype)
        for i, row in enumerate(rows):
            chosen = row[wanted[i][counts[i]]]
            losses[i] = np.maximum(1 - chosen[:, None] + row[~is_target[i]], 0).sum() / row.size
        marked = is_target.astype(self.dtype).reshape(target.shape)[()]
        return (reduced(losses, reduction) if reduction else losses.reshape(self.shape[:-1])[()]), marked

    def grad_self(g: V, self: V, target: V, reduction: V, is_target: V) -> V:
        return xp.multilabel_margin_loss_backward(g, self, target, reduction, is_target)


def _multilabel_margin_backward(grad_output: A, self: A, target: K, reduction: int, is_target: K) -> A:
    rows, marked, counts = _listed(self, target)
    wanted = target.reshape(counts.shape)
    out = np.zeros(rows.shape, self.dtype)
    for i, row in enumerate(rows):
        for chosen in wanted[i][counts[i]]:
            near = (1 - row[chosen] + row > 0) & ~marked[i]
            out[i][near] += 1 / row.size
            out[i, chosen] -= np.count_nonzero(near) / row.size
    incoming = np.broadcast_to(np.asarray(grad_output).reshape(-1), (len(rows),))
    return (out * incoming[:, None] * share((len(rows),), reduction)).reshape(self.shape).astype(self.dtype)


_multilabel_margin_backward.__annotations__ = {"grad_output": "A", "self": "A", "target": "K", "is_target": "K"}
_backward("multilabel_margin_loss_backward", _multilabel_margin_backward)


@export("multilabel_margin_loss", method=False, function=False, nn=True)
def _multilabel_margin_loss(
    input: Tensor,  # noqa: A002
    target: Tensor,
    size_average: Option = None,
    reduce: Option = None,
    reduction: str = "mean",
) -> Any:
    """Average the amounts by which classes fall short of 1 below each target; a row of targets ends at its first −1."""
    number = reduction_number(reduction, size_average, reduce)
    _check_classes(input._data.shape)
    if input._data.shape != target._data.shape:
        raise RuntimeError(f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}")
    return apply(primitives["multilabel_margin_loss"], input, target, number)[0]


@export(method=False, function=False, nn=True)
def multilabel_soft_margin_loss(
    input: Value,  # noqa: A002
    target: Value,
    weight: Value = None,
    size_average: Option = None,
    reduce: Option = None,
    reduction: str = "mean",
) -> Value:
    """Binary cross entropy of each class from logits, averaged over classes."""
    name = reduction_name(reduction, size_average, reduce)
    logsigmoid = functional["logsigmoid"]
    loss = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        loss = loss * weight
    dim = input.dim() - 1
    loss = loss.sum(dim=dim) / input.size(dim)
    if name not in ("none", "mean", "sum"):
        raise ValueError(f"{name} is not valid")
    return reduce_tensor(loss, reduction_number(name))
