"""Protects what is said of the uses of a leaf: only a line whose op recorded a node for it built the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Why = Callable[..., Any]

LEAVES = "w = torch.tensor([1.5, 2.5], requires_grad=True)\nv = torch.ones(2, requires_grad=True)\n"
NO_GRAD = "with torch.no_grad():\n"
INITIAL = "backward() has not been called yet, and .grad is None until it is. "
LOSS = "(v * 2).sum().backward()\n"

UNRECORDED = [
    pytest.param("h = w.detach() * 2\n", 4, "detach() at line 4 takes the value of w", "out detach()", id="detach"),
    pytest.param("h = w.detach()\n", 4, "detach() at line 4 takes the value of w", "out detach()", id="detach alone"),
    pytest.param("h = w.detach().numpy()\n", 4, "detach() at line 4 takes", "Leave out detach()", id="numpy"),
    pytest.param("h = w.detach().requires_grad_() * 2\n", 4, "detach() at line 4", "out detach()", id="another leaf"),
    pytest.param("h = w.data * 2\n", 4, ".data at line 4 takes the value of w", "Leave out .data", id="data"),
    pytest.param("h = w.data\n", 4, ".data at line 4 takes the value of w", "Leave out .data", id="data alone"),
    pytest.param(
        f"{NO_GRAD}    w * 2\n", 5, "mul at line 5 ran under torch.no_grad()", "out of the block", id="no_grad"
    ),
    pytest.param(f"{NO_GRAD}    w[0]\n", 5, "select at line 5 ran under torch.no_grad()", "out of the", id="view"),
    pytest.param(
        "with torch.inference_mode():\n    w * 2\n", 5, "mul at line 5 ran in inference mode", "block", id="inference"
    ),
    pytest.param("h = w > 0\n", 4, "gt at line 4 makes bool numbers of w", "real numbers", id="comparison"),
    pytest.param(
        "w.requires_grad_(False)\nh = w * v\nw.requires_grad_()\n",
        5,
        "mul at line 5 was given w when",
        "before",
        id="off",
    ),
]


@pytest.mark.parametrize(("body", "line", "cause", "fix"), UNRECORDED)
def test_nothing_was_recorded(why: Why, body: str, line: int, cause: str, fix: str) -> None:
    """The answer has the line that was not recorded and what to do, and says of no line that it built the graph."""
    found = why(LEAVES + body, "grad_none", "w")
    assert found.cause.startswith("No backward() has reached w, and none can")
    assert cause in found.cause and fix in found.fix and line in found.lines
    assert "to build the graph" not in found.cause


@pytest.mark.parametrize(("body", "line", "cause", "fix"), [one for one in UNRECORDED if "alone" not in str(one.id)])
def test_nothing_was_recorded_before_another_loss(why: Why, body: str, line: int, cause: str, fix: str) -> None:
    """Where a loss does not depend on the leaf, the fix is not to use a result that has no history."""
    found = why(LEAVES + body + LOSS, "grad_none", "w")
    if ".data" in body:
        assert found.cause.startswith("No op used w, made at line 2, before backward() at line 5")
        return
    assert found.cause.startswith("the loss does not depend on w: ")
    assert cause in found.cause and fix in found.fix and line in found.lines


@pytest.mark.parametrize(
    ("body", "told", "lines"),
    [
        (f"w.sum()\n{NO_GRAD}    w * 2\n", "w has been used at line 4 to build the graph.", [2, 4]),
        (f"{NO_GRAD}    w * 2\nw.sum()\n", "w has been used at line 6 to build the graph.", [2, 6]),
        ("w.sum()\nprint(w.detach())\n", "w has been used at line 4 to build the graph.", [2, 4]),
        ("a = w * 2\nh = w > 0\n", "w has been used at line 4 to build the graph.", [2, 4]),
        ("a = w * 2\nb = w * 3\n", "w has been used at lines 4 and 5 only to build the graph.", [2, 4, 5]),
        (f"{NO_GRAD}    w.mul_(2)\na = w * 2\n", "w has been used at line 6 only to build the graph.", [2, 6]),
        ("h = w.sum().item()\n", "w has been used at line 4 only to build the graph.", [2, 4]),
    ],
)
def test_the_lines_that_built_the_graph(why: Why, body: str, told: str, lines: list[int]) -> None:
    """Lines whose ops were not recorded are left out, wherever they are."""
    found = why(LEAVES + body, "grad_none", "w")
    assert found.cause == INITIAL + told
    assert found.lines == lines
    assert found.fix.startswith("Call backward() on the loss;")


@pytest.mark.parametrize(
    "body",
    [
        "print(w)\n",
        "print(w.data)\n",
        "n = w.numel()\n",
        "w.data.fill_(3)\n",
        "w.data[0] = 3\n",
        f"{NO_GRAD}    w[0] = 3\n",
        f"{NO_GRAD}    w.mul_(2)\n",
        "h = torch.zeros_like(w)\n",
    ],
)
def test_filling_a_leaf_computes_nothing_from_it(why: Why, body: str) -> None:
    """A leaf that was printed, measured or filled needs a loss; nothing of it is cut off."""
    found = why(LEAVES + body, "grad_none", "w")
    assert found.cause == f"{INITIAL}No op has computed anything from w."
    assert found.fix.startswith("Compute the loss from w")


@pytest.mark.parametrize("loss", ["", "(h * v).sum().backward()\n"])
def test_data_of_a_parameter(why: Why, loss: str) -> None:
    """It has the Parameter's value, and not only that of the tensor that the Parameter was made of."""
    body = f"w = torch.nn.Parameter(torch.tensor([1.5, 2.5]))\nh = w.data * 2\n{loss}"
    found = why(f"v = torch.ones(2, requires_grad=True)\n{body}", "grad_none", "w")
    assert ".data at line 4 takes the value of w and leaves its history behind." in found.cause


@pytest.mark.parametrize("use", ["w * 2", "w.detach() * 2"])
def test_a_use_after_backward(why: Why, use: str) -> None:
    """A leaf that is used only after backward() is no part of its loss."""
    found = why(f"{LEAVES}{LOSS}h = {use}\n", "grad_none", "w")
    assert found.cause.startswith("No op used w, made at line 2, before backward() at line 4")
