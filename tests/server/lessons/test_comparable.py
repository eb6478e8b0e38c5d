"""Protects answers: what the program gave becomes a value, and values are equal where a reader would say so."""

from __future__ import annotations

import pytest

from backscope import torch
from backscope.protocol.commands import Look
from backscope.summary.summary import summarize
from backscope_server.lessons.comparable import NotComparable, same, value_of, written


def look(value: object) -> Look:
    summary = summarize(value._data) if isinstance(value, torch.Tensor) else None
    return Look(type=type(value).__name__, text=repr(value), tensor=None, value=summary)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2, "2"),
        (0.5, "0.5"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
        (True, "True"),
        (None, "None"),
        ("MulBackward0", "'MulBackward0'"),
        (torch.Size([2, 3]), "[2, 3]"),
        ((1, 2.5), "[1, 2.5]"),
        (torch.tensor(7.0), "7"),
        (torch.tensor(True), "True"),
        (torch.tensor([[1.0, 2.0], [3.0, 4.5]]), "tensor([[1, 2], [3, 4.5]])"),
        (torch.tensor([1 + 2j]), "tensor([(1, 2)])"),
        (torch.zeros(0), "tensor([])"),
        (torch.zeros(10**9, 0), "tensor([], size=(1000000000, 0))"),
        (10**300, "1e+300"),
    ],
)
def test_what_can_be_typed_is_a_value(value, text):
    assert written(value_of(look(value))) == text


@pytest.mark.parametrize("value", [object(), torch.zeros(300), [None], {1: 2}, pytest, 10**400, [-(10**400)]])
def test_what_cannot_be_typed_is_refused(value):
    with pytest.raises(NotComparable):
        value_of(look(value))


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (7, 7.0, True),
        (7, 7.0001, True),
        (7, 7.01, False),
        (0, 1e-9, False),
        (float("nan"), float("nan"), True),
        (1, True, False),
        (0, None, False),
        (torch.tensor(7.0), 7, True),
        (torch.tensor([1.0, 2.0]), [1, 2], True),
        ([1, 2], torch.tensor([1.0, 2.0]), True),
        (torch.tensor([[1.0, 2.0]]), [1, 2], False),
        (torch.tensor([1.0, 2.0]), torch.tensor([1.0]), False),
        (torch.Size([2]), (2,), True),
        ("a", "a", True),
    ],
)
def test_values_are_equal_where_a_reader_would_say_so(one, other, equal):
    assert same(value_of(look(one)), value_of(look(other))) is equal


def test_a_lesson_says_how_far_numbers_may_be_apart():
    assert same(value_of(look(0.5)), value_of(look(0.509)), 0.01)
    assert not same(value_of(look(0.5)), value_of(look(0.52)), 0.01)
