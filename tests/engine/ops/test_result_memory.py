"""What an op gives has memory of its own, also where it equals what the op was given: a number, one matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

ALONG_A_DIM = (
    "amax", "amin", "argsort", "cummax", "cummin", "cumprod", "cumsum", "flip", "logcumsumexp", "logsumexp", "max",
    "mean", "median", "min", "mode", "nanmedian", "nansum", "norm", "prod", "softmax", "sort", "sum", "topk",
)  # fmt: skip


def written(found: Any) -> None:
    """Write into the first of what an op gave."""
    (found[0] if isinstance(found, tuple) else found).fill_(7)


@pytest.mark.parametrize("name", ALONG_A_DIM)
def test_number_among_others_stays_as_it_is(torch: Any, name: str) -> None:
    numbers = torch.tensor([1.5, 2.5])
    argument = 1 if name == "topk" else 0
    written(getattr(numbers[1], name)(argument))
    assert numbers.tolist() == [1.5, 2.5]


@pytest.mark.parametrize(
    "call",
    [
        lambda t, x: x[1].kthvalue(1, 0),
        lambda t, x: x[1].index_select(0, t.tensor([0])),
        lambda t, x: x[1].msort(),
        lambda t, x: t.nn.functional.pixel_shuffle(x[None, None, None], 1),
        lambda t, x: t.nn.functional.pixel_unshuffle(x[None, None, None], 1),
        lambda t, x: t.channel_shuffle(x[None, None, None], 1),
    ],
)
def test_what_changes_nothing_copies(torch: Any, call: Callable[[Any, Any], Any]) -> None:
    numbers = torch.tensor([1.5, 2.5])
    written(call(torch, numbers))
    assert numbers.tolist() == [1.5, 2.5]


@pytest.mark.filterwarnings("ignore:torch.chain_matmul is deprecated")
def test_product_of_one_matrix_is_a_copy(torch: Any) -> None:
    matrix = torch.ones(2, 2)
    written(torch.chain_matmul(matrix))
    assert matrix.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_scatter_reduce_takes_an_index_without_dims(torch: Any) -> None:
    found = torch.tensor([2.5]).scatter_reduce(0, torch.tensor(0), torch.tensor([2.0]), "sum")
    assert found.tolist() == [4.5]
