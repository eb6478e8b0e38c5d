"""Protects answers about forbidden in-place changes under hooks, of views and by lookups: their origin and a fix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Why = Callable[..., Any]

SEQUENTIAL = (
    "net = torch.nn.Sequential(torch.nn.Linear(2, 2), {module})\n"
    "net[{place}].register_full_backward_{hook}\n"
    "net(torch.ones(1, 2, requires_grad=True)).sum().backward()\n"
)
KEEP, KEEP_PRE = "hook(lambda m, gi, go: None)", "pre_hook(lambda m, go: None)"
FUNCTION = (
    "F = torch.nn.functional\nfc = torch.nn.Linear(2, 2)\nfc.register_full_backward_hook(lambda m, gi, go: None)\n"
    "y = fc(torch.ones(1, 2, requires_grad=True))\n{change}\ny.sum().backward()\n"
)


@pytest.mark.parametrize(
    ("module", "place", "hook"),
    [
        ("ReLU", 0, KEEP),
        ("ReLU6", 1, KEEP),
        ("ELU", 0, KEEP_PRE),
        ("Dropout", 0, KEEP),
        ("Hardtanh", 0, KEEP),
        ("LeakyReLU", 1, KEEP_PRE),
        ("SiLU", 0, KEEP),
    ],
)
def test_a_module_in_place_under_a_hook(why: Why, module: str, place: int, hook: str) -> None:
    """The answer has the hook's line, the module, and inplace=False."""
    body = SEQUENTIAL.format(module=f"torch.nn.{module}(inplace=True)", place=place, hook=hook)
    found = why(body, "error")
    assert f"{module}(inplace=True), net.1, changes it in place at line 4" in found.cause
    assert f"The hook is <lambda>, hung on net.{place} at line 3" in found.cause
    assert found.lines[0] == 3
    assert f"{module}(inplace=False)" in found.fix


@pytest.mark.torch
def test_a_module_out_of_place_works() -> None:
    """The fix runs in PyTorch."""
    for module in ("ReLU", "ReLU6", "Dropout", "SiLU"):
        exec("import torch\n" + SEQUENTIAL.format(module=f"torch.nn.{module}(inplace=False)", place=0, hook=KEEP), {})


CHANGES = [
    ("F.relu_(y)", "y = F.relu(y)"),
    ("y += 1", "y = y + 1"),
    ("y.mul_(2)", "y = y.mul(2)"),
    ("y.view(-1).relu_()", None),
]


@pytest.mark.parametrize(("change", "instead"), CHANGES)
def test_a_line_in_place_under_a_hook(why: Why, change: str, instead: str | None) -> None:
    """The answer has the line, rewritten to make a new tensor; views of the view count."""
    found = why(FUNCTION.format(change=change), "error")
    assert f"`{change}` at line 6 changes it in place. The hook is <lambda>, hung on fc at line 4." in found.cause
    assert {4, 6} <= set(found.lines)
    if instead is not None:
        assert f"Write the result to a new tensor, {instead};" in found.fix


@pytest.mark.torch
def test_lines_that_give_a_new_tensor_work() -> None:
    """The fix runs in PyTorch."""
    for _, instead in CHANGES:
        if instead is not None:
            exec("import torch\n" + FUNCTION.format(change=instead), {})


def test_a_hook_is_not_missed_where_the_program_ended_before(record: Callable[..., Any]) -> None:
    """There is no question why the hook did not run, as backward() did not run."""
    from backscope.diagnosis.why import Subject, Tape, questions

    tape = Tape(record(SEQUENTIAL.format(module="torch.nn.ReLU(inplace=True)", place=0, hook=KEEP)).events)
    assert [one.key for one in questions(tape, tape.seq, Subject())] == ["error"]


def test_other_views(why: Why) -> None:
    """They are one of several views, a view made under no_grad, and an input that a Function returns."""
    several = why("x = torch.ones(4, requires_grad=True) * 1\na, b = x.chunk(2)\na += 1\n", "error")
    assert several.cause.startswith("a, made at line 3, is one of several views")
    assert "a = a + 1" in several.fix
    body = "h = torch.ones(4, requires_grad=True) * 1\nwith torch.no_grad():\n    v = h[:2]\nv.mul_(2)\n"
    assert "taken under torch.no_grad()" in why(body, "error").cause
    same = (
        "class Same(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return g\n"
        "y = Same.apply(torch.ones(2, requires_grad=True) * 1)\ny *= 2\n"
    )
    found = why(same, "error")
    assert found.cause.startswith("forward() of Same returned its input")
    assert "mark_dirty" in found.fix


@pytest.mark.parametrize(
    ("module", "cause"),
    [("ReLU", "It was ReLU(inplace=True), net.1"), ("Hardtanh", "It was Hardtanh(inplace=True), net.1")],
)
def test_a_module_that_changes_what_was_saved(why: Why, module: str, cause: str) -> None:
    """The answer names the in-place module after an op that saves its result."""
    net = f"net = torch.nn.Sequential(torch.nn.Sigmoid(), torch.nn.{module}(inplace=True))\n"
    found = why(f"{net}net(torch.ones(2, requires_grad=True)).sum().backward()\n", "error")
    assert cause in found.cause
    assert f"{module}(inplace=False)" in found.fix


