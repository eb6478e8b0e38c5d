"""Sizes that can't be counted, places in tensors of nothing, and types that one dim has no kernel for."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ((2, 4, 2**29, 2**29), r"Storage size calculation overflowed with sizes=\[2, 4, 536870912, 536870912\]"),
        ((8, 8, 2**29, 2**29), "numel: integer multiplication overflow"),
        ((0, 2**40, 2**40), "Stride calculation overflowed"),
    ],
)
def test_resize_refuses_sizes_beyond_counting(torch: Any, shape: tuple[int, ...], text: str) -> None:
    with pytest.raises(RuntimeError, match=text):
        torch.empty((), dtype=torch.float64).resize_(shape)


def test_strides_beyond_counting(torch: Any) -> None:
    with pytest.raises(RuntimeError, match="Stride calculation overflowed"):
        torch.empty(0, 2**40, 2**40)
    assert torch.empty(0, 2**20, 2**20).shape == (0, 2**20, 2**20)


def test_nothing_is_taken_from_nothing(torch: Any) -> None:
    nothing, place = torch.tensor([]), torch.tensor([0])
    with pytest.raises(IndexError, match=r"take\(\): tried to take from an empty tensor"):
        nothing.take(place)
    with pytest.raises(IndexError, match=r"put_\(\): Tried to put elements into an empty tensor"):
        nothing.put_(place, torch.ones(1))
    assert nothing.take(place[:0]).shape == (0,)


@pytest.mark.filterwarnings("ignore:index_reduce")
def test_complex_vectors_are_not_reduced_by_index(torch: Any) -> None:
    place = torch.tensor([0])
    for reduce in ("prod", "amin", "amax", "mean"):
        with pytest.raises(NotImplementedError, match="\"index_func_\" not implemented for 'ComplexFloat'"):
            torch.ones(3, dtype=torch.complex64).index_reduce(0, place, torch.ones(1, dtype=torch.complex64), reduce)
    twos = torch.full((1, 2), 2, dtype=torch.complex64)
    assert torch.ones(2, 2, dtype=torch.complex64).index_reduce(0, place, twos, "prod").tolist() == [[2, 2], [1, 1]]
