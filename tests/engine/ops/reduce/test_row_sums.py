"""Rows are added up at their indices in the order they come, whether each index comes once, a few times or often."""

from __future__ import annotations

import numpy as np
import pytest

from backscope.ops.layers.embedding import row_sums


@pytest.mark.parametrize(("count", "length"), [(0, 4), (5, 5), (40, 60), (200, 3), (300, 290)])
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.complex128])
def test_rows_are_added_in_their_order(count, length, kind):
    draw = np.random.default_rng(count)
    indices = draw.permutation(length)[:count] if count == length else draw.integers(0, length, count)
    rows = draw.standard_normal((count, 7)).astype(kind)
    expected = np.zeros((length, 7), kind)
    for at, row in zip(indices, rows, strict=True):
        expected[at] += row
    found = row_sums(rows, indices, length)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
    few = np.bincount(indices, minlength=length) <= 2
    np.testing.assert_array_equal(found[few], expected[few])


def test_what_is_added_up_is_left_alone():
    rows, indices = np.ones((4, 2)), np.array([1, 1, 0, 1])
    np.testing.assert_array_equal(row_sums(rows, indices, 3), [[1, 1], [3, 3], [0, 0]])
    assert (rows == 1).all()
    assert (indices == [1, 1, 0, 1]).all()
