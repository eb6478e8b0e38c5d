"""Protects: captions write numbers as the page does, with JavaScript's rounding."""

from __future__ import annotations

import pytest

from backscope.caption import number as written
from backscope.protocol import events as ev


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (-0.0, "0"), (3, "3"), (-3.0, "−3"), (0.1 + 0.2, "0.3"), (1 / 3, "0.3333"), (99999, "99999"),
        (12345.6, "12350"), (100000, "1e5"), (123456, "1.235e5"), (1234.5, "1235"), (1000.5, "1001"),
        (0.001, "0.001"), (0.0009999, "9.999e−4"), (2.467e-4, "2.467e−4"), (-1e-12, "−1e−12"), (99999.6, "1e5"),
        ("NaN", "NaN"), ("Infinity", "Inf"), ("-Infinity", "−Inf"), (float("inf"), "Inf"), (2**63 - 1, "9.223e18"),
    ],
)  # fmt: skip
def test_a_number_has_four_significant_digits(value, text):
    assert written.number(value) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (4, "4 B"), (999, "999 B"), (1000, "1 KB"), (1280, "1.3 KB"), (1024 * 999, "999 KB"),
     (1024 * 1024 * 3, "3 MB"), (1024 * 102, "102 KB"), (5 * 1024**4, "5 TB")],
)  # fmt: skip
def test_bytes_have_units_of_1024(count, text):
    assert written.amount(count) == text


def summary(shape, values, dtype="float32"):
    return ev.Summary(
        shape=shape, dtype=dtype, strides=[], nbytes=0, min=None, max=None, mean=None, norm=None, nan_count=0,
        inf_count=0, values=values,
    )  # fmt: skip


def test_small_values_are_written_with_their_brackets():
    assert written.values(summary([2, 2], [0, 1, -2.5, "NaN"]), 28) == "[[0, 1], [−2.5, NaN]]"
    assert written.values(summary([], [True], "bool"), 28) == "True"
    assert written.values(summary([1], [[1, -2]], "complex64"), 28) == "[1−2i]"
    assert written.values(summary([3], [1, 2, 3]), 8) is None
    assert written.values(summary([0], []), 28) is None


@pytest.mark.parametrize(("first", "an"), [(8, True), (11, True), (18000, True), (80, True), (1, False), (110, False)])
def test_a_shape_takes_the_article_of_its_first_number(first, an):
    assert written.takes_an([first, 4]) is an
