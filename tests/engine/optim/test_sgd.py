"""SGD: its numbers step by step, its state, its errors; all against PyTorch where that is installed."""

from __future__ import annotations

import re
from typing import Any

import pytest

# What PyTorch 2.13.0 gives after each of three steps, see minimize().
STEPS: dict[str, tuple[dict[str, Any], list[list[float]]]] = {
    "plain": (
        {"lr": 0.1},
        [
            [0.9200000166893005, -2.1449999809265137],
            [0.8446080088615417, -2.308030843734741],
            [0.7732071280479431, -2.4928410053253174],
        ],
    ),
    "momentum": (
        {"lr": 0.1, "momentum": 0.9},
        [
            [0.9200000166893005, -2.1449999809265137],
            [0.7726080417633057, -2.438530683517456],
            [0.5720475316047668, -2.9061014652252197],
        ],
    ),
    "dampening": (
        {"lr": 0.1, "momentum": 0.9, "dampening": 0.5},
        [
            [0.9200000166893005, -2.1449999809265137],
            [0.8103040456771851, -2.357015371322632],
            [0.6767287850379944, -2.6436619758605957],
        ],
    ),
    "nesterov": (
        {"lr": 0.1, "momentum": 0.9, "nesterov": True},
        [
            [0.8479999899864197, -2.2755000591278076],
            [0.6472110748291016, -2.7355904579162598],
            [0.4120405912399292, -3.461425304412842],
        ],
    ),
    "weight decay": (
        {"lr": 0.1, "weight_decay": 0.2},
        [
            [0.8999999761581421, -2.1050000190734863],
            [0.807699978351593, -2.2208306789398193],
            [0.7219746112823486, -2.349376678466797],
        ],
    ),
    "maximize": (
        {"lr": 0.1, "maximize": True},
        [
            [1.0800000429153442, -1.8550000190734863],
            [1.164992094039917, -1.726769208908081],
            [1.2557083368301392, -1.6123172044754028],
        ],
    ),
    "all": (
        {"lr": 0.05, "momentum": 0.8, "weight_decay": 0.1, "nesterov": True, "maximize": True},
        [
            [1.062999963760376, -1.8515000343322754],
            [1.1513421535491943, -1.6669790744781494],
            [1.2631371021270752, -1.4653739929199219],
        ],
    ),
}


def minimize(torch: Any, **options: Any) -> list[list[float]]:
    """The parameter after each of three steps."""
    w = torch.tensor([1.0, -2.0], requires_grad=True)
    c = torch.tensor([0.5, 0.25])
    optimizer = torch.optim.SGD([w], **options)
    seen = []
    for _ in range(3):
        optimizer.zero_grad()
        ((w**3).sum() * 0.1 + (w * c).sum()).backward()
        optimizer.step()
        seen.append(w.tolist())
    return seen


@pytest.mark.parametrize("name", STEPS)
def test_steps(torch: Any, name: str) -> None:
    """Plain, with momentum, dampening, Nesterov, weight decay and maximize."""
    options, expected = STEPS[name]
    for found, wanted in zip(minimize(torch, **options), expected, strict=True):
        assert found == pytest.approx(wanted, rel=1e-6)


def test_groups_have_their_own_options(torch: Any) -> None:
    """Options of a group win over the optimizer's."""
    a = torch.tensor(1.0, requires_grad=True)
    b = torch.tensor(1.0, requires_grad=True)
    optimizer = torch.optim.SGD([{"params": [a]}, {"params": b, "lr": 1.0}], lr=0.1)
    (a + b).backward()
    optimizer.step()
    assert (a.item(), b.item()) == (pytest.approx(0.9), 0.0)


def test_parameters_without_gradient_stay(torch: Any) -> None:
    """A parameter that received nothing is left alone."""
    a = torch.tensor(1.0, requires_grad=True)
    b = torch.tensor(1.0, requires_grad=True)
    optimizer = torch.optim.SGD([a, b], lr=0.1)
    a.backward()
    optimizer.step()
    assert b.item() == 1.0 and b._version == 0


@pytest.mark.parametrize("set_to_none", [True, False])
def test_zero_grad(torch: Any, set_to_none: bool) -> None:
    """Gradients become None, or zeros in place."""
    w = torch.tensor([1.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    w.sum().backward()
    grad = w.grad
    optimizer.zero_grad(set_to_none=set_to_none)
    if set_to_none:
        assert w.grad is None and grad.item() == 1.0
    else:
        assert w.grad is grad and grad.item() == 0.0


def test_closure(torch: Any) -> None:
    """step(closure) computes the loss with grad mode on and returns it."""
    w = torch.tensor(2.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = w * w
        loss.backward()
        return loss

    assert optimizer.step(closure).item() == 4.0
    assert w.item() == pytest.approx(1.6)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"lr": -1.0}, "Invalid learning rate: -1.0"),
        ({"lr": 0.1, "momentum": -1.0}, "Invalid momentum value: -1.0"),
        ({"lr": 0.1, "weight_decay": -1.0}, "Invalid weight_decay value: -1.0"),
        ({"lr": 0.1, "nesterov": True}, "Nesterov momentum requires a momentum and zero dampening"),
    ],
)
def test_options_out_of_range(torch: Any, options: dict[str, Any], text: str) -> None:
    """PyTorch's texts."""
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        torch.optim.SGD([torch.ones(1, requires_grad=True)], **options)


@pytest.mark.parametrize(
    ("parameters", "kind", "text"),
    [
        (lambda t: [], ValueError, "optimizer got an empty parameter list"),
        (lambda t: [3], TypeError, "optimizer can only optimize Tensors, but one of the params is int"),
        (lambda t: [t.ones(1, requires_grad=True) * 2], ValueError, "can't optimize a non-leaf Tensor"),
        (
            lambda t: t.ones(1, requires_grad=True),
            TypeError,
            "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
            "torch.FloatTensor",
        ),
    ],
)
def test_parameters_that_are_none(torch: Any, parameters: Any, kind: type[Exception], text: str) -> None:
    """What can't be optimized is refused at once."""
    with pytest.raises(kind, match=f"^{re.escape(text)}$"):
        torch.optim.SGD(parameters(torch), lr=0.1)


def test_repr(torch: Any) -> None:
    """Groups and options as PyTorch lists them."""
    text = repr(torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1, momentum=0.9))
    assert text == (
        "SGD (\nParameter Group 0\n    dampening: 0\n    differentiable: False\n    foreach: None\n    fused: None\n"
        "    lr: 0.1\n    maximize: False\n    momentum: 0.9\n    nesterov: False\n    weight_decay: 0\n)"
    )
