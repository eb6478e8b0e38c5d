"""The index of one of several equal elements is that of PyTorch 2.13.0, where sorts do not keep their order."""

from __future__ import annotations

from typing import Any

import pytest

ASCENDING = [10, 20, 25, 15, 30, 35, 5, 0, 33, 8, 28, 13, 3, 38, 23, 18, 31, 1, 36, 26, 21, 6, 16, 11, 39, 19, 4, 34]


@pytest.fixture
def tied(torch: Any) -> Any:
    """Five different elements, eight of each."""
    return torch.tensor([(i * 7) % 5 for i in range(40)])


@pytest.mark.parametrize("kind", ["int64", "uint8", "float32", "bfloat16"])
def test_sorting_leaves_equal_elements_where_the_algorithm_puts_them(torch: Any, tied: Any, kind: str) -> None:
    assert tied.to(getattr(torch, kind)).sort().indices.tolist()[: len(ASCENDING)] == ASCENDING


def test_a_stable_sort_keeps_their_order(torch: Any, tied: Any) -> None:
    assert tied.sort(stable=True).indices.tolist()[:8] == list(range(0, 40, 5))


def test_the_largest_of_many_come_from_a_heap_and_of_few_from_a_selection(torch: Any, tied: Any) -> None:
    assert tied.topk(9).indices.tolist() == [22, 12, 27, 32, 7, 37, 17, 2, 9]
    assert tied.repeat(10).topk(3).indices.tolist() == [12, 7, 2]


def test_ranked_and_most_frequent_elements(torch: Any, tied: Any) -> None:
    assert tied.kthvalue(20).indices.item() == 11
    assert tied.mode().indices.item() == 0


@pytest.mark.parametrize("kind", ["bfloat16", "float16", "float32"])
def test_nan_is_the_largest(torch: Any, kind: str) -> None:
    x = torch.tensor([float("nan"), 1.0, 2.0, -5.0, 4.0], dtype=getattr(torch, kind))
    assert x.sort().indices.tolist() == [3, 1, 2, 4, 0]
    assert x.sort(stable=True, descending=True).indices.tolist() == [0, 4, 2, 1, 3]
    assert x.kthvalue(3).indices.item() == 2
    assert x.nanmedian(0).indices.item() == 1
    assert torch.unique(x).tolist()[:4] == [-5.0, 1.0, 2.0, 4.0]
