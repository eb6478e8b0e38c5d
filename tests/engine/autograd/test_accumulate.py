"""Accumulation into `.grad`: in place or not, its memory and strides; assignment by the program."""

from __future__ import annotations

from typing import Any

import pytest


def test_adds_in_place_to_the_same_object(torch: Any) -> None:
    """A second pass changes the tensor that `.grad` is."""
    x = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    before = x.grad
    (x * 3).sum().backward()
    assert x.grad is before
    assert before.tolist() == [5.0, 5.0]


def test_replaces_when_recorded(torch: Any) -> None:
    """With create_graph the sum is a new tensor on the tape."""
    x = torch.ones(2, requires_grad=True)
    (x * x).sum().backward()
    before = x.grad
    with pytest.warns(UserWarning, match="reference cycle"):
        (x * x).sum().backward(create_graph=True)
    assert x.grad is not before
    assert (before.tolist(), x.grad.tolist()) == ([2.0, 2.0], [4.0, 4.0])
    assert x.grad.requires_grad
    x.grad = None


def test_never_aliases_the_gradient_that_was_passed(torch: Any) -> None:
    """Changing gradient= afterwards leaves `.grad` as it is."""
    x = torch.ones(2, requires_grad=True)
    g = torch.tensor([1.0, 2.0])
    x.backward(g)
    g.zero_()
    assert x.grad.tolist() == [1.0, 2.0]


def test_never_aliases_what_a_hook_holds(torch: Any) -> None:
    """A gradient that a hook kept is not changed by a later accumulation."""
    kept: list[Any] = []
    x = torch.ones(2, requires_grad=True)
    x.register_hook(lambda g: kept.append(g))
    (x * 2).sum().backward()
    (x * 2).sum().backward()
    assert [k.tolist() for k in kept] == [[2.0, 2.0], [2.0, 2.0]]


def test_two_leaves_do_not_share_one_buffer(torch: Any) -> None:
    """The gradient of a sum goes to both operands, each with memory of its own."""
    a = torch.ones(2, requires_grad=True)
    b = torch.ones(2, requires_grad=True)
    (a + b).backward(torch.ones(2))
    a.grad.zero_()
    assert b.grad.tolist() == [1.0, 1.0]


def test_expanded_gradient_is_made_dense(torch: Any) -> None:
    """The gradient of sum() is one number repeated; `.grad` has memory for each element."""
    x = torch.ones(2, 3, requires_grad=True)
    x.sum().backward()
    assert x.grad.stride() == (3, 1)
    x.grad[0, 0] = 5
    assert x.grad.tolist() == [[5.0, 1.0, 1.0], [1.0, 1.0, 1.0]]


def test_strides_of_a_dense_leaf(torch: Any) -> None:
    """`.grad` has the layout of a dense leaf, also a transposed one."""
    x = torch.ones(3, 2).t().detach().requires_grad_()
    (x * torch.ones(2, 3)).sum().backward()
    assert x.grad.stride() == x.stride() == (1, 2)


def test_row_major_for_a_leaf_with_gaps(torch: Any) -> None:
    """A leaf that does not fill its memory gets a row-major gradient."""
    x = torch.ones(2, 6)[:, ::2].detach().requires_grad_()
    (x * 2).sum().backward()
    assert x.grad.stride() == (3, 1)


def test_scalar_gradients_stay_scalars(ours: Any) -> None:
    """0-d gradients are numpy scalars, which are cheaper than 0-d arrays."""
    import numpy as np

    x = ours.tensor(2.0, requires_grad=True)
    (x * ours.ones(3)).sum().backward()
    assert isinstance(x.grad._data, np.generic)
    (x * ours.rand(())).backward()
    assert isinstance(x.grad._data, np.generic)


def test_assignment(torch: Any) -> None:
    """`.grad` takes a tensor of the same shape and dtype, or None, and is that very object."""
    x = torch.ones(2, requires_grad=True)
    g = torch.tensor([3.0, 4.0])
    x.grad = g
    assert x.grad is g
    (x * 1).sum().backward()
    assert g.tolist() == [4.0, 5.0]
    x.grad = None
    assert x.grad is None
    x.grad = g
    del x.grad
    assert x.grad is None


def test_the_gradient_of_a_leaf_without_dims_that_was_expanded_can_be_added_to(torch: Any) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    x.register_hook(lambda g: None)
    root = x.sum()
    root.backward(torch.ones_like(root))
    x.sum().backward()
    assert x.grad.item() == 2


def test_the_gradient_of_a_viewed_leaf_without_dims_can_be_added_to(torch: Any) -> None:
    """A view gives the leaf memory of its own, whose gradient may be an expanded value that nothing can be added to."""
    leaf = torch.tensor(1.0, requires_grad=True)
    leaf.real.sum().backward()
    leaf.sum().backward()
    assert leaf.grad.item() == 2


@pytest.mark.parametrize(
    ("kind", "called"),
    [("int64", "long int"), ("uint8", "unsigned char"), ("complex64", "c10::complex<float>"), ("bool", "bool")],
)
def test_an_assigned_gradient_of_another_type_is_named_in_c(torch: Any, kind: str, called: str) -> None:
    """PyTorch's text has the C++ name of its type."""
    x = torch.zeros(2)
    with pytest.raises(RuntimeError) as caught:
        x.grad = torch.zeros(2, dtype=getattr(torch, kind))
    assert f"with dtype '{called}' to a tensor with grad_dtype 'Float'" in str(caught.value)
