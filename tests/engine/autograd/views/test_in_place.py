"""In-place ops: version counters, the changed tensor's history, what is refused, what a saved copy makes possible."""

from __future__ import annotations

from typing import Any

import pytest


def test_each_change_counts(torch: Any) -> None:
    """Every in-place op raises the version by one."""
    x = torch.ones(2)
    assert x._version == 0
    x.add_(1)
    x += 1
    x[0] = 5
    x.zero_()
    assert x._version == 4


def test_history_moves_to_the_op(torch: Any) -> None:
    """grad_fn is the in-place op's, which leads to what the tensor was before."""
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    before = y.grad_fn
    y.mul_(3)
    assert type(y.grad_fn).__name__ == "MulBackward0"
    assert y.grad_fn.next_functions[0][0] is before
    y.sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]


def test_plain_tensor_becomes_tracked(torch: Any) -> None:
    """An in-place op with a tracked operand makes its target part of the graph."""
    w = torch.tensor(3.0, requires_grad=True)
    total = torch.zeros(2)
    total.add_(w)
    assert total.requires_grad and not total.is_leaf
    total.sum().backward()
    assert w.grad.item() == 2.0


@pytest.mark.parametrize("op", ["sin_", "exp_", "sigmoid_", "tanh_", "sqrt_"])
def test_ops_that_save_themselves_work(torch: Any, op: str) -> None:
    """An op that needs its input saves a copy, one that needs its result saves that: both run backward."""
    x = torch.tensor([0.5, 1.0], requires_grad=True)
    y = x * 2
    getattr(y, op)()
    y.sum().backward()
    expected = torch.tensor([0.5, 1.0], requires_grad=True)
    getattr(expected * 2, op[:-1])().sum().backward()
    assert torch.equal(x.grad, expected.grad)


def test_tensor_times_itself_in_place_fails_in_backward(torch: Any) -> None:
    """y.mul_(y) saves y before the change: the pass refuses the stale value."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    y.mul_(y)
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0 instead"):
        y.sum().backward()


def test_leaf_is_refused(torch: Any) -> None:
    """A leaf that requires grad can't be changed in place while grad mode is on."""
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError) as caught:
        x.add_(1)
    assert str(caught.value) == "a leaf Variable that requires grad is being used in an in-place operation."
    with torch.no_grad():
        x.add_(1)
    assert x.tolist() == [2.0, 2.0]
    assert x.is_leaf and x._version == 1


def test_expanded_tensor_is_refused(torch: Any) -> None:
    """Several elements in one place of memory can't be written to."""
    x = torch.ones(1).expand(3)
    with pytest.raises(RuntimeError) as caught:
        x.add_(1)
    assert str(caught.value) == (
        "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
        "Please clone() the tensor before performing the operation."
    )


def test_result_type_must_fit(torch: Any) -> None:
    """An integer tensor can't take a float result."""
    x = torch.ones(2, dtype=torch.int64)
    with pytest.raises(RuntimeError) as caught:
        x.add_(0.5)
    assert str(caught.value) == "result type Float can't be cast to the desired output type Long"


def test_shape_must_stay(torch: Any) -> None:
    """A broadcast that would enlarge the target is refused."""
    x = torch.ones(2)
    with pytest.raises(RuntimeError) as caught:
        x.add_(torch.ones(3, 2))
    assert str(caught.value) == "output with shape [2] doesn't match the broadcast shape [3, 2]"


def test_scalar_tensor_is_shared_after_a_change(torch: Any) -> None:
    """A 0-d tensor and its alias see each other's changes, whichever of them changes."""
    x = torch.tensor(1.0)
    d = x.detach()
    x.add_(1)
    d.mul_(10)
    assert (x.item(), d.item()) == (20.0, 20.0)
