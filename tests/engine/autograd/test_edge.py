"""GradientEdge, and hooks for several tensors together."""

from __future__ import annotations

from typing import Any

import pytest


def test_edge_stands_for_a_tensor(torch: Any) -> None:
    """As an output and as an input, of grad() and of backward()."""
    edge_of = torch.autograd.graph.get_gradient_edge
    x = torch.tensor(3.0, requires_grad=True)
    y = x * x
    (g,) = torch.autograd.grad(edge_of(y), edge_of(x), retain_graph=True)
    torch.autograd.backward(edge_of(y), inputs=[edge_of(x)])
    assert (g.item(), x.grad.item()) == (6.0, 6.0)
    assert edge_of(y).output_nr == 0
    assert edge_of(y).node is y.grad_fn


def test_edge_of_what_requires_no_grad_is_refused(torch: Any) -> None:
    with pytest.raises(RuntimeError, match="not possible to get the gradient edge"):
        torch.autograd.graph.get_gradient_edge(torch.ones(1))


def test_zeros_can_not_be_made_for_an_edge(torch: Any) -> None:
    x, other = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    edge = torch.autograd.graph.get_gradient_edge(other)
    with pytest.raises(RuntimeError, match="materialize_grads cannot be used when the given input is a GradientEdge"):
        torch.autograd.grad(x * 2, edge, materialize_grads=True)


def test_multi_grad_hook_waits_for_all_that_the_pass_reaches(torch: Any) -> None:
    seen: list[list[Any]] = []
    a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
    product = a * b
    handle = torch.autograd.graph.register_multi_grad_hook(
        (a, b), lambda gs: seen.append([None if g is None else g.item() for g in gs])
    )
    product.backward(retain_graph=True)
    product.backward(inputs=[a])
    handle.remove()
    (a * b).backward()
    assert seen == [[3.0, 2.0], [3.0, None]]


def test_multi_grad_hook_for_any_runs_once_a_pass(torch: Any) -> None:
    seen: list[float] = []
    a, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    torch.autograd.graph.register_multi_grad_hook((a, b), lambda g: seen.append(g.item()), mode="any")
    (a * 2 + b * 3).backward()
    (b * 4).backward()
    assert seen == [3.0, 4.0]


def test_multi_grad_hook_refuses_other_modes(torch: Any) -> None:
    with pytest.raises(ValueError, match=r"Expects mode to be one of \('all', 'any'\) but got some"):
        torch.autograd.graph.register_multi_grad_hook((), print, mode="some")
