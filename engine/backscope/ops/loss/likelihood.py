"""Losses of classes: nll_loss and cross_entropy."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from backscope.autograd.evaluation import composed
from backscope.ops.activation.activation import require_floating
from backscope.ops.core.declaration import A, K, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import export
from backscope.ops.core.stepwise_sums import cascade_sum
from backscope.ops.loss.loss import check_tensors
from backscope.ops.loss.reducing_loss import reduction_number
from backscope.runtime.given import Dtype, Option, Shape, Value
from backscope.tensor.tensor import Tensor


def _places(
    shape: Shape, kind: Dtype, target: A, weight: Value, ignore_index: int, *, all_count: bool
) -> tuple[Any, Any]:
    """Return the key of the target classes in an array of `shape`, and their weights; None where they `all_count` 1."""
    classes, scale = target, None
    if not all_count:
        kept = target != ignore_index
        classes = np.where(kept, target, 0)
        scale = kept.astype(kind) if weight is None else np.where(kept, weight[classes], 0).astype(kind)
    if len(shape) == 1:
        return (classes.reshape(()),), None if scale is None else scale.reshape(())
    if len(shape) == 2:
        return (np.arange(shape[0]), classes), scale
    first, *rest = np.indices(target.shape, sparse=True)
    return (first, classes, *rest), scale


def _check_classes(count: int, target: Value, ignore_index: int) -> bool:
    """True where all targets are classes and none is ignored; IndexError for one that is neither."""
    unsigned = target.view(np.uint64) if target.dtype == np.int64 else target  # Negative numbers are the largest.
    if target.size and not np.maximum.reduce(unsigned, None) < count:
        wrong = target[(target != ignore_index) & ((target < 0) | (target >= count))]
        if wrong.size:
            raise IndexError(f"Target {wrong.flat[0]} is out of bounds.")
        return False
    return not (0 <= ignore_index < count and (target == ignore_index).any())


def _in_flat(shape: Shape, target: A) -> Any:
    """Return the positions of the rows' target classes in the flat array."""
    rows, classes = shape
    return target + (_starts if rows <= _MANY else _starts.__wrapped__)(rows, classes)


_MANY = 8192
"""The largest number of rows for which the array of row starts is kept."""


@lru_cache(64)
def _starts(rows: int, classes: int) -> Any:
    made = np.arange(0, rows * classes, classes)
    made.flags.writeable = False
    return made


def _nll(name: str, grad_fn: str, kernel: str) -> None:
    """Declare nll_loss of rows, or of images, and its gradient as an op of its own."""

    def forward(self: A, target: K, weight: Value, reduction: int, ignore_index: int) -> A:
        require_floating(self, kernel)
        at = np.asarray(target)
        plain = _check_classes(self.shape[-1 if self.ndim < 3 else 1], at, ignore_index) and weight is None
        value = wide(self)
        scale: Any = None
        if plain and self.ndim == 2 and value.flags.c_contiguous and value.size:
            losses = -value.take(_in_flat(self.shape, at))
        else:
            places, scale = _places(self.shape, value.dtype, at, weight, ignore_index, all_count=plain)
            losses = -value[places]
        if scale is not None:
            losses = np.where(scale == 0, 0, losses * scale)
        if reduction == 0:
            return losses.astype(self.dtype)[()], np.zeros((), self.dtype)[()]
        if value is not self:
            kept = at.ravel() != ignore_index
            summed = cascade_sum(losses.astype(self.dtype).ravel(), kept)
            total = kept.sum() if weight is None else cascade_sum(scale.astype(self.dtype).ravel(), kept)
            return summed if reduction == 2 else summed / summed.dtype.type(total), np.asarray(total, self.dtype)[()]
        total = value.dtype.type(losses.size) if scale is None else scale.sum(dtype=value.dtype)
        summed = np.add.reduce(losses, None)
        return summed if reduction == 2 else summed / total, total

    def grad_self(g: V, self: V, target: V, weight: V, reduction: V, ignore_index: V, total_weight: V) -> V:
        return getattr(xp, name + "_backward")(g, self, target, weight, reduction, ignore_index, total_weight)

    forward.__annotations__ = {"self": "A", "target": "K", "weight": "K | None"}
    op(
        name=name,
        grad_fn=grad_fn + "Backward0",
        outputs=2,
        differentiable=1,
        returns=("output", "total_weight"),
        hidden=("total_weight",),
        symbol="nll",
        latex={"self": r"-\frac{g\, w}{\text{total\_weight}}\ \text{at the target}"},
        summary={"self": "puts −{g} × weight / total weight at each row's target class, 0 elsewhere"},
    )(type(name, (), {"forward": forward, "grad_self": grad_self, "__doc__": "Minus the log probability."}))

    def backward(
        grad_output: A, self: A, target: K, weight: Value, reduction: int, ignore_index: int, total_weight: K
    ) -> A:
        at = np.asarray(target)
        plain = weight is None and not np.count_nonzero(at == ignore_index)
        rowwise = self.flags.c_contiguous
        out = np.zeros(self.shape, self.dtype) if rowwise else np.zeros_like(self)
        if plain and rowwise and self.ndim == 2:
            factor = -grad_output if reduction != 1 else -grad_output / total_weight
            out.reshape(-1)[_in_flat(self.shape, at)] = factor
            return out
        places, scale = _places(self.shape, self.dtype, at, weight, ignore_index, all_count=plain)
        factor = -grad_output if scale is None else -grad_output * scale
        if reduction == 1:
            factor = factor / total_weight
        out[places] = factor if scale is None else np.where(scale == 0, 0, factor)
        return out

    def grad_grad_output(g: V, target: V, weight: V, reduction: V, ignore_index: V) -> V:
        if isinstance(g, Tensor):
            return apply(primitives[name], g, target, weight, reduction, ignore_index)[0]
        return primitives[name].forward(g, target, weight, reduction, ignore_index)[0]

    def again_self(g: V) -> V:
        return xp.zeros_like(g)

    backward.__annotations__ = {
        "grad_output": "A", "self": "A", "target": "K", "weight": "K | None", "total_weight": "K",
    }  # fmt: skip
    op(
        name=name + "_backward",
        symbol="nll′",
        grad_fn=grad_fn + "BackwardBackward0",
        latex={"grad_output": r"\text{nll}(g)", "self": "0"},
        summary={"grad_output": "picks the incoming gradient at the targets", "self": "sends 0: the loss is linear"},
    )(
        type(
            name + "_backward",
            (),
            {"forward": backward, "grad_grad_output": grad_grad_output, "grad_self": again_self},
        )
    )


