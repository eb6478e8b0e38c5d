"""The graph of a gradient: what nodes a recorded formula leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def shape_of(node: Any) -> str:
    """The names of the nodes below a node, as a term; `.` for no node, `x` for the leaf."""
    if node is None:
        return "."
    name = type(node).__name__.replace("Backward", "")
    if name == "AccumulateGrad":
        return "x"
    return f"{name}({', '.join(shape_of(below) for below, _ in node.next_functions)})"


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: x**2, "Mul0(., Mul1(Pow0(x)))"),
        (lambda x: x.sqrt(), "Div0(., Mul1(Sqrt0(x)))"),
        (lambda x: x.log1p(), "Div0(., Add1(x))"),
        (lambda x: x.atan(), "Div0(., Add1(Mul0(x, x)))"),
        (lambda x: x.tanh(), "Tanh0(., Tanh0(x))"),
        (lambda x: x * x, "Add0(Mul0(., x), Mul0(., x))"),
        (lambda x: x.prod(), "Mul0(., Div0(Prod0(x), x))"),
        (lambda x: x.norm(), "Mul0(., MaskedFill0(Div0(x, LinalgVectorNorm0(x))))"),
        (lambda x: x.var(), "Mul0(., Sub0(x, Mean0(x)))"),
        (lambda x: x.std(), "Mul0(Mul1(MaskedFill0(Div0(., Mul1(Std0(x))))), Sub0(x, Mean0(x)))"),
    ],
)
def test_graph_of_a_first_derivative(torch: Any, function: Callable[[Any], Any], expected: str) -> None:
    """Steps of a formula with numbers are ops of their own (`MulBackward1`), which save no tensor."""
    x = torch.tensor([0.5, 0.25], requires_grad=True)
    y = function(x)
    (g,) = torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)
    assert shape_of(g.grad_fn) == expected


@pytest.mark.parametrize("kind", ["bfloat16", "float16", "complex64"])
def test_graph_is_the_same_in_other_types(torch: Any, kind: str) -> None:
    """A formula's numbers are numbers whatever type it runs in."""
    x = torch.tensor([0.5, 0.25], dtype=getattr(torch, kind), requires_grad=True)
    (g,) = torch.autograd.grad((x**3).sum().abs(), x, create_graph=True)
    assert "Mul1(Pow0(x))" in shape_of(g.grad_fn)


def test_saved_number_stays_a_tensor(torch: Any) -> None:
    """The number of a program's `x * 2` was saved as a tensor: its formula multiplies by one."""
    x = torch.ones(2, requires_grad=True)
    v = torch.ones(2, requires_grad=True)
    (g,) = torch.autograd.grad(x * 2, x, v, create_graph=True)
    assert shape_of(g.grad_fn) == "Mul0(x, .)"


@pytest.mark.parametrize("number", [2.0, 3])
def test_steps_with_numbers_have_gradients(torch: Any, number: float) -> None:
    """Second and third derivatives through the ops that formulas use."""
    x = torch.tensor(0.5, requires_grad=True, dtype=torch.float64)
    y = (x + number) / (x * x + number) - number / x
    found = []
    for _ in range(3):
        (y,) = torch.autograd.grad(y, x, create_graph=True)
        found.append(y.item())
    n, v = number, 0.5
    first = (v * v + n - (v + n) * 2 * v) / (v * v + n) ** 2 + n / v**2
    assert found[0] == pytest.approx(first)
    step = 1e-4

    def derivative(at: float) -> float:
        return (at * at + n - (at + n) * 2 * at) / (at * at + n) ** 2 + n / at**2

    second = (derivative(v + step) - derivative(v - step)) / (2 * step)
    third = (derivative(v + step) - 2 * derivative(v) + derivative(v - step)) / step**2
    assert found[1:] == pytest.approx([second, third], rel=1e-4)


_OVERLAPPING_VIEW = "AsStrided0(IndexAdd0(., View0(x)))"
_EXPANDED_BASE = "View0(Sum1(AsStrided0(Div0(CopySlices(., Sum1(x)), .))))"


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        (lambda x: x.as_strided((2, 2), (2, 1)), "AsStrided0(CopySlices(., x))"),
        (lambda x: x.as_strided((3, 3), (1, 1)), _OVERLAPPING_VIEW),
        (lambda x: x.expand(5, 5).as_strided((5, 5), (0, 1)), _EXPANDED_BASE),
    ],
)
def test_graph_of_the_gradient_of_a_view_by_strides(torch: Any, view: Callable[[Any], Any], expected: str) -> None:
    """Values are added to new memory; where the base repeats its elements, they are divided by how often."""
    x = torch.arange(5.0, requires_grad=True)
    y = view(x)
    (g,) = torch.autograd.grad(y, x, torch.ones_like(y).requires_grad_(), create_graph=True)
    assert shape_of(g.grad_fn) == expected


@pytest.mark.parametrize("recorded", [False, True])
def test_elements_that_share_memory_share_the_gradient_of_a_view(torch: Any, recorded: bool) -> None:
    """Each element that shows a place gets the mean: their sum is what the place is owed."""
    x = torch.arange(6.0, requires_grad=True)
    windows = x.as_strided((4, 3), (1, 1))
    view = windows.as_strided((2, 2), (2, 1), 1)
    mine, own = torch.autograd.grad(view.pow(2).sum(), (windows, x), create_graph=recorded)
    assert mine[0].tolist() == pytest.approx([0, 1, 4 / 3])
    assert mine.stride() == (1, 1)
    assert own.tolist() == pytest.approx([0, 2, 4, 6, 8, 0])


def test_batched_gradients_of_an_expanded_base(torch: Any) -> None:
    """A Jacobian found for a whole batch is that found row by row."""
    x = torch.arange(4.0, dtype=torch.float64, requires_grad=True)

    def gradient(v: Any) -> Any:
        return torch.autograd.grad(x.expand(4, 4).as_strided((4, 4), (0, 1)), x, v, create_graph=True)[0]

    at = torch.ones(4, 4, dtype=torch.float64)
    rows = torch.autograd.functional.jacobian(gradient, at)
    batched = torch.autograd.functional.jacobian(gradient, at, vectorize=True)
    assert rows[0].sum().item() == 4
    assert batched.tolist() == rows.tolist()