def test_a_forward_hook_that_changes_what_was_saved(why: Why) -> None:
    """The fix is a hook that returns the new value."""
    found = why(
        "net = torch.nn.Sequential(torch.nn.Sigmoid(), torch.nn.Linear(2, 1))\ndef shift(module, args, out):\n"
        "    out += 1\nnet[0].register_forward_hook(shift)\n"
        "net(torch.ones(1, 2, requires_grad=True)).sum().backward()\n",
        "error",
    )
    assert "It was the forward hook shift on net.0" in found.cause
    assert 4 in found.lines
    assert "Return the new value from the hook" in found.fix


LOOKUPS = [
    ("e = torch.nn.Embedding(3, 5, max_norm=1.0)\nw = e.weight\n", "e(i)"),
    ("e = torch.nn.EmbeddingBag(3, 5, max_norm=1.0)\nw = e.weight\n", "e(i.unsqueeze(0))"),
    (
        "w = torch.nn.Parameter(torch.ones(3, 5))\n\n",
        "torch.nn.functional.embedding(i, w, max_norm=1.0)",
    ),
]
LOOKUP = (
    "{made}i = torch.tensor([1, 2])\na = {weight} @ torch.ones(5, requires_grad=True)\nb = {lookup}\n"
    "(a.sum() + b.sum()).backward()\n"
)


@pytest.mark.parametrize(("made", "lookup"), LOOKUPS)
def test_a_lookup_with_max_norm(why: Why, made: str, lookup: str) -> None:
    """It scales the weight in place after an op has saved it."""
    found = why(LOOKUP.format(made=made, lookup=lookup, weight="w"), "error")
    assert "The lookup at line 6 renormalises " in found.cause
    assert "max_norm" in found.cause
    assert ".clone()" in found.fix


@pytest.mark.torch
def test_a_copy_of_the_weight_works() -> None:
    """The fix runs in PyTorch."""
    for made, lookup in LOOKUPS:
        exec("import torch\n" + LOOKUP.format(made=made, lookup=lookup, weight="w.clone()"), {})


IN_PLACE = (
    "m = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.{first}, torch.nn.{second}, torch.nn.Linear(4, 1))\n"
)


@pytest.mark.parametrize(
    "module",
    [
        "SiLU",
        "Dropout",
        "ReLU",
        "LeakyReLU",
        "ELU",
        "Hardswish",
        "Mish",
        "ReLU6",
        "Hardtanh",
        "SELU",
        "CELU",
        "Threshold",
    ],
)
def test_any_module_in_place_under_a_full_backward_hook(why: Why, module: str) -> None:
    """The answer has the hook's line, the module and how to construct it."""
    given = {"Dropout": "0.5, inplace=True", "Threshold": "0.1, 0.0, inplace=True"}.get(module, "inplace=True")
    source = IN_PLACE.format(first=f"{module}({given})", second="Identity()")
    source += "m[1].register_full_backward_hook(lambda module, incoming, outgoing: None)\n"
    found = why(f"{source}m(torch.ones(2, 3)).sum().backward()\n", "error")
    assert f"{module}(inplace=True), m.1, changes it in place at line 4." in found.cause
    assert "hung on m.1 at line 3" in found.cause
    assert f"Make it {module}(inplace=False)" in found.fix


@pytest.mark.parametrize("first", ["Sigmoid()", "Tanh()", "Softmax(-1)"])
@pytest.mark.parametrize("second", ["ReLU", "Hardtanh", "SiLU", "ELU", "LeakyReLU"])
def test_a_module_that_changes_what_the_one_before_saved(why: Why, first: str, second: str) -> None:
    """The answer names the node that saved it and the module that changed it."""
    source = IN_PLACE.format(first=first, second=f"{second}(inplace=True)")
    found = why(f"{source}m(torch.ones(2, 3)).sum().backward()\n", "error")
    assert f"It was {second}(inplace=True), m.2." in found.cause
    assert f"Make it {second}(inplace=False)" in found.fix


@pytest.mark.parametrize(
    ("hook", "cause", "fix"),
    [
        (
            "m[1].register_forward_hook(lambda module, args, out: out.mul_(2))",
            "the forward hook",
            "`return output + 1`",
        ),
        (
            "def pre(module, args):\n    args[0].clamp_(min=0)\nm[2].register_forward_pre_hook(pre)",
            "the forward pre-hook pre on m.2",
            "`return (args[0] + 1,)`",
        ),
    ],
)
def test_a_hook_that_changes_what_a_node_saved(why: Why, hook: str, cause: str, fix: str) -> None:
    """The fix for a pre-hook returns arguments, for another hook the result."""
    source = IN_PLACE.format(first="Tanh()", second="Identity()")
    found = why(f"{source}{hook}\nm(torch.ones(2, 3)).sum().backward()\n", "error")
    assert cause in found.cause and fix in found.fix
