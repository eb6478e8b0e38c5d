"""Losses between distributions: Kullback-Leibler, Poisson, Gaussian."""

from __future__ import annotations

import math
from typing import Any

from backscope.autograd.evaluation import composed
from backscope.autograd.modes.grad_mode import no_grad
from backscope.ops.core.namespace import export, torch_functions
from backscope.ops.loss.reducing_loss import reduce_tensor, reduction_name, reduction_number
from backscope.runtime.given import Option, Value
from backscope.runtime.warning import warn
from backscope.tensor.tensor import Tensor


@composed
def _kl_div(input: Value, target: Value, reduction: int, log_target: bool) -> Any:  # noqa: A002
    if input._dtype.is_complex or target._dtype.is_complex:
        raise RuntimeError("kl_div: Complex inputs not supported.")
    if input._dtype.category < 2 or target._dtype.category < 2:
        raise RuntimeError("kl_div: Integral inputs not supported.")
    if log_target:
        terms = target.exp() * (target - input)
    else:
        product = target * input  # First, as in PyTorch: gradients add up in this order.
        terms = torch_functions["xlogy"](target, target) - product
    return reduce_tensor(terms, reduction)


@export("kl_div", function=False, method=False, nn=True)
def _kl_div_function(
    input: Tensor,  # noqa: A002
    target: Tensor,
    size_average: Option = None,
    reduce: Option = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Any:
    """The Kullback-Leibler divergence of a target distribution from log probabilities."""
    if size_average is not None or reduce is not None:
        number = reduction_number(reduction, size_average, reduce)
    elif reduction == "batchmean":
        number = 2
    else:
        if reduction == "mean":
            warn(
                "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' "
                "divides only by the batch size, and aligns with the KL div math definition.'mean' will be changed to "
                "behave the same as 'batchmean' in the next major release."
            )
        number = reduction_number(reduction)
    found = _kl_div(input, target, number, log_target)
    if reduction == "batchmean" and input._data.ndim:
        found = found / input._data.shape[0]
    return found


@composed
def _poisson(input: Value, target: Value, log_input: bool, full: bool, eps: float, reduction: int) -> Any:  # noqa: A002
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        last = (target * (2 * math.pi)).log() * 0.5  # First, as in PyTorch: gradients add up in this order.
        stirling = target * target.log() - target + last
        loss = loss + stirling.masked_fill(target <= 1, 0)
    return reduce_tensor(loss, reduction)


@export("poisson_nll_loss", function=False, method=False, nn=True)
def _poisson_nll_loss(
    input: Tensor,  # noqa: A002
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: Option = None,
    eps: float = 1e-8,
    reduce: Option = None,
    reduction: str = "mean",
) -> Any:
    """Minus the log probability of counts under Poisson distributions of rate input, or exp(input)."""
    name = reduction_name(reduction, size_average, reduce)
    if name not in ("none", "mean", "sum"):
        raise ValueError(f"{name} is not a valid value for reduction")
    return _poisson(input, target, log_input, full, eps, reduction_number(name))


@export("gaussian_nll_loss", function=False, method=False, nn=True)
def _gaussian_nll_loss(
    input: Value,  # noqa: A002
    target: Value,
    var: Value,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Any:
    """Minus the log probability of a target under normal distributions; ValueError for a variance that can't be."""
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * torch_functions["ones_like"](input)
    elif (var < 0).any():
        raise ValueError("var has negative entry/entries")
    size, own = tuple(input.shape), tuple(var.shape)
    if own != size:
        if size[:-1] == own:
            var = var.unsqueeze(-1)
        elif len(size) != len(own) or sum(b for a, b in zip(size, own, strict=True) if a != b) != 1:
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid")
    var = var.clone()
    with no_grad():
        var.clamp_(min=eps)
    loss = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        loss += 0.5 * math.log(2 * math.pi)
    return reduce_tensor(loss, reduction_number(reduction))
