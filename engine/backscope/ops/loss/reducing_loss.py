"""Reductions of element losses, and the warnings about deprecated arguments for them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.ops.core.declaration import A
from backscope.ops.pointwise.arithmetic import like
from backscope.runtime.given import Option, Shape, Value, Values
from backscope.runtime.warning import warn
from backscope.tensor.dtype import LOW_PRECISION, dtype
from backscope.tensor.tensor import Tensor

REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}
"""The reductions of element losses by the number that PyTorch's nodes save."""


def legacy_reduction(size_average: Option, reduce: Option) -> str:
    """The reduction that two deprecated arguments select, with the warning about them."""
    size_average = True if size_average is None else size_average
    reduce = True if reduce is None else reduce
    name = "mean" if size_average and reduce else "sum" if reduce else "none"
    warn(f"size_average and reduce args will be deprecated, please use reduction='{name}' instead.")
    return name


def reduction_name(reduction: str, size_average: Option = None, reduce: Option = None) -> str:
    """Return the name of the reduction, given by name or by the deprecated arguments."""
    return reduction if size_average is None and reduce is None else legacy_reduction(size_average, reduce)


def reduction_number(reduction: str, size_average: Option = None, reduce: Option = None) -> int:
    """The number of a reduction; ValueError for an unknown one."""
    name = reduction_name(reduction, size_average, reduce)
    if name == "elementwise_mean":
        warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.")
        return 1
    number = REDUCTIONS.get(name)
    if number is None:
        raise ValueError(f"{name} is not a valid value for reduction")
    return number


def legacy_reduction_name(size_average: Option, reduce: Option, emit_warning: bool = True) -> str:
    """The reduction that the two older arguments name."""
    if reduce is False:
        return "none"
    return "sum" if size_average is False else "mean"


def legacy_reduction_number(size_average: Option, reduce: Option, emit_warning: bool = True) -> int:
    """The number of the reduction that the two older arguments name."""
    return REDUCTIONS[legacy_reduction_name(size_average, reduce, emit_warning)]


def reduced(value: A, reduction: int) -> A:
    """Return element losses unreduced, averaged or summed."""
    if reduction == 0:
        return value
    if dtype.table[value.dtype] in LOW_PRECISION:
        wide = value.astype(np.float32)
        return np.asarray(_mean(wide) if reduction == 1 else wide.sum()).astype(value.dtype)[()]
    return _mean(value) if reduction == 1 else value.sum()


def _mean(value: A) -> A:
    """The mean of all elements, NaN where there are none."""
    return value.mean() if value.size else value.dtype.type(np.nan)


def averaged(gradient: A, shape: Shape, reduction: int) -> A:
    """Divide the gradient of element losses by their number, if their mean was taken."""
    count = math.prod(shape)
    return gradient / like(count, gradient) if reduction == 1 and count else gradient * share(shape, reduction)


def share(shape: Shape, reduction: int) -> float:
    """Return the weight of each element's loss in the reduced one."""
    if reduction != 1:
        return 1.0
    count = math.prod(shape)
    return 1 / count if count else float("nan")


def reduce_tensor(terms: Values, reduction: int) -> Value:
    """Element losses as a Tensor, reduced by recorded ops."""
    return terms if reduction == 0 else terms.mean() if reduction == 1 else terms.sum()


def weighed(terms: Values, weight: Value, reduction: str, *, by_weight: bool = True) -> Value:
    """Element losses times weights, reduced; the mean is over the sum of the weights, or over the elements."""
    terms = terms * weight
    if reduction == "none":
        return terms
    if reduction == "sum":
        return terms.sum()
    if reduction == "mean":
        return terms.sum() / weight.sum() if by_weight else terms.mean()
    raise ValueError(f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'.")


def broadcast(input: Tensor, target: Tensor) -> tuple[Any, Any]:  # noqa: A002
    """Broadcast input and target to one shape, with PyTorch's warning where the shapes differ."""
    for given in (target, input):
        if not isinstance(given, Tensor):
            raise AttributeError(f"'{type(given).__name__}' object has no attribute 'size'")
    if input._data.shape != target._data.shape:
        warn(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will "
            "likely lead to incorrect results due to broadcasting. Please ensure they have the same size."
        )
        from backscope.ops.core.broadcasting import broadcast_tensors

        input, target = broadcast_tensors(input, target)  # noqa: A001
    return input, target


def check_weight(weight: Tensor, input: Tensor) -> None:  # noqa: A002
    """Raise ValueError for weights of another size than the input."""
    if weight._data.shape != input._data.shape:
        raise ValueError("Weights and input must have the same size.")