_nll("nll_loss", "NllLoss", "nll_loss_out_frame")
_nll("nll_loss2d", "NllLoss2D", "nll_loss2d_forward_out_frame")


def _check_target_type(target: Tensor) -> None:
    if target._dtype.name not in ("int64", "uint8"):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {target._dtype.type_name}")


def _of_rows(input: Value, target: Value, weight: Value, reduction: int, ignore_index: int) -> Any:  # noqa: A002
    shape, wanted = input._data.shape, target._data.shape
    if len(wanted) > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if len(shape) == 1 and len(wanted) == 1 and wanted[0] != 1:
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {wanted[0]}")
    if len(shape) == 2 and shape[:1] != wanted:
        raise RuntimeError(f"size mismatch (got input: {list(shape)}, target: {list(wanted)})")
    _check_weight(shape[-1], weight, "")
    _check_target_type(target)
    return apply(primitives["nll_loss"], input, target, weight, reduction, ignore_index)[0]


def _check_weight(count: int, weight: Value, prefix: str) -> None:
    if weight is not None and weight._data.shape != (count,):
        raise RuntimeError(
            f"{prefix}weight tensor should be defined either for all {count} classes or no classes but got weight "
            f"tensor of shape: {list(weight.shape)}"
        )


def _of_images(input: Value, target: Value, weight: Value, reduction: int, ignore_index: int) -> Any:  # noqa: A002
    shape, wanted = input._data.shape, target._data.shape
    if len(wanted) != 3:
        raise RuntimeError(
            f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {len(wanted)}"
        )
    if weight is not None and weight._data.size != shape[1]:
        raise RuntimeError("weight tensor should be defined either for all or no classes")
    if (shape[0], *shape[2:]) != wanted:
        raise RuntimeError(
            f"input and target batch or spatial sizes don't match: target {list(wanted)}, input {list(shape)}"
        )
    _check_target_type(target)
    return apply(primitives["nll_loss2d"], input, target, weight, reduction, ignore_index)[0]


