"""Hooks on tensors and nodes, retain_grad: what they see, what they may change, in which order they run."""

from __future__ import annotations

from typing import Any

import pytest


def test_tensor_hook_replaces_the_gradient(torch: Any) -> None:
    """What a hook returns goes on; None leaves the gradient."""
    seen: list[float] = []
    x = torch.tensor(1.0, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: seen.append(g.item()))
    y.register_hook(lambda g: g * 10)
    y.register_hook(lambda g: seen.append(g.item()))
    (y * 3).backward()
    assert (seen, x.grad.item()) == ([3.0, 30.0], 60.0)


def test_removed_hook_is_silent(torch: Any) -> None:
    """remove() takes a hook away; a second time does nothing; a handle is a context manager."""
    seen: list[int] = []
    x = torch.tensor(1.0, requires_grad=True)
    handle = x.register_hook(lambda g: seen.append(1))
    with x.register_hook(lambda g: seen.append(2)):
        (x * 1).backward()
    handle.remove()
    handle.remove()
    (x * 1).backward()
    assert seen == [1, 2]


def test_hook_sees_the_whole_gradient(torch: Any) -> None:
    """A tensor hook runs once, after all contributions have been added."""
    seen: list[float] = []
    x = torch.tensor(3.0, requires_grad=True)
    y = x * 1
    y.register_hook(lambda g: seen.append(g.item()))
    (y * y + y).backward()
    assert seen == [7.0]


def test_order_on_a_leaf(torch: Any) -> None:
    """Tensor hooks, AccumulateGrad pre-hooks, the accumulation, post-accumulate hooks, AccumulateGrad post-hooks."""
    order: list[Any] = []
    x = torch.tensor(1.0, requires_grad=True)
    y = x * 2
    node = y.grad_fn.next_functions[0][0]
    node.register_hook(lambda grad_inputs, grads: order.append(("post", len(grad_inputs))))
    node.register_prehook(lambda grads: order.append("pre"))
    x.register_post_accumulate_grad_hook(lambda leaf: order.append(("accumulated", leaf.grad.item())))
    x.register_hook(lambda g: order.append("tensor"))
    y.backward()
    assert order == ["tensor", "pre", ("accumulated", 2.0), ("post", 0)]


def test_node_hooks_replace_gradients(torch: Any) -> None:
    """A pre-hook replaces what comes in, a post-hook what goes out."""
    x = torch.tensor(1.0, requires_grad=True)
    y = x * 2
    y.grad_fn.register_prehook(lambda grads: (grads[0] + 1,))
    y.grad_fn.register_hook(lambda grad_inputs, grads: (grad_inputs[0] * 100, None))
    y.backward()
    assert x.grad.item() == 400.0


def test_hook_on_one_of_several_outputs(torch: Any) -> None:
    """A hook belongs to its output, not to the node."""
    seen: list[list[float]] = []
    x = torch.arange(4.0, requires_grad=True)
    first, second = x.split(2)
    second.register_hook(lambda g: seen.append(g.tolist()))
    (first.sum() + 5 * second.sum()).backward()
    assert seen == [[5.0, 5.0]]


def test_retain_grad(torch: Any) -> None:
    """A non-leaf keeps its gradient; on a leaf nothing changes."""
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    assert not y.retains_grad
    y.retain_grad()
    y.retain_grad()
    x.retain_grad()
    assert y.retains_grad and not x.retains_grad
    (y * 3).backward()
    assert (y.grad.item(), x.grad.item()) == (3.0, 12.0)


def test_retained_gradient_is_seen_after_hooks(torch: Any) -> None:
    """retain_grad sees the gradient after all tensor hooks, also those registered later."""
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    y.retain_grad()
    y.register_hook(lambda g: g * 2)
    y.backward()
    assert y.grad.item() == 2.0


def test_retained_gradient_accumulates(torch: Any) -> None:
    """A second pass adds to the retained gradient, out of place."""
    x = torch.tensor(2.0, requires_grad=True)
    y = x + 1
    y.retain_grad()
    y.backward()
    before = y.grad
    y.backward()
    assert (before.item(), y.grad.item()) == (1.0, 2.0)


def test_retain_grad_follows_an_in_place_change(torch: Any) -> None:
    """After an in-place op the retained gradient is that of the changed tensor."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    y.retain_grad()
    y.mul_(3)
    (y * 10).sum().backward()
    assert y.grad.tolist() == [10.0, 10.0]


def test_hook_may_create_a_graph(torch: Any) -> None:
    """With create_graph, what a hook computes is part of the recorded pass."""
    x = torch.tensor(3.0, requires_grad=True)
    x.register_hook(lambda g: g * x)
    (first,) = torch.autograd.grad(x * x, x, create_graph=True)
    assert first.item() == 18.0
    assert first.requires_grad


@pytest.mark.parametrize("kind", ["post accumulate", "tensor"])
def test_hooks_outlive_the_accumulator(torch: Any, kind: str) -> None:
    """A leaf's hooks stay when its AccumulateGrad is made anew for another graph."""
    seen: list[int] = []
    x = torch.tensor(1.0, requires_grad=True)
    if kind == "tensor":
        x.register_hook(lambda g: seen.append(1))
    else:
        x.register_post_accumulate_grad_hook(lambda leaf: seen.append(1))
    (x * 2).backward()
    (x * 2).backward()
    assert seen == [1, 1]
