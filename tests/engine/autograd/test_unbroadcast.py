"""Gradients of what was broadcast: summed over the repeated dims, whatever their lengths and strides."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize("own", [(1,), (4, 1), (1, 3), (4, 3), (3,), (2, 1, 3), (1, 1, 1), ()])
def test_shapes(torch: Any, own: tuple[int, ...]) -> None:
    """Every gradient has its input's shape, and sums up what each element was used for."""
    x = torch.ones(own, requires_grad=True)
    other = torch.arange(24.0).reshape(2, 4, 3)
    (x * other).sum().backward()
    assert x.grad.tolist() == other.sum_to_size(own).tolist()


@pytest.mark.parametrize("length", [1, 7, 4096, 5000])
def test_rows_of_any_length(torch: Any, length: int) -> None:
    """Long rows are summed up in another way than short ones."""
    column = torch.ones(2, 1, requires_grad=True)
    row = torch.ones(length, requires_grad=True)
    weights = torch.arange(2.0 * length).reshape(2, length) % 5
    (column * row * weights).sum().backward()
    assert column.grad.flatten().tolist() == weights.sum(1).tolist()
    assert row.grad.tolist() == weights.sum(0).tolist()


def test_a_gradient_that_was_itself_broadcast(torch: Any) -> None:
    """Of the sum of a sum: all of its elements are one in memory."""
    column = torch.zeros(3, 1, requires_grad=True)
    row = torch.zeros(4, requires_grad=True)
    ((column + row).sum() * 2).backward()
    assert column.grad.tolist() == [[8.0]] * 3
    assert row.grad.tolist() == [6.0] * 4


def test_no_elements(torch: Any) -> None:
    """A dim of length 1 beside one of length 0: its gradient is 0."""
    x = torch.ones(4, 1, requires_grad=True)
    row = torch.ones(1, requires_grad=True)
    (x + row + torch.ones(4, 0)).sum().backward()
    assert x.grad.tolist() == [[0.0]] * 4
    assert row.grad.tolist() == [0.0]
