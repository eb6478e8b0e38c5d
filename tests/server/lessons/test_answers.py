"""Protects answers on both sides: the server and the page read the same values and find the same ones equal.

The page's tests beside `web/src/lesson/answer.ts` read the same table, whose expressions they take as typed.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from backscope import torch
from backscope.protocol.commands import Look
from backscope.summary.summary import summarize
from backscope_server.lessons.comparable import Value, same, value_of

TABLE = json.loads((Path(__file__).parents[2] / "golden" / "answers.json").read_text("utf-8"))


def computed(expression: str) -> Value:
    """Return the value that a program would give for an expression of the table."""
    value = eval(expression, {"torch": torch})
    summary = summarize(value._data) if isinstance(value, torch.Tensor) else None
    return value_of(Look(type=type(value).__name__, text=repr(value), tensor=None, value=summary))


@pytest.mark.parametrize("case", TABLE["values"], ids=lambda case: case["expression"])
def test_an_expression_has_the_value_of_the_table(case):
    value = TypeAdapter(Value).validate_python(case["value"])
    assert same(computed(case["expression"]), value)
    assert computed(case["expression"]).kind == value.kind


@pytest.mark.parametrize("case", TABLE["comparisons"], ids=lambda case: f"{case['one']} and {case['other']}")
def test_two_values_are_compared_as_in_the_table(case):
    one, other = computed(case["one"]), computed(case["other"])
    assert same(one, other, case.get("within")) is case["same"]
    assert same(other, one, case.get("within")) is case["same"]
