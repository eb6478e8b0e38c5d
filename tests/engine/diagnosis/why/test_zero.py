"""Protects answers why a gradient is zero: the node that made it zero, and the reason by op."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Why = Callable[..., Any]

REASONS = [
    ("torch.tensor([-1.0, -2.0], requires_grad=True)", "w.relu().sum()", "at or below 0, the largest is -1", "Relu"),
    ("torch.tensor([5.0, -5.0], requires_grad=True)", "w.clamp(-1, 1).sum()", "outside of min=-1 and max=1", "Clamp"),
    ("torch.ones(2, requires_grad=True)", "(w * torch.zeros(2)).sum()", "the other factor", "Mul"),
    ("torch.ones(2, 2, requires_grad=True)", "(w @ torch.zeros(2, 2)).sum()", "is zero", "Mm"),
    ("torch.ones(2, requires_grad=True)", "(w.round() * 3).sum()", "steps", "Round"),
    ("torch.tensor([200.0], requires_grad=True)", "torch.sigmoid(w).sum()", "saturated", "Sigmoid"),
    ("torch.zeros(2, requires_grad=True)", "(w ** 2).sum()", "the base is 0", "Pow"),
    ("torch.tensor([0.5, 1.0], requires_grad=True)", "w.softmax(0).sum()", "always add up to 1", "Softmax"),
    (
        "torch.tensor([[0.5], [1.0]], requires_grad=True)",
        "(w.softmax(1) * w.detach()).sum()",
        "a dim with one",
        "Softmax",
    ),
    ("torch.tensor([900.0, 1.0], requires_grad=True)", "w.softmax(0)[0].log()", "saturated", "Softmax"),
    ("torch.ones(2, requires_grad=True)", "w[w > 5].sum()", "selected nothing", "Index"),
    ("torch.ones(2, requires_grad=True)", "torch.maximum(w, torch.full((2,), 5.0)).sum()", "is larger", "Maximum"),
    ("torch.ones(2, 1, requires_grad=True)", "w.log_softmax(1).sum()", "a dim with one element", "LogSoftmax"),
    (
        "torch.ones(3, 2, requires_grad=True)",
        "torch.nn.functional.embedding(torch.tensor([0]), w, padding_idx=0).sum()",
        "row 0 is padding_idx",
        "Embedding",
    ),
    (
        "torch.ones(2, requires_grad=True)",
        "torch.where(torch.tensor([False, False]), w * 2, torch.ones(2)).sum()",
        "took none of this branch (its first argument)",
        "Where",
    ),
    ("torch.ones(2, requires_grad=True)", "(w - w).sum() * 2 + (w * 0.5 - w * 0.5).sum()", "cancels", ""),
]


@pytest.mark.parametrize(("leaf", "loss", "words", "node"), REASONS)
def test_what_made_it_zero(why: Why, leaf: str, loss: str, words: str, node: str) -> None:
    """The answer names the first node below the loss that got a nonzero gradient and sent zero, with its numbers."""
    found = why(f"w = {leaf}\n\nloss = {loss}\nloss.backward()\n", "grad_zero", "w")
    assert words in found.cause
    assert found.cause.startswith(f"{node}Backward") or not node
    assert 4 in found.lines


def test_zeroed_after_the_pass(why: Why) -> None:
    """The answer has the line that set it to zero."""
    found = why("w = torch.ones(2, requires_grad=True)\nw.sum().backward()\nw.grad.zero_()\n", "grad_zero", "w")
    assert found.cause == "zero_ at line 4 set w.grad to zero after the last backward()."
    assert found.lines == [3, 4]


def test_zeroed_by_a_hook(why: Why) -> None:
    """The answer names the hook that returned zeros."""
    source = (
        "def nothing(g):\n    return g * 0\nw = torch.ones(2, requires_grad=True)\n"
        "w.register_hook(nothing)\n(w * 3).sum().backward()\n"
    )
    assert "The hook nothing" in why(source, "grad_zero", "w").cause


def test_passes_that_cancel(why: Why) -> None:
    """The answer says that two passes of opposite sign add up to zero."""
    source = "w = torch.ones(2, requires_grad=True)\nw.sum().backward()\n(-w).sum().backward()\n"
    found = why(source, "grad_zero", "w")
    assert "2 passes cancel" in found.cause
    assert found.lines == [3, 4]


def test_a_pass_that_starts_from_zero(why: Why) -> None:
    """The answer says that gradient= is zero."""
    source = "w = torch.ones(2, requires_grad=True)\n(w * 2).backward(torch.zeros(2))\n"
    assert "started from a gradient of zero" in why(source, "grad_zero", "w").cause


@pytest.mark.parametrize("change", ["y.data.zero_()", "y.data[0] = 5.0"])
def test_overwritten_through_data(why: Why, change: str) -> None:
    """A saved tensor was changed unnoticed: the gradient is wrong, be it zero or not."""
    source = f"x = torch.tensor([0.0, 1.0], requires_grad=True)\ny = torch.sigmoid(x)\n{change}\ny.sum().backward()\n"
    found = why(source, "grad_zero" if "zero_" in change else "grad_value", "x")
    assert "line 4" in found.cause and ".data" in found.cause
    assert {3, 4, 5} <= set(found.lines)
    assert "detach()" in found.fix


def test_an_update_through_data_is_no_mistake(why: Why) -> None:
    """A parameter that is updated after the pass does not count as overwritten."""
    source = (
        "w = torch.tensor(2.0, requires_grad=True)\n"
        "for step in range(3):\n"
        "    w.grad = None\n"
        "    (w * w).backward()\n"
        "    w.data -= 0.1 * w.grad\n"
    )
    assert "overwrote" not in why(source, "grad_value", "w").cause


def test_a_backward_of_the_programs_that_returns_zeros(why: Why) -> None:
    """The answer says that the program's backward() returned zeros."""
    source = (
        "class Cut(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return torch.zeros_like(g)\n"
        "x = torch.ones(2, requires_grad=True)\nCut.apply(x).sum().backward()\n"
    )
    found = why(source, "grad_zero", "x")
    assert "the backward() of Cut returned zeros" in found.cause
    assert "Cut.backward()" in found.fix and "gradcheck" in found.fix


def test_a_factor_that_is_the_number_zero(why: Why) -> None:
    found = why("x = torch.ones(2, requires_grad=True)\n(x * 0).sum().backward()\n", "grad_zero", "x")
    assert "the number 0" in found.cause and "weight" in found.fix
