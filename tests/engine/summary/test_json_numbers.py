"""Protects numbers as JSON has them: exact where it can be, and a text or a pair where JSON has no number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from backscope.summary.json_numbers import element, elements, number, whole


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.float32(0.1), 0.1),
        (np.float16(0.1), 0.1),
        (np.float64("nan"), "NaN"),
        (np.float32("-inf"), "-Infinity"),
        (np.bool_(True), 1),
        (np.int64(-(2**63)), -(2**63)),
        (np.complex64(1 + 0.1j), [1.0, 0.1]),
    ],
)
def test_an_element(value: Any, expected: object) -> None:
    assert element(value) == expected
    assert elements(np.array([value])) == [expected]


def test_whole_numbers_of_more_than_64_bits_are_rounded() -> None:
    assert whole(2**63 - 1) == 2**63 - 1
    assert whole(2**70) == float(2**70)
    assert whole(-(10**400)) == "-Infinity"


def test_numbers_of_python() -> None:
    assert [number(one) for one in (True, 2, 0.5, float("inf"))] == [1, 2, 0.5, "Infinity"]
