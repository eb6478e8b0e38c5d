"""What a formula masks is 0 also of gradients that are NaN or infinite: PyTorch fills in and multiplies nothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from backscope import torch

F = torch.nn.functional
X = [-4.0, 0.0, 2.0, 7.0]

MASKED: dict[str, tuple[Callable[[Any], Any], list[bool]]] = {
    "relu": (torch.relu, [False, False, True, True]),
    "threshold": (lambda x: F.threshold(x, 3.0, 0.0), [False, False, False, True]),
    "hardswish": (F.hardswish, [False, True, True, True]),
    "max": (lambda x: x.max(), [False, False, False, True]),
    "min": (lambda x: x.min(), [True, False, False, False]),
    "median": (lambda x: x.median(), [False, True, False, False]),
}
"""An op, and of which elements its gradient is not masked."""


@pytest.mark.parametrize("incoming", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("name", MASKED)
def test_masked_elements_get_zero_of_any_gradient(name: str, dtype: Any, incoming: float) -> None:
    """A NaN that the real PyTorch stops at a relu must not go on into the weights before it."""
    op, passes = MASKED[name]
    x = torch.tensor(X, dtype=dtype, requires_grad=True)
    y = op(x)
    y.backward(torch.full_like(y, incoming))
    assert [math.isfinite(g) for g in x.grad.tolist()] == [not there for there in passes]
    assert [g for g in x.grad.tolist() if math.isfinite(g)] == [0.0] * passes.count(False)


def test_zero_of_a_negative_gradient_is_positive() -> None:
    """A product with the mask would print -0."""
    x = torch.tensor(X, requires_grad=True)
    (-torch.relu(x)).sum().backward()
    assert str(x.grad) == "tensor([ 0.,  0., -1., -1.])"


def test_numbers_without_a_dim_are_masked_too() -> None:
    x = torch.tensor(-1.0, requires_grad=True)
    torch.relu(x).backward(torch.tensor(math.nan))
    assert x.grad.item() == 0


@pytest.mark.parametrize("other", [1.0, math.inf, math.nan])
def test_a_product_with_two_zeros_sends_zeros(other: float) -> None:
    x = torch.tensor([0.0, other, 0.0], requires_grad=True)
    x.prod().backward()
    assert x.grad.tolist() == [0, 0, 0]


@pytest.mark.parametrize("loss", [F.smooth_l1_loss, F.huber_loss])
def test_the_slope_of_a_robust_loss_at_nan_is_nan(loss: Callable[..., Any]) -> None:
    """A gradient of 0 would hide that the prediction is NaN."""
    x = torch.tensor([math.nan, 3.0], requires_grad=True)
    loss(x, torch.zeros(2), reduction="sum").backward()
    assert math.isnan(x.grad[0].item()) and x.grad[1].item() == 1
