"""Where the first NaN or infinity comes from: forward or backward, which op, which element, of which numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from backscope.why import Subject, Tape, ask

Why = Callable[..., Any]


@pytest.mark.parametrize(
    ("body", "op", "met"),
    [
        ("y = torch.log(x)\nz = y * 2\n", "log at line 4 in element [1]", "x is 0: the result is -inf"),
        ("y = 1 / x\nz = y + 1\n", "reciprocal at line 4 in element [1]", "x is 0: the result is inf"),
        ("y = (x * 100).exp()\nz = y - y\n", "exp at line 4 in element [0]", "is 200: the result is inf"),
        ("y = torch.sqrt(x - 1)\nz = y + 1\n", "sqrt at line 4 in element [1]", "is -1: the result is nan"),
    ],
)
def test_in_the_forward_pass(why: Why, body: str, op: str, met: str) -> None:
    """The op that made it of finite numbers, not the one that it is seen in."""
    for about in ("z", None):
        found = why(f"x = torch.tensor([2.0, 0.0], requires_grad=True)\n\n{body}", "nonfinite", about)
        assert f"made in the forward pass by {op}" in found.cause
        assert met in found.evidence[0].text
        assert 4 in found.lines
        assert found.wrong_fix or "sqrt" in op


@pytest.mark.parametrize("about", ["x", "y", None])
def test_in_place_through_another(why: Why, about: str | None) -> None:
    """The op that changed the memory, with what it was given before; whoever sees the change has it from there."""
    found = why("x = torch.zeros(3)\ny = x.data\ny.div_(x)\n", "nonfinite", about)
    assert found.cause.startswith("The first NaN is made in the forward pass by div_ at line 4 in element [0]")
    assert "y is 0 and x is 0: the result is nan" in found.evidence[0].text


def test_in_the_middle_of_an_op_in_place(record: Callable[..., Any]) -> None:
    """Where memory has changed already, and the op is told of in a moment."""
    tape = Tape(record("x = torch.zeros(3)\ny = x.data\ny.div_(x)\n").events)
    (maker,) = tape.odd
    for name in ("x", "y"):
        found = ask(tape, maker.seq + 1, "nonfinite", Subject(tensor=tape.find(name, tape.seq)))
        assert "made in the forward pass by div_ at line 4" in found.cause
    assert ask(tape, maker.seq, "nonfinite", Subject()).lines[0] == 4


def test_data_that_comes_with_nan(why: Why) -> None:
    """The tensor was made with it."""
    found = why("x = torch.tensor([1.0, float('nan')])\n\ny = x * 2\n", "nonfinite", "y")
    assert found.cause.startswith("x was made with NaN in it, by tensor at line 2")


@pytest.mark.parametrize(
    ("loss", "node", "words"),
    [
        ("x.sqrt().sum()", "SqrtBackward0", "the derivative is infinite"),
        ("(x.sqrt() * 0).sum()", "SqrtBackward0", "0 × inf = nan"),
        ("x.norm()", "LinalgVectorNormBackward0", None),
        ("(x / x.abs().clamp(min=0)).nansum()", "DivBackward0", "nan"),
    ],
)
def test_in_the_backward_pass(why: Why, record: Callable[..., Any], loss: str, node: str, words: str | None) -> None:
    """The node that got finite gradients and sent one that is not, and what met there."""
    source = f"x = torch.tensor([0.0, 4.0], requires_grad=True)\nloss = {loss}\nloss.backward()\n"
    if words is None:  # Here PyTorch gives a finite gradient, and there is nothing to ask.
        assert "NaN" not in record(source).stdout
        return
    found = why(source, "nonfinite", "x")
    assert f"made in the backward pass by {node}" in found.cause
    assert words in found.cause
    assert {3, 4} <= set(found.lines)
    assert "element [0]" in found.evidence[0].text
    assert found.wrong_fix


def test_a_factor_of_zero_is_no_mask(why: Why) -> None:
    """Nothing was selected or left out where a term is multiplied by 0 as a whole."""
    found = why(
        "x = torch.tensor([0., 4.], requires_grad=True)\nh = x * 1\ny = (h.sqrt() * 0).sum()\ny.backward()\n",
        "nonfinite",
        "x",
    )
    assert "MulBackward0 at line 4 multiplied by 0 there" in found.cause
    assert "select" not in found.cause
    assert "0 times infinity is NaN" in (found.wrong_fix or "")


def test_a_mask_that_is_a_product(why: Why) -> None:
    """Multiplying by a mask is no way out either: the masked node is named."""
    source = "x = torch.tensor([0.0, 1.0], requires_grad=True)\ny = torch.sqrt(x) * (x > 0)\ny.sum().backward()\n"
    found = why(source, "nonfinite", "x")
    assert "MulBackward0 at line 3 does not select that element" in found.cause
    assert "multiplying by a mask" in found.wrong_fix


def test_a_loss_that_is_not_finite(why: Why) -> None:
    """The NaN of the gradient began in the forward pass."""
    source = "x = torch.tensor([0.0], requires_grad=True)\nloss = (x / x).sum()\nloss.backward()\n"
    assert "div at line 3" in why(source, "nonfinite", None).cause
