"""Gradients with elements that share memory, as those of a sum do: a program can write to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def gradient_of_sum(torch: Any, *shape: int) -> Any:
    """What sum() sends back, which is one number expanded."""
    x = torch.ones(*shape, requires_grad=True)
    return torch.autograd.grad(x.sum(), [x])[0]


@pytest.mark.filterwarnings("ignore:Use of .* on expanded tensors is deprecated")
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda t, g: g.fill_(2.0), [2.0, 2.0, 2.0]),
        (lambda t, g: g.zero_(), [0.0, 0.0, 0.0]),
        (lambda t, g: g.masked_fill_(t.tensor([True, False, True]), 4.0), [4.0, 4.0, 4.0]),
        (lambda t, g: g.index_fill_(0, t.tensor([0]), 3.0), [3.0, 3.0, 3.0]),
        (lambda t, g: g.__setitem__(0, 5.0), [5.0, 5.0, 5.0]),
    ],
)
def test_one_number_is_written_to_all(torch: Any, change: Callable[[Any, Any], Any], expected: list[float]) -> None:
    gradient = gradient_of_sum(torch, 3)
    change(torch, gradient)
    assert gradient.tolist() == expected


def test_gradient_of_one_element_and_of_none_can_be_scaled(torch: Any) -> None:
    assert gradient_of_sum(torch, 1).mul_(3).tolist() == [3.0]
    assert gradient_of_sum(torch, 0, 2).mul_(3).tolist() == []


def test_hook_may_scale_the_gradient_of_one_element(torch: Any) -> None:
    x = torch.ones(1, requires_grad=True)
    x.register_hook(lambda g: g.mul_(2))
    x.sum().backward()
    assert x.grad.tolist() == [2.0]


def test_numbers_that_share_memory_are_refused_where_they_would_differ(torch: Any) -> None:
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        gradient_of_sum(torch, 3).mul_(2)


def test_leaf_without_elements_gets_gradients_twice(torch: Any) -> None:
    x = torch.ones(0, 2, requires_grad=True)
    x.sum().backward()
    x.sum().backward()
    assert x.grad.tolist() == []
