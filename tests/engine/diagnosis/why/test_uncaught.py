"""Protects the choice of the error: the one that ended the program, and a caught one in its own question."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from backscope.diagnosis.why import Subject, Tape, ask, questions
from backscope.program.explanation import explain

CAUGHT = "x = torch.ones(2, requires_grad=True)\ntry:\n    (x * 2).backward()\nexcept RuntimeError as e:\n    {then}\n"


@pytest.mark.parametrize(
    ("body", "type_", "line"),
    [
        (CAUGHT.format(then="pass") + "data = {'a': 1}\nprint(data['b'])\n", "KeyError", 8),
        (CAUGHT.format(then="print(er)"), "NameError", 6),
        (CAUGHT.format(then="raise SystemExit(3)"), "SystemExit", 6),
        (CAUGHT.format(then="raise ValueError('no')"), "ValueError", 6),
        (CAUGHT.format(then="pass") + "assert x.grad is not None, 'no gradient'\n", "AssertionError", 7),
        (CAUGHT.format(then="pass") + "torch.ones(3) + torch.ones(4)\n", "RuntimeError", 7),
        (CAUGHT.format(then="pass") + "def f(n):\n    return 1 / n\nf(0)\n", "ZeroDivisionError", 8),
    ],
)
def test_what_ended_the_program(record: Callable[..., Any], body: str, type_: str, line: int) -> None:
    """The answer has its type and line, and nothing about the caught error."""
    tape = Tape(record(body).events)
    found = ask(tape, tape.seq, "error", Subject())
    assert questions(tape, tape.seq, Subject())[0].text == f"Why did the {type_} happen?"
    assert line in found.lines
    answer = explain(tape, tape.seq)
    assert answer.startswith(f"{type_} at line {line}")
    assert "only for a single number" not in answer
    assert "Why did the RuntimeError at line 4 happen, which was caught? Ask about `caught`." in answer
    caught = explain(tape, tape.seq, "caught")
    assert caught.startswith("Why did the RuntimeError at line 4 happen, which was caught?")
    assert "only for a single number" in caught


def test_the_call_that_led_there(record: Callable[..., Any]) -> None:
    """The answer has the line, its text and its caller."""
    tape = Tape(record("def f(n):\n    return 1 / n\n\nf(0)\n").events)
    found = ask(tape, tape.seq, "error", Subject())
    assert found.cause == (
        "ZeroDivisionError at line 3, in `return 1 / n`: division by zero. f() was called from line 5."
    )
    assert found.lines == [3, 5]


def test_an_error_raised_from_another(record: Callable[..., Any]) -> None:
    """The answer has the error that it was raised from."""
    tape = Tape(record(CAUGHT.format(then="raise ValueError('training failed') from e")).events)
    found = ask(tape, tape.seq, "error", Subject())
    assert found.cause.startswith("The program itself raised ValueError at line 6")
    assert "It was raised from the RuntimeError at line 4" in found.cause
    assert "only for a single number" in found.cause
    assert found.lines == [6, 4]


def test_one_that_is_caught_and_nothing_more(record: Callable[..., Any]) -> None:
    """Without an error at the end, the answer is about the last caught one, and about no other."""
    tape = Tape(record(CAUGHT.format(then="pass")).events)
    assert [one.key for one in questions(tape, tape.seq, Subject())] == ["error"]
    assert explain(tape, tape.seq, "caught") == "The program caught no error before the one that `why` explains."
    again = Tape(record("x = torch.ones(2, requires_grad=True)\n(x * 2).backward()\n").events)
    assert [one.key for one in questions(again, again.seq, Subject())] == ["error"]


@pytest.mark.parametrize(("number", "confined"), [(1, True), (13, False)])
def test_what_the_sandbox_refuses(record: Callable[..., Any], number: int, confined: bool) -> None:
    """The answer says that programs open no files there; a file that is protected is another matter."""
    tape = Tape(record(f"raise PermissionError({number}, 'refused', 'data.csv')\n").events)
    assert ("programs open no files" in (ask(tape, tape.seq, "error", Subject()).fix or "")) is confined
