"""Protects answers why a parameter did not change: no step has it, moves it, or its name went to another tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from backscope.diagnosis.why import Subject, Tape, questions

Why = Callable[..., Any]

TRAINING = """
w = torch.tensor([2.0], requires_grad=True)
v = torch.tensor([3.0], requires_grad=True)
optimizer = torch.optim.SGD({given}, lr={lr})
for _ in range(2):
    optimizer.zero_grad()
    loss = (w * {factor}).sum()
    loss.backward()
    optimizer.step()
"""

REASONS = [
    ("[v, w]", "0.1", "1", "v", "SGD has v, but v.grad was None at all 2 steps at line 10"),
    ("[v]", "0.1", "1", "w", "No optimizer that stepped has w: SGD stepped 2 times without it"),
    ("[w]", "0.0", "1", "w", "its learning rate was 0 each time"),
    ("[w]", "0.1", "0", "w", "w.grad was zero each time"),
    ("[w]", "1e-30", "1", "w", "by too little to change its numbers"),
]


@pytest.mark.parametrize(("given", "lr", "factor", "name", "reason"), REASONS)
def test_a_parameter_that_no_step_moved(why: Why, given: str, lr: str, factor: str, name: str, reason: str) -> None:
    found = why(TRAINING.format(given=given, lr=lr, factor=factor), "unchanged", name)
    assert reason in found.cause


def test_one_that_steps_move_is_not_asked_about(record: Callable[..., Any]) -> None:
    tape = Tape(record(TRAINING.format(given="[w]", lr="0.1", factor="1")).events)
    asked = questions(tape, tape.seq, Subject(tensor=tape.find("w", tape.seq)))
    assert [one.key for one in asked] == ["grad_value"]


def test_a_name_that_was_bound_anew(why: Why) -> None:
    body = """
model = torch.nn.Linear(2, 1)
average = torch.nn.Linear(2, 1).requires_grad_(False)
with torch.no_grad():
    for _ in range(2):
        for ours, theirs in zip(average.parameters(), model.parameters()):
            ours = ours * 0.9 + theirs * 0.1
"""
    found = why(body, "unchanged", "average.weight")
    assert "the variable ours is bound to it" in found.cause
    assert found.lines[0] == 8
    assert "lerp_" in found.fix


@pytest.mark.parametrize(
    ("given", "lr", "factor", "name"),
    [
        ("[v, w]", "0.1", "1", "v"),
        ("[w]", "0.0", "1", "w"),
        ("[w]", "0.1", "0", "w"),
        ("[v]", "0.1", "v", "w"),
        ("[w]", "0.1", "1", None),
    ],
)
def test_the_run_is_asked_about_parameters_that_stay(
    record: Callable[..., Any], given: str, lr: str, factor: str, name: str | None
) -> None:
    """Of those that an optimizer was given, and at the end of Parameters that none was given."""
    body = TRAINING.replace("torch.tensor([2.0], requires_grad=True)", "torch.nn.Parameter(torch.tensor([2.0]))")
    tape = Tape(record(body.format(given=given, lr=lr, factor=factor)).events)
    asked = [one.text for one in questions(tape, tape.seq, Subject()) if one.key == "unchanged"]
    assert asked == ([] if name is None else [f"Why did {name} not change?"])
    before = questions(tape, tape.steps[0].seq - 1, Subject())
    assert not [one for one in before if one.key == "unchanged"]
