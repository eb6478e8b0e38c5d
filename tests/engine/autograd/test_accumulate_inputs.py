"""Gradients in the fast loop: the state after a node failed, and the memory that sums are written to."""

from __future__ import annotations

from typing import Any

import pytest


def _branches(torch: Any, first_fails: bool) -> tuple[Any, Any, Any]:
    """A loss of two leaves with a node for each; the one for `a` runs first, and one of them fails."""
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = torch.tensor([3.0, 4.0], requires_grad=True)
    old = b.exp()
    young = a.exp()
    loss = (young + old).sum()
    with torch.no_grad():
        (young if first_fails else old).add_(1)
    return loss, a, b


def test_leaves_that_were_complete_before_a_failure_have_their_gradients(torch: Any) -> None:
    """As in PyTorch, where an AccumulateGrad runs as soon as its last gradient is there."""
    loss, a, b = _branches(torch, first_fails=False)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()
    assert a.grad is not None
    assert b.grad is None


def test_leaves_below_a_failure_get_nothing(torch: Any) -> None:
    """Neither the leaf of the node that failed nor those of nodes after it."""
    loss, a, b = _branches(torch, first_fails=True)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()
    assert a.grad is None
    assert b.grad is None


def test_a_shared_leaf_above_a_failure_gets_nothing(torch: Any) -> None:
    """A part of a gradient is no gradient; and the next pass does not find the part either."""
    x = torch.tensor(2.0, requires_grad=True)
    old = x.exp()
    loss = x * 3 + old
    with torch.no_grad():
        old.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()
    assert x.grad is None
    (x * 5).backward()
    assert x.grad.item() == 5


def test_a_node_waits_for_all_of_its_consumers(torch: Any) -> None:
    """Also where the way to it is shorter on one side than on the other, and where many wait at a time."""
    x = torch.tensor(1.0, requires_grad=True)
    middle = x * 1
    branches = [middle * float(n) for n in range(1, 6)]
    deep = branches[0]
    for _ in range(4):
        deep = deep * 2
    (sum(branches[1:], start=deep) + middle).backward()
    assert x.grad.item() == 16 + 2 + 3 + 4 + 5 + 1


def test_a_node_that_only_undefined_gradients_reach_sends_nothing(torch: Any) -> None:
    """Until a gradient arrives there by another way."""
    undefined = torch._C._functions.UndefinedGrad()
    x = torch.tensor(2.0, requires_grad=True)
    middle = x * 3
    undefined(middle).backward()
    assert x.grad is None
    middle = x * 3
    (undefined(middle) + middle).backward()
    assert x.grad.item() == 3


@pytest.mark.parametrize("way", ["backward", "all leaves", "some leaves", "stepwise"])
def test_a_node_that_no_gradient_reaches_reads_and_frees_what_it_saved(torch: Any, way: str) -> None:
    """The gradient of a count of elements is undefined, and PyTorch's nodes below it run all the same."""

    def differentiate(out: Any) -> None:
        if way in ("backward", "stepwise"):
            out.backward()
        else:
            torch.autograd.grad(out, (x, y) if way == "all leaves" else (x,), allow_unused=True)

    x, y = (torch.tensor([2.0, 3.0], requires_grad=True) for _ in range(2))
    if way == "stepwise":
        y.register_hook(lambda g: None)
    product = x * y
    power = product.exp()
    differentiate(torch.linalg.vector_norm(power, 0))
    for node in (product.grad_fn, power.grad_fn):
        with pytest.raises(RuntimeError, match="second time"):
            _ = node._saved_result if node is power.grad_fn else node._saved_self
    with pytest.raises(RuntimeError, match="second time"):
        differentiate(torch.linalg.vector_norm(power, 0))
    power = (x * y).exp()
    count = torch.linalg.vector_norm(power.clone(), 0)
    power.detach().zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        differentiate(count)


@pytest.mark.parametrize("size", [3, 5000])
def test_sums_are_not_written_to_memory_that_others_have(torch: Any, size: int) -> None:
    """The gradient that the user gave, the one that an addition hands to both sides, and `.grad` itself."""
    given = torch.ones(size)
    x = torch.zeros(size, requires_grad=True)
    z = torch.zeros(size, requires_grad=True)
    y = x + z
    (y + x).backward(given)
    assert given.tolist() == [1] * size
    assert x.grad.tolist() == [2] * size
    assert z.grad.tolist() == [1] * size
    before = x.grad
    (x * 2 + x * 3 + x * 4).backward(given)
    assert x.grad is before
    assert x.grad.tolist() == [11] * size
    assert given.tolist() == [1] * size


def test_numbers_keep_their_sign_and_type(torch: Any) -> None:
    """Numbers beside tensors are kept for the next time: 0 and -0, 2 and 2.0, True and 1 are different ones."""
    x = torch.tensor([1.0], requires_grad=True)
    assert str(x.detach() * 0.0) == "tensor([0.])"
    assert str(x.detach() * -0.0) == "tensor([-0.])"
    assert (x * 2).grad_fn._saved_other.dtype is torch.int64
    assert (x * 2.0).grad_fn._saved_other.dtype is torch.float64
    assert (x * 2).grad_fn._saved_other.dtype is torch.int64
    assert (x * float("nan")).isnan().all()


def test_gradients_of_a_whole_number_in_a_recorded_formula_keep_their_type(torch: Any) -> None:
    """To numpy a number of a derived class is an array, and float32 times that would be float64."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (g,) = torch.autograd.grad((x * 2).sin().sum(), x, create_graph=True)
    g.sum().backward()
    assert x.grad.dtype is torch.float32
