"""Parametrizations, weight norm, clipping: tensors of modules made from others, and gradients made smaller."""

from __future__ import annotations

from typing import Any

import pytest


def test_a_parametrized_weight_is_computed_on_reading(torch: Any) -> None:
    """The original is the parameter; assignment goes through right_inverse; removal leaves the value."""

    class Doubled(torch.nn.Module):  # type: ignore[name-defined, misc]
        def forward(self, x: Any) -> Any:
            return x * 2

        def right_inverse(self, x: Any) -> Any:
            return x / 2

    layer = torch.nn.Linear(1, 1, bias=False)
    parametrize = torch.nn.utils.parametrize
    parametrize.register_parametrization(layer, "weight", Doubled())
    layer.weight = torch.full((1, 1), 6.0)
    assert [n for n, _ in layer.named_parameters()] == ["parametrizations.weight.original"]
    assert layer.parametrizations.weight.original.item() == 3.0
    layer(torch.ones(1, 1)).backward()
    assert layer.parametrizations.weight.original.grad.item() == 2.0
    parametrize.remove_parametrizations(layer, "weight")
    assert (type(layer), layer.weight.item()) == (torch.nn.Linear, 6.0)


def test_weight_norm_divides_length_from_direction(torch: Any) -> None:
    """The gradient by the direction has no part along it."""
    layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(3, 2, bias=False))
    layer(torch.tensor([[1.0, 2.0, 3.0]])).sum().backward()
    direction = layer.parametrizations.weight.original1
    assert (direction * direction.grad).sum(1).abs().max().item() < 1e-6


def test_clipping_scales_all_gradients_alike(torch: Any) -> None:
    """The norm before is returned; afterwards it is the maximum."""
    a, b = torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.ones(1))
    a.grad, b.grad = torch.tensor([3.0, 0.0]), torch.tensor([4.0])
    assert torch.nn.utils.clip_grad_norm_([a, b], 1.0).item() == 5.0
    assert a.grad.tolist() == pytest.approx([0.6, 0.0], abs=1e-5)
    torch.nn.utils.clip_grad_value_([a, b], 0.5)
    assert (a.grad[0].item(), b.grad.item()) == (0.5, 0.5)