def _nll_of_any(input: Value, target: Value, weight: Value, reduction: int, ignore_index: int) -> Any:  # noqa: A002
    """Compute nll_loss by the rank of the input: rows, images, or other ranks reshaped to images of one row."""
    shape, wanted = input._data.shape, target._data.shape
    if not shape:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if len(shape) > 1 and shape[0] != (wanted[0] if wanted else None):
        count = wanted[0] if wanted else 0
        raise ValueError(f"Expected input batch_size ({shape[0]}) to match target batch_size ({count}).")
    if len(shape) <= 2:
        return _of_rows(input, target, weight, reduction, ignore_index)
    if len(shape) == 4:
        return _of_images(input, target, weight, reduction, ignore_index)
    n, classes, *rest = shape
    if tuple(rest) != wanted[1:]:
        raise RuntimeError(f"Expected target size {[n, *rest]}, got {list(wanted)}")
    flat = [1, -1] if input._data.size else [0, 0]
    found = _of_images(
        input.contiguous().view([n, classes, *flat]),
        target.contiguous().view([n, *flat]),
        weight,
        reduction,
        ignore_index,
    )
    return found if reduction else found.view([n, *rest])


@export("nll_loss", function=False, method=False, nn=True)
def _nll_loss(
    input: Tensor,  # noqa: A002
    target: Tensor,
    weight: Value = None,
    size_average: Option = None,
    ignore_index: int = -100,
    reduce: Option = None,
    reduction: str = "mean",
) -> Any:
    """Minus the log probability of each row's target class; IndexError for a target that is no class."""
    number = reduction_number(reduction, size_average, reduce)
    check_tensors("nll_loss_nd", input=input, target=target)
    return _nll_of_any(input, target, weight, number, ignore_index)


@export("cross_entropy", function=False, method=False, nn=True)
def _cross_entropy(
    input: Tensor,  # noqa: A002
    target: Tensor,
    weight: Value = None,
    size_average: Option = None,
    ignore_index: int = -100,
    reduce: Option = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """log_softmax and nll_loss in one; a target of the input's shape is probabilities."""
    number = reduction_number(reduction, size_average, reduce)
    check_tensors("cross_entropy_loss", input=input, target=target)
    return _composed(input, target, weight, number, ignore_index, label_smoothing)


@composed
def _composed(
    input: Value,  # noqa: A002
    target: Value,
    weight: Value,
    reduction: int,
    ignore_index: int,
    label_smoothing: float,
) -> Any:
    dim = 0 if input._data.ndim == 1 else 1
    if input._data.shape == target._data.shape:
        if not target._dtype.is_floating_point:
            raise RuntimeError(
                f"Expected floating point type for target with class probabilities, got {target._dtype.type_name}"
            )
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        return _of_probabilities(input, target, weight, reduction, label_smoothing, dim)
    if label_smoothing > 0:
        _check_smoothing(label_smoothing)
        return _smoothed(input, target, weight, reduction, ignore_index, label_smoothing, dim)
    return _nll_of_any(_logarithms(input, dim), target, weight, reduction, ignore_index)


def _logarithms(input: Value, dim: int) -> Any:  # noqa: A002
    return input.log_softmax(dim)


def _check_smoothing(label_smoothing: float) -> None:
    if label_smoothing > 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")


def _along(weight: Value, ndim: int, dim: int) -> Any:
    return weight.view([-1 if d == dim else 1 for d in range(ndim)])


def _of_probabilities(input: Value, target: Value, weight: Value, reduction: int, smoothing: float, dim: int) -> Any:  # noqa: A002
    classes = input._data.shape[dim]
    _check_weight(classes, weight, "cross_entropy: ")
    logs = _logarithms(input, dim)
    if smoothing > 0:
        _check_smoothing(smoothing)
        target = target * (1 - smoothing) + smoothing / classes
    terms = logs * target
    if weight is not None:
        terms = terms * _along(weight, logs._data.ndim, dim)
    if reduction == 0:
        return -terms.sum(dim)
    total = -terms.sum()
    if reduction == 2:
        return total
    return total / (logs._data.size // classes) if logs._data.size else total.fill_(float("nan"))


def _smoothed(
    input: Value,  # noqa: A002
    target: Value,
    weight: Value,
    reduction: int,
    ignore_index: int,
    smoothing: float,
    dim: int,
) -> Any:
    """The loss of the targets and that of all classes, by the share that label smoothing gives these."""
    logs = _logarithms(input, dim)
    hard = _nll_of_any(logs, target, weight, reduction, ignore_index)
    terms = -(logs if weight is None else logs * _along(weight, logs._data.ndim, dim)).sum(dim)
    ignored = target == ignore_index
    smooth = terms.masked_fill(ignored, 0.0)
    if reduction == 1:
        counts = ~ignored if weight is None else weight.gather(0, target.masked_select(~ignored).flatten())
        smooth = smooth.sum() / counts.sum()
    elif reduction == 2:
        smooth = smooth.sum()
    return hard * (1 - smoothing) + smooth * (smoothing / logs._data.shape[dim])
