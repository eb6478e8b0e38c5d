"""nn.init and the first values of layers: PyTorch's numbers for a seed."""

from __future__ import annotations

from typing import Any

import pytest

FIRST = {
    "uniform_": [0.4962566, 0.7682218],
    "normal_": [1.540996, -0.2934289],
    "xavier_uniform_": [-0.008201401, 0.5876445],
    "xavier_normal_": [0.9746115, -0.1855807],
    "kaiming_uniform_": [-0.01058796, 0.7586458],
    "trunc_normal_": [1.540996, -0.2934289],
    "orthogonal_": [0.5739809, -0.1092946],
}


@pytest.mark.parametrize("name", FIRST)
def test_numbers_of_a_seed(torch: Any, name: str) -> None:
    """The first two numbers that each way of initialising draws after manual_seed(0)."""
    torch.manual_seed(0)
    drawn = getattr(torch.nn.init, name)(torch.empty(2, 3))
    assert drawn.flatten()[:2].tolist() == pytest.approx(FIRST[name], rel=1e-4)


def test_layers_draw_in_order(torch: Any) -> None:
    """Weights before biases, layer by layer; what comes next is where PyTorch's generator is."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Bilinear(1, 2, 1), torch.nn.PReLU())
    assert net[0].weight.flatten().tolist() == pytest.approx([-0.0052940, 0.3793229, -0.5819916, -0.5203593], rel=1e-4)
    assert torch.rand(1).item() == pytest.approx(0.6323063)


def test_skipped_initialisation_draws_nothing(torch: Any) -> None:
    """skip_init makes a layer without touching the generator."""
    torch.manual_seed(0)
    torch.nn.utils.skip_init(torch.nn.Linear, 2, 2)
    assert torch.rand(1).item() == pytest.approx(0.4962566)


def test_parameters_stay_leaves(torch: Any) -> None:
    """Initialising is not recorded, and returns the tensor itself."""
    weight = torch.nn.Parameter(torch.empty(2, 2))
    assert torch.nn.init.ones_(weight) is weight
    assert weight.is_leaf and weight.requires_grad and weight.tolist() == [[1.0, 1.0], [1.0, 1.0]]
