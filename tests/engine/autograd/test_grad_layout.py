"""The layout contract of `.grad`, the gradients that become `.grad` without a copy, and its own dtype."""

from __future__ import annotations

from typing import Any

import pytest


def test_view_of_the_given_gradient_is_taken_over(torch: Any) -> None:
    """Nothing else refers to the view: PyTorch makes it `.grad`, over the memory of the gradient that was given."""
    x, given = torch.ones(2, 3, requires_grad=True), torch.ones(6)
    x.view(6).backward(given)
    assert x.grad.data_ptr() == given.data_ptr()


def test_gradient_that_somebody_holds_is_copied(torch: Any) -> None:
    held: list[Any] = []
    x, given = torch.ones(2, requires_grad=True), torch.ones(2)
    x.register_hook(held.append)
    (x + 0).backward(given)
    assert held[0] is given
    assert x.grad.data_ptr() != given.data_ptr()


@pytest.mark.parametrize("dims", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_grad_has_the_strides_of_a_dense_leaf(torch: Any, dims: tuple[int, ...]) -> None:
    x = torch.ones(2, 3, 4).permute(dims).requires_grad_()
    (x * 2).sum().backward()
    assert x.grad.stride() == x.stride()


def test_leaf_with_gaps_gets_a_contiguous_grad(torch: Any) -> None:
    x = torch.ones(4, 6)[:, ::2].requires_grad_()
    (x * 2).sum().backward()
    assert x.grad.stride() == (3, 1)


def test_existing_grad_keeps_its_strides_and_warns(torch: Any) -> None:
    x = torch.ones(2, 3, requires_grad=True)
    x.grad = torch.ones(3, 2).t()
    with pytest.warns(UserWarning, match="do not obey the gradient layout contract"):
        (x * 2).sum().backward()
    assert x.grad.stride() == (1, 2)


def test_relaxed_policy_takes_over_other_layouts(torch: Any) -> None:
    x, given = torch.ones(2, 3, requires_grad=True), torch.ones(3, 2)
    with torch.autograd.enforce_grad_layout_policy(False):
        x.t().backward(given)
    assert x.grad.data_ptr() == given.data_ptr()
    assert torch._C._is_grad_layout_enforcement_enabled()


def test_expanded_grad_can_not_be_added_to(torch: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    x.grad = torch.zeros(1).expand(2)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        (x * 2).sum().backward()


def test_grad_dtype_widens_grad(torch: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    x.grad_dtype = torch.float64
    (x * 2).sum().backward()
    (x * 2).sum().backward()
    assert (x.grad.dtype, x.grad.tolist()) == (torch.float64, [4.0, 4.0])
    with pytest.raises(RuntimeError, match="there is already a gradient with dtype 'double'"):
        x.grad_dtype = torch.float32


def test_grad_dtype_of_a_non_leaf_is_refused(torch: Any) -> None:
    with pytest.raises(RuntimeError, match="can only be accessed on leaf tensors"):
        _ = (torch.ones(1, requires_grad=True) * 2).grad_dtype


def test_grad_of_another_kind_of_type_is_refused(torch: Any) -> None:
    """Any dtype may be assigned once grad_dtype is None, but a float can't be added to integers in place."""
    x = torch.ones(2, requires_grad=True)
    x.grad_dtype = None
    x.grad = torch.ones(2, dtype=torch.int64)
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        (x * 2).sum().backward()


def test_channels_last_is_an_order_of_dims(torch: Any) -> None:
    x = torch.ones(2, 3, 4, 5).contiguous(memory_format=torch.channels_last).requires_grad_()
    (x * 2).sum().backward()
    assert x.grad.stride() == x.stride() == (60, 1, 15, 3)
    assert x.is_contiguous(memory_format=torch.channels_last)


def test_first_operand_decides_the_order_of_dims(torch: Any) -> None:
    """Of two operands with dims in different order, one broadcast; broadcast dims say nothing."""
    a, b = torch.ones(3, 2).t(), torch.ones(1, 3)
    assert (a + b).stride() == (1, 2)
    assert (b.expand(2, 3) * torch.ones(2, 1)).stride() == (3, 1)


def test_operands_of_different_strides_give_the_layout_of_the_first(torch: Any) -> None:
    """As where a residual is added to what was permuted."""
    plain, turned = torch.zeros(2, 3, 4), torch.zeros(4, 3, 2).permute(2, 1, 0)
    assert (plain + turned).stride() == plain.stride()
    assert (turned + plain).stride() == turned.stride()
    assert (turned * turned).stride() == turned.stride()
