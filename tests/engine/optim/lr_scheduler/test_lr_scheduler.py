"""Learning rate schedulers: their curves as PyTorch 2.13.0 has them, saving, warnings and errors."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

CURVES: dict[str, tuple[str, dict[str, Any], list[float]]] = {
    "StepLR": ("StepLR", {"step_size": 2}, [1.0, 1.0, 0.1, 0.1, 0.01, 0.01]),
    "MultiStepLR": ("MultiStepLR", {"milestones": [1, 3, 3]}, [1.0, 0.1, 0.1, 0.001, 0.001, 0.001]),
    "ConstantLR": ("ConstantLR", {"factor": 0.5, "total_iters": 3}, [0.5, 0.5, 0.5, 1.0, 1.0, 1.0]),
    "LinearLR": ("LinearLR", {"total_iters": 3}, [0.333333333, 0.555555556, 0.777777778, 1.0, 1.0, 1.0]),
    "ExponentialLR": ("ExponentialLR", {"gamma": 0.5}, [1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125]),
    "CosineAnnealingLR": (
        "CosineAnnealingLR",
        {"T_max": 3, "eta_min": 0.01},
        [1.0, 0.7525, 0.2575, 0.01, 0.2575, 0.7525],
    ),
    "PolynomialLR": ("PolynomialLR", {"total_iters": 4, "power": 2.0}, [1.0, 0.5625, 0.25, 0.0625, 0.0, 0.0]),
    "LambdaLR": ("LambdaLR", {"lr_lambda": lambda e: 1 / (e + 1)}, [1.0, 0.5, 0.333333333, 0.25, 0.2, 0.166666667]),
    "MultiplicativeLR": ("MultiplicativeLR", {"lr_lambda": lambda e: 0.9}, [1.0, 0.9, 0.81, 0.729, 0.6561, 0.59049]),
    "CyclicLR": (
        "CyclicLR",
        {"base_lr": 0.1, "max_lr": 1.0, "step_size_up": 2, "step_size_down": 3, "mode": "triangular2"},
        [0.1, 0.55, 1.0, 0.7, 0.4, 0.1],
    ),
    "OneCycleLR": (
        "OneCycleLR",
        {"max_lr": 1.0, "total_steps": 6},
        [0.04, 0.994415435, 0.811745654, 0.462637103, 0.13347753, 4e-06],
    ),
    "OneCycleLR in three phases": (
        "OneCycleLR",
        {"max_lr": 1.0, "total_steps": 6, "three_phase": True, "anneal_strategy": "linear"},
        [0.04, 0.76, 0.035294588, 0.023531059, 0.011767529, 4e-06],
    ),
    "CosineAnnealingWarmRestarts": (
        "CosineAnnealingWarmRestarts",
        {"T_0": 2, "T_mult": 2},
        [1.0, 0.5, 1.0, 0.853553391, 0.5, 0.146446609],
    ),
}


def make(torch: Any, name: str, **options: Any) -> tuple[Any, Any]:
    """An optimizer at rate 1 and a scheduler for it."""
    optimizer = torch.optim.SGD([torch.tensor(1.0, requires_grad=True)], lr=1.0, momentum=0.9)
    return optimizer, getattr(torch.optim.lr_scheduler, name)(optimizer, **options)


@pytest.mark.parametrize("case", CURVES)
def test_curve(torch: Any, case: str) -> None:
    """Six rates in a row; saved and loaded half way it goes on the same."""
    name, options, expected = CURVES[case]
    optimizer, scheduler = make(torch, name, **options)
    seen = []
    for i in range(6):
        seen.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
        if i == 2:
            kept, groups = scheduler.state_dict(), optimizer.state_dict()
            optimizer, scheduler = make(torch, name, **options)
            optimizer.load_state_dict(groups)
            scheduler.load_state_dict(kept)
            optimizer.step()
    assert seen == pytest.approx(expected, abs=1e-9)


def test_momentum_goes_against_the_rate(torch: Any) -> None:
    """CyclicLR and OneCycleLR lower the momentum, or the first beta, while the rate rises."""
    optimizer, _ = make(torch, "OneCycleLR", max_lr=1.0, total_steps=6)
    optimizer.step()
    assert optimizer.param_groups[0]["momentum"] == 0.95
    adam = torch.optim.Adam([torch.tensor(1.0, requires_grad=True)])
    torch.optim.lr_scheduler.CyclicLR(adam, 0.1, 1.0)
    assert adam.param_groups[0]["betas"] == (0.9, 0.999)


def test_plateau(torch: Any) -> None:
    """The rate falls once more than `patience` steps brought nothing better."""
    optimizer, scheduler = make(torch, "ReduceLROnPlateau", patience=1)
    seen = []
    for metric in (1.0, 1.0, 1.0, 0.5, torch.tensor(0.5), 0.5):
        scheduler.step(metric)
        seen.append(optimizer.param_groups[0]["lr"])
    assert seen == pytest.approx([1.0, 1.0, 0.1, 0.1, 0.1, 0.01])


def test_sequence(torch: Any) -> None:
    """Each part begins at its milestone from the first rate."""
    optimizer, warm = make(torch, "ConstantLR", factor=0.1, total_iters=2)
    parts = torch.optim.lr_scheduler
    scheduler = parts.SequentialLR(optimizer, [warm, parts.ExponentialLR(optimizer, 0.9)], milestones=[2])
    seen = [optimizer.param_groups[0]["lr"]]
    for _ in range(4):
        optimizer.step()
        scheduler.step()
        seen.append(scheduler.get_last_lr()[0])
    assert seen == pytest.approx([0.1, 0.1, 1.0, 0.9, 0.81])


def test_chain(torch: Any) -> None:
    """All parts act at every step."""
    optimizer, first = make(torch, "ConstantLR", factor=0.1, total_iters=2)
    parts = torch.optim.lr_scheduler
    scheduler = parts.ChainedScheduler([first, parts.ExponentialLR(optimizer, 0.5)])
    seen = []
    for _ in range(3):
        optimizer.step()
        scheduler.step()
        seen.append(scheduler.get_last_lr()[0])
    assert seen == pytest.approx([0.05, 0.25, 0.125])


def test_warnings(torch: Any) -> None:
    """The order of steps, get_lr outside a step, and the epoch argument are warned of."""
    optimizer, scheduler = make(torch, "StepLR", step_size=1)
    with pytest.warns(UserWarning, match=r"Detected call of `lr_scheduler.step\(\)` before `optimizer.step\(\)`"):
        scheduler.step()
    with pytest.warns(UserWarning, match="please use `get_last_lr"):
        scheduler.get_lr()
    with pytest.warns(UserWarning, match="The epoch parameter in"):
        scheduler.step(4)
    assert scheduler.get_last_lr() == pytest.approx([1e-4])
    optimizer, scheduler = make(torch, "StepLR", step_size=1)
    optimizer.step = lambda: None
    with pytest.warns(UserWarning, match="has been overridden after learning rate scheduler initialization"):
        scheduler.step()


def test_no_warning_in_the_right_order(torch: Any) -> None:
    """optimizer.step() before scheduler.step() is silent."""
    optimizer, scheduler = make(torch, "StepLR", step_size=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        optimizer.step()
        scheduler.step()


@pytest.mark.parametrize(
    ("name", "options", "error", "text"),
    [
        ("StepLR", {"step_size": 1, "last_epoch": 3}, KeyError, "param 'initial_lr' is not specified in"),
        ("ConstantLR", {"factor": 2.0}, ValueError, "Constant multiplicative factor expected to be between 0 and 1."),
        ("LambdaLR", {"lr_lambda": [1, 2]}, ValueError, "Expected 1 lr_lambdas, but got 2"),
        ("MultiplicativeLR", {"lr_lambda": [1]}, TypeError, "lr_lambda should be a function, but got int"),
        ("OneCycleLR", {"max_lr": 1.0}, ValueError, "You must define either total_steps OR"),
        ("CyclicLR", {"base_lr": 0, "max_lr": 1, "mode": "x"}, ValueError, "mode is invalid and scale_fn is None"),
        ("ReduceLROnPlateau", {"factor": 1.0}, ValueError, "Factor should be < 1.0."),
        ("ReduceLROnPlateau", {"mode": "x"}, ValueError, "mode x is unknown!"),
        ("CosineAnnealingWarmRestarts", {"T_0": 0}, ValueError, "Expected positive integer T_0, but got 0"),
        ("SequentialLR", {"schedulers": [], "milestones": []}, ValueError, "expects at least one scheduler"),
    ],
)
def test_errors(torch: Any, name: str, options: dict[str, Any], error: type[Exception], text: str) -> None:
    """PyTorch's types and texts."""
    with pytest.raises(error, match=text):
        make(torch, name, **options)


def test_only_optimizers(torch: Any) -> None:
    """A scheduler needs an optimizer."""
    with pytest.raises(TypeError, match="int is not an Optimizer"):
        torch.optim.lr_scheduler.StepLR(3, 1)
