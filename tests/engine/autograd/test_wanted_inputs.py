"""autograd.grad() and recorded passes without hooks: what runs, what is captured, what is left alone."""

from __future__ import annotations

from typing import Any

import pytest


def test_only_what_is_wanted_is_computed(torch: Any) -> None:
    """No other leaf gets a gradient; the graph of the gradient holds nothing of the others."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    (g,) = torch.autograd.grad((x * w).sum(), x, create_graph=True)
    assert g.tolist() == [3.0, 4.0]
    assert x.grad is None
    assert w.grad is None
    g.sum().backward()
    assert w.grad.tolist() == [1.0, 1.0]
    assert x.grad is None


def test_what_is_not_needed_may_still_have_been_changed(torch: Any) -> None:
    """All that a node saved is read back, also what only an unwanted gradient needs."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    for create_graph in (False, True):
        middle = x * 1
        y = middle * w
        with torch.no_grad():
            middle.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            torch.autograd.grad(y.sum(), x, create_graph=create_graph)


def test_gradients_of_roots_intermediates_and_leaves(torch: Any) -> None:
    """Each is captured where it is complete, the same one also for two places."""
    x = torch.tensor(2.0, requires_grad=True)
    middle = x * 3
    y = middle * middle + x
    found = torch.autograd.grad(y, [y, middle, x, middle], retain_graph=True)
    assert [g.item() for g in found] == [1.0, 12.0, 37.0, 12.0]
    assert torch.autograd.grad(x, x)[0].item() == 1.0


def test_a_leaf_as_root_gets_no_gradient_that_nobody_asked_for(torch: Any) -> None:
    """autograd.grad() touches no `.grad`, not even of what it starts from."""
    x, other = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    assert torch.autograd.grad(x, other, torch.ones(2), allow_unused=True) == (None,)
    assert x.grad is None and other.grad is None


def test_outputs_of_a_node_of_several(torch: Any) -> None:
    """Gradients of several outputs are distinguished by the output's number."""
    x = torch.arange(4.0, requires_grad=True)
    a, b = (x * 1).split(2)
    found = torch.autograd.grad((a * 2 + b * 3).sum(), [b, a, x], create_graph=True)
    assert [g.tolist() for g in found] == [[3.0, 3.0], [2.0, 2.0], [2.0, 2.0, 3.0, 3.0]]


@pytest.mark.filterwarnings("ignore:Using backward")
def test_recorded_accumulation_makes_a_new_tensor(torch: Any) -> None:
    """With create_graph `.grad` is replaced by a sum that has a history."""
    x = torch.tensor(2.0, requires_grad=True)
    (x**3).backward(create_graph=True)
    first = x.grad
    (x**3).backward(create_graph=True)
    assert x.grad is not first
    assert x.grad.item() == 24.0
    (second,) = torch.autograd.grad(x.grad, x)
    assert second.item() == 24.0
    x.grad = None


def test_a_failure_leaves_nothing_behind(torch: Any) -> None:
    """The next pass begins with no gradients waiting."""
    x = torch.tensor(2.0, requires_grad=True)
    old = x.exp()
    loss = x * 3 + old
    with torch.no_grad():
        old.add_(1)
    for create_graph in (False, True):
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            torch.autograd.grad(loss, x, retain_graph=True, create_graph=create_graph)
    (g,) = torch.autograd.grad(x * 5, x)
    assert g.item() == 5.0


def test_freed_graphs_are_refused(torch: Any) -> None:
    """Also by a pass for wanted gradients, which frees what ran."""
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    torch.autograd.grad(y, x)
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        torch.autograd.grad(y, x)


def test_a_delayed_error_above_a_wanted_input_is_raised(torch: Any) -> None:
    x = torch.rand(2, requires_grad=True)
    y = (torch._C._functions.DelayedError("Boom!", 1)(x) * 2).sum()
    with pytest.raises(RuntimeError, match="Boom!"):
        torch.autograd.grad(y, x)
