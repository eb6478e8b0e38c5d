"""How results of permuted inputs lie in memory: in order where PyTorch's kernel takes no layout over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.parametrize(
    "call",
    [
        lambda t, x: x.tril(),
        lambda t, x: x.scatter(0, t.zeros(1, 1, dtype=t.int64), 1.0),
        lambda t, x: x.scatter_add(0, t.zeros(1, 1, dtype=t.int64), t.ones(1, 1)),
        lambda t, x: x.scatter_reduce(0, t.zeros(2, 3, dtype=t.int64), x, "sum"),
        lambda t, x: x.index_add(0, t.tensor([0]), t.ones(1, 3)),
        lambda t, x: x.index_copy(0, t.tensor([0]), t.ones(1, 3)),
        lambda t, x: x.masked_scatter(x > 0, x),
        lambda t, x: x.renorm(2, 0, 1.0),
        lambda t, x: x.logcumsumexp(0),
        lambda t, x: x.topk(1, 0)[0],
        lambda t, x: t.cross(x, t.ones(2, 3), dim=1),
        lambda t, x: x.T[None].prod(0),
        lambda t, x: x.T[None].median(0)[0],
        lambda t, x: x[:, [0]],
    ],
)
def test_results_are_in_order(torch: Any, call: Callable[[Any, Any], Any]) -> None:
    out = call(torch, torch.arange(6.0).reshape(3, 2).T)
    assert out.stride() == (out.shape[1], 1)


def test_entries_are_repeated_as_a_view_of_one_copy(torch: Any) -> None:
    x = torch.ones(3, 2, requires_grad=True).T.repeat_interleave(2, 0)
    assert [x.grad_fn.name(), x.grad_fn.next_functions[0][0].name()] == ["ViewBackward0", "CloneBackward0"]


def test_nodes_without_a_derivative_have_edges_to_what_requires_grad(torch: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    assert [len(y.grad_fn.next_functions) for y in (x // 2, x // torch.ones(2), x // x)] == [1, 1, 2]


def test_repeated_tensor_is_in_order_in_memory(torch: Any) -> None:
    assert torch.ones(2, 3).t().repeat(1, 1).stride() == (2, 1)
    assert torch.ones(2, 3).t().tile(1).stride() == (2, 1)


def test_running_sum_begins_at_positive_zero(torch: Any) -> None:
    assert str(torch.tensor([-0.0, -0.0]).cumsum(0)) == "tensor([0., 0.])"
