"""Protects answers about copies without a history: the call that copied the values, its line, and the fix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Why = Callable[..., Any]

LAYER = "a = torch.ones(1, 2, requires_grad=True)\nfc = torch.nn.Linear(2, 1)\n"
USED = "loss = fc(torch.ones(4, 2)).sum()\nloss.backward()\n"
STEP = (
    "m = torch.nn.Linear(2, 1)\nlr = torch.tensor(0.1, requires_grad=True)\nx = torch.ones(3, 2)\n"
    "g = torch.autograd.grad(m(x).sum(), m.parameters(), create_graph=True)\n"
    "{update}\nouter = m(x).sum()\nouter.backward()\n"
)
META = (
    "import copy\nm = torch.nn.Linear(2, 1)\nfast = copy.deepcopy(m)\nx = torch.ones(3, 2)\n"
    "g = torch.autograd.grad(m(x).pow(2).sum(), m.parameters(), create_graph=True)\n"
    "new = {n: p - 0.1 * one for (n, p), one in zip(m.named_parameters(), g)}\n"
    "fast.load_state_dict(new)\nout = fast(x).sum()\nout.backward()\n"
)


@pytest.mark.parametrize(
    ("body", "about", "cause", "line", "fix"),
    [
        (META, "m.weight", "load_state_dict() at line 8 copies the values", 8, "functional_call"),
        (
            "m, t = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)\nt.load_state_dict(m.state_dict())\n"
            "t(torch.ones(3, 2)).sum().backward()\n",
            "m.weight",
            "load_state_dict() at line 3 copies the values of m.weight",
            3,
            "functional_call",
        ),
        (
            f"{LAYER}fc.weight.data = a * 3\n{USED}",
            "a",
            "assignment to .data at line 4 copies the values of the result of mul at line 4 into fc.weight",
            4,
            "F.linear(x, w, b)",
        ),
        (
            f"{LAYER}w = a * 3\nwith torch.no_grad():\n    fc.weight.copy_(w)\n{USED}",
            "a",
            "copy_() at line 6, under torch.no_grad(), copies the values of w into fc.weight",
            6,
            "functional_call",
        ),
        (
            f"{LAYER}w = a * 3\nfc.weight.data.copy_(w)\n{USED}",
            "a",
            "copy_() at line 5, through .data, copies the values of w into fc.weight",
            5,
            "functional_call",
        ),
        (
            f"{LAYER}w = a * 3\nfc.weight.data.sub_(w)\n{USED}",
            "a",
            "sub_() at line 5, through .data, writes the values of w into fc.weight",
            5,
            "functional_call",
        ),
        (
            f"{LAYER}fc.weight = torch.nn.Parameter(a * 3)\n{USED}",
            "a",
            "fc.weight, made at line 4, is a leaf of its own",
            4,
            "functional_call",
        ),
        (
            "import torch.nn.utils as u\nt = torch.zeros(3, requires_grad=True)\nm = torch.nn.Linear(2, 1)\n"
            "u.vector_to_parameters(t * 2, m.parameters())\nm(torch.ones(4, 2)).sum().backward()\n",
            "t",
            "vector_to_parameters() at line 5 copies the values",
            5,
            "functional_call",
        ),
        (
            STEP.format(update="for p, one in zip(m.parameters(), g):\n    p.data = p - lr * one"),
            "lr",
            "assignment to .data at line 7 copies the values of the result of sub at line 7",
            7,
            "functional_call",
        ),
        (
            STEP.format(
                update="with torch.no_grad():\n    for p, one in zip(m.parameters(), g):\n        p -= lr * one"
            ),
            "lr",
            "mul at line 8 ran under torch.no_grad()",
            8,
            "Move what belongs to the loss out of the block",
        ),
        (
            "m = torch.nn.Linear(2, 1)\nw = m.state_dict()['weight'].requires_grad_()\n(w * 2).sum().backward()\n",
            "m.weight",
            "state_dict() at line 3 gives the values of m.weight without its history",
            3,
            "keep_vars=True",
        ),
        (
            "a = torch.ones(2, requires_grad=True)\nh = a * 3\nt = torch.tensor(h, requires_grad=True)\n"
            "(t * 2).sum().backward()\n",
            "a",
            "torch.tensor() at line 4 copies the value of h without its history",
            4,
            "h.clone() where another tensor is needed",
        ),
        (
            "x = torch.ones(3, requires_grad=True)\nparts = [(x[i] * 2.5) ** 2 for i in range(3)]\n"
            "torch.tensor(parts, requires_grad=True).mean().backward()\n",
            "x",
            "tensor at line 4 was given plain numbers",
            4,
            "torch.stack()",
        ),
        (
            "w = torch.tensor(2.5, requires_grad=True)\nx = torch.tensor([float(w) * 2, 3.0], requires_grad=True)\n"
            "(x**2).sum().backward()\n",
            "w",
            "tensor at line 3 was given plain numbers",
            3,
            "Go on computing with the tensor itself",
        ),
    ],
)
def test_the_call_that_copied(why: Why, body: str, about: str, cause: str, line: int, fix: str) -> None:
    """The answer names the call and has its line."""
    found = why(body, "grad_none", about)
    assert cause in found.cause
    assert line in found.lines
    assert fix in found.fix


def test_a_result_that_was_copied(why: Why) -> None:
    """The answer names the tensor that is no leaf, and the one that got its values."""
    body = "import torch.nn.utils as u\nm = torch.nn.Linear(2, 1)\nw = u.parameters_to_vector(m.parameters()) * 0.9\n"
    body += "u.vector_to_parameters(w, m.parameters())\nm(torch.ones(1, 2)).sum().backward()\n"
    found = why(body, "grad_none", "w")
    assert "vector_to_parameters() at line 5 copies the values" in found.cause
    assert 5 in found.lines


def test_autograd_grad_alone_is_no_copy(why: Why) -> None:
    """Without a cut in a later pass, the answer is what autograd.grad() returned."""
    found = why(
        "w = torch.ones(2, requires_grad=True)\nv = torch.ones(2, requires_grad=True)\n"
        "g = torch.autograd.grad((w * v).sum(), w)\n(v * 2).sum().backward()\n",
        "grad_none",
        "w",
    )
    assert found.cause.startswith("torch.autograd.grad() at line 4 returned the gradient of w")


@pytest.mark.torch
def test_functional_call_keeps_the_history() -> None:
    """The fix gives the gradient in PyTorch."""
    import torch

    space: dict[str, Any] = {}
    call = "out = torch.func.functional_call(fast, new, (x,)).sum()"
    exec("import torch\n" + META.replace("fast.load_state_dict(new)\nout = fast(x).sum()", call), space)
    assert space["m"].weight.grad is not None
    model = torch.nn.Linear(2, 1)
    model.state_dict(keep_vars=True)["weight"].sum().backward()
    assert model.weight.grad.tolist() == [[1, 1]]


WEIGHT = "import copy\nw = torch.tensor([1.0, 2.5], requires_grad=True)\na = torch.ones(2, requires_grad=True)\n"


@pytest.mark.parametrize(
    ("body", "cause", "fix"),
    [
        (
            "v = copy.deepcopy(w)\nloss = (v * 2).sum()",
            "v, made at line 5, is a leaf of its own",
            "w.clone() is a copy",
        ),
        (
            "h = w * 3\nloss = (a * torch.tensor(h)).sum()",
            "torch.tensor() at line 6 copies the value of h",
            "h.clone()",
        ),
        (
            "h = (w * 3).detach().numpy()\nloss = (a * torch.from_numpy(h)).sum()",
            "from_numpy() at line 6 was given an array that has the value of the result of mul at line 5",
            "Compute with torch in place of numpy",
        ),
        ("loss = (a * (w ** 2).sum().item()).sum()", "mul at line 5 was given plain numbers", "item() is for what"),
        ("loss = (a * torch.tensor(w.tolist())).sum()", "tensor at line 5 was given plain numbers", "torch.stack()"),
        ("loss = (a * w.data).sum()", ".data at line 5 takes the value of w", "Leave out .data"),
        ("loss = (a * w.detach()).sum()", "detach() at line 5 takes the value of w", "Leave out detach()"),
        (
            "b = torch.zeros(2)\nwith torch.no_grad():\n    b.copy_(w)\nloss = (a * b).sum()",
            "copy_ at line 7 ran under torch.no_grad()",
            "Move what belongs to the loss out of the block",
        ),
        (
            "m = torch.nn.Linear(2, 1)\nema = copy.deepcopy(m)\nw = m.weight\nloss = ema(a).sum()",
            "ema.weight, made at line 6, is a leaf of its own with the value of m.weight",
            "Look at ema.weight.grad",
        ),
    ],
)
def test_other_ways_to_lose_the_history(why: Why, body: str, cause: str, fix: str) -> None:
    """The answer names the call, its line, and what to write in its place."""
    found = why(f"{WEIGHT}{body}\nloss.backward()\n", "grad_none", "w" if "m.weight" not in body else "m.weight")
    assert cause in found.cause
    assert fix in found.fix


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ("h = w * 2\nt = torch.tensor(h)\nt.sum().backward()\n", "torch.tensor() at line 3 copies the value of h"),
        ("t = torch.tensor(w.tolist())\nt.sum().backward()\n", "was given plain numbers that are the value of w"),
        ("(w * 2).backward()\n", "backward() at line 2 stopped with the RuntimeError before any gradient was computed"),
    ],
)
def test_after_a_backward_that_was_refused(why: Why, record: Any, body: str, cause: str) -> None:
    """The answer says that it was called, and why it raised."""
    found = why("w = torch.tensor([1.0, 2.5], requires_grad=True)\n" + body, "grad_none", "w")
    assert cause.replace("line 2", "line 3").replace("line 3 copies", "line 4 copies") in found.cause
    assert "not been called" not in found.cause
