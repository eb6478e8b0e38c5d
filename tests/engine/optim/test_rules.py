"""The rule of each optimizer: parameters after four steps, as PyTorch 2.13.0 has them, real and complex."""

from __future__ import annotations

import re
from typing import Any

import pytest

MATRIX = [[1.0, 2.0], [3.0, 4.0]]

CASES: dict[str, tuple[str, dict[str, Any], list[float], Any]] = {
    "Adam": ("Adam", {}, [0.9960001707077026, -2.004000186920166], (0.9960002303123474 + 1.9960001707077026j)),
    "Adam amsgrad": (
        "Adam",
        {"lr": 0.1, "amsgrad": True, "weight_decay": 0.1},
        [0.6023324728012085, -2.401130199432373],
        (0.6039391160011292 + 1.601504921913147j),
    ),
    "Adam maximize": (
        "Adam",
        {"lr": 0.1, "maximize": True, "betas": (0.8, 0.9)},
        [1.4012830257415771, -1.6029502153396606],
        (1.4013701677322388 + 2.400937795639038j),
    ),
    "Adam decoupled": (
        "Adam",
        {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True},
        [0.5689392685890198, -2.3162224292755127],
        (0.5710476636886597 + 1.529032588005066j),
    ),
    "Adam fused": (
        "Adam",
        {"lr": 0.1, "fused": True},
        [0.6021601557731628, -2.401106834411621],
        [[0.6039390563964844, 1.601504921913147], [2.6009135246276855, 3.6006534099578857]],
    ),
    "Adam foreach": (
        "Adam",
        {"lr": 0.1, "foreach": True},
        [0.6021601557731628, -2.401106834411621],
        (0.6039391160011292 + 1.601504921913147j),
    ),
    "AdamW": (
        "AdamW",
        {"lr": 0.1},
        [0.5987880825996399, -2.392510175704956],
        (0.6005985736846924 + 1.5941530466079712j),
    ),
    "RMSprop": ("RMSprop", {}, [0.730320930480957, -2.2900137901306152], (0.7353891134262085 + 1.7277138233184814j)),
    "RMSprop centered": (
        "RMSprop",
        {"centered": True, "momentum": 0.9, "weight_decay": 0.1},
        [0.32571378350257874, -2.7350986003875732],
        (0.34247416257858276 + 1.3179662227630615j),
    ),
    "Adagrad": (
        "Adagrad",
        {"lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.5},
        [0.978628933429718, -2.023033857345581],
        (0.9802326560020447 + 1.9767225980758667j),
    ),
    "Adadelta": (
        "Adadelta",
        {"weight_decay": 0.1},
        [0.9869759678840637, -2.0130836963653564],
        (0.986984133720398 + 1.9869660139083862j),
    ),
    "Adamax": (
        "Adamax",
        {"weight_decay": 0.1},
        [0.991998016834259, -2.0079903602600098],
        (0.992000937461853 + 1.9919945001602173j),
    ),
    "NAdam": (
        "NAdam",
        {"weight_decay": 0.1},
        [0.9933981895446777, -2.00661301612854],
        (0.9933996796607971 + 1.9933964014053345j),
    ),
    "NAdam decoupled": (
        "NAdam",
        {"weight_decay": 0.1, "decoupled_weight_decay": True},
        [0.9926011562347412, -2.005009651184082],
        (0.9926030039787292 + 1.99180006980896j),
    ),
    "RAdam": (
        "RAdam",
        {"lr": 0.1, "betas": (0.5, 0.6)},
        [0.6988046765327454, -2.666210412979126],
        (0.7753434181213379 + 1.5506868362426758j),
    ),
    "ASGD": (
        "ASGD",
        {"lr": 0.1, "t0": 1, "weight_decay": 0.1},
        [0.6730687618255615, -2.596806764602661],
        (0.7480223774909973 + 1.4960447549819946j),
    ),
    "Rprop": (
        "Rprop",
        {"etas": (0.4, 1.5)},
        [0.9187500476837158, -2.0812501907348633],
        (0.9187500476837158 + 1.9187500476837158j),
    ),
    "Adafactor": (
        "Adafactor",
        {"weight_decay": 0.1},
        [0.9331326484680176, -2.055830717086792],
        [[0.9139657616615295, 1.8751270771026611], [2.8768091201782227, 3.8789472579956055]],
    ),
}


def minimize(torch: Any, name: str, options: dict[str, Any], second: Any) -> Any:
    """A vector and `second` after four steps."""
    w = torch.tensor([1.0, -2.0], requires_grad=True)
    z = torch.tensor(second, requires_grad=True)
    optimizer = getattr(torch.optim, name)([w, z], **options)
    for _ in range(4):
        optimizer.zero_grad()
        (0.1 * (w**3).sum() + (w * torch.tensor([0.5, 0.25])).sum() + (abs(z) ** 2).sum() * 0.3).backward()
        optimizer.step()
    return w, z


@pytest.mark.parametrize("case", CASES)
def test_four_steps(torch: Any, case: str) -> None:
    """A slip in any term of a rule changes these numbers."""
    name, options, first, second = CASES[case]
    w, z = minimize(torch, name, options, MATRIX if isinstance(second, list) else 1 + 2j)
    assert w.tolist() == pytest.approx(first, rel=2e-6)
    if isinstance(second, list):
        assert torch.tensor(z.tolist()).reshape(-1).tolist() == pytest.approx(second[0] + second[1], rel=2e-6)
    else:
        assert z.item() == pytest.approx(second, rel=2e-6)


@pytest.mark.parametrize("line_search", [None, "strong_wolfe"])
def test_lbfgs_finds_the_minimum(torch: Any, line_search: str | None) -> None:
    """A quadratic bowl is solved in one step of several evaluations, counted in the state."""
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    optimizer = torch.optim.LBFGS([w], line_search_fn=line_search)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = ((w - torch.tensor([3.0, -1.0])) ** 2 * torch.tensor([1.0, 5.0])).sum()
        loss.backward()
        return loss

    assert optimizer.step(closure).item() == 49.0
    assert w.tolist() == pytest.approx([3.0, -1.0], abs=1e-3)
    assert optimizer.state_dict()["state"][0]["func_evals"] > 2


def test_muon_steps_by_an_orthogonal_matrix(torch: Any) -> None:
    """Each step's singular values are near lr, whatever the gradient's are."""
    w = torch.eye(3).requires_grad_()
    optimizer = torch.optim.Muon([w], lr=0.1, weight_decay=0.0)
    w.grad = torch.diag(torch.tensor([1.0, 2.0, 3.0]))
    optimizer.step()
    change = (torch.eye(3) - w.detach()).diagonal().tolist()
    assert all(0.05 < c < 0.15 for c in change)


def test_versions_are_bumped(torch: Any) -> None:
    """A step between forward and backward is an in-place change that the backward pass notices."""
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.Adam([w])
    loss = (w * w).sum()
    loss.backward(retain_graph=True)
    optimizer.step()
    assert w._version == 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_learning_rate_learned_through_a_step(torch: Any) -> None:
    """With differentiable=True the step is on the tape, up to the learning rate."""
    lr = torch.tensor(0.1, requires_grad=True)
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    moved = w.clone()
    moved.retain_grad()
    optimizer = torch.optim.SGD([moved], lr=lr, differentiable=True)
    moved.grad = torch.tensor([0.5, 0.25])
    optimizer.step()
    moved.sum().backward()
    assert lr.grad.item() == -0.75
    assert w.grad.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("name", "options", "text"),
    [
        ("Adam", {"betas": (1.0, 0.9)}, "Invalid beta parameter at index 0: 1.0"),
        ("Adam", {"eps": -1}, "Invalid epsilon value: -1"),
        ("Adam", {"lr": -0.1}, "Invalid learning rate: -0.1"),
        ("AdamW", {"weight_decay": -1}, "Invalid weight_decay value: -1"),
        ("RMSprop", {"alpha": -1}, "Invalid alpha value: -1"),
        ("Adadelta", {"rho": 2}, "Invalid rho value: 2"),
        ("Rprop", {"etas": (2.0, 1.0)}, "Invalid eta values: 2.0, 1.0"),
        ("Adafactor", {"d": 0.5}, "Clipping threshold d should be >= 1 but is: 0.5"),
        ("SparseAdam", {"lr": 0}, "Invalid learning rate: 0"),
        ("Muon", {}, "Muon only supports 2D parameters whereas we found a parameter with size: torch.Size([2])"),
    ],
)
def test_options_out_of_range(torch: Any, name: str, options: dict[str, Any], text: str) -> None:
    """PyTorch's text for each."""
    with pytest.raises(ValueError, match=re.escape(text)):
        getattr(torch.optim, name)([torch.ones(2, requires_grad=True)], **options)


def test_sparse_adam_warns_of_nothing(ours: Any, recwarn: pytest.WarningsRecorder) -> None:
    """It makes sparse tensors itself: warnings about those that a program makes are none of its."""
    table = ours.nn.Embedding(3, 2, sparse=True)
    table(ours.tensor([1])).sum().backward()
    ours.optim.SparseAdam(table.parameters()).step()
    assert not recwarn.list
