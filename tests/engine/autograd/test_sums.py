"""Protects sums along dims, which are products with ones where these are faster."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from backscope.autograd.sums import sums

SHAPES = [(64, 32, 128), (8, 4, 16, 16), (4096, 2), (2, 4096), (2, 5000), (100, 100, 4), (16, 1, 300), (3, 1, 4, 500)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_every_choice_of_dims(shape: tuple[int, ...], kind: type) -> None:
    """The sums of whole numbers are exact, along any dims, kept or not."""
    value = np.arange(np.prod(shape)).reshape(shape).astype(kind) % 7
    for count in range(len(shape) + 1):
        for dims in combinations(range(len(shape)), count):
            for keepdims in (False, True):
                expected = np.add.reduce(value, dims, keepdims=keepdims)
                found = sums(value, dims[::-1], keepdims)
                assert found.dtype == expected.dtype
                assert found.shape == expected.shape
                assert np.array_equal(found, expected)


@pytest.mark.parametrize("dims", [(0,), (1,), (2,), (0, 2)])
def test_what_is_not_finite_stays_where_it_is(dims: tuple[int, ...]) -> None:
    """An infinity or a NaN is in the sums that it belongs to, and in no other."""
    value = np.ones((64, 16, 32), np.float32)
    value[3, 4, 5], value[60, 1, 2] = np.inf, np.nan
    assert np.array_equal(sums(value, dims), np.add.reduce(value, dims), equal_nan=True)


def test_of_memory_in_any_order() -> None:
    value = np.arange(32768.0).reshape(32, 32, 32).transpose(2, 0, 1)
    assert np.array_equal(sums(value, (1,)), value.sum(axis=1))
    assert np.array_equal(sums(np.broadcast_to(value[0], (5, 32, 32)), (0,)), 5 * value[0])
