"""A fixture that runs a program and asks a question about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from backscope.diagnosis.why import Subject, Tape, ask, questions, text
from backscope.protocol import events as ev


class Why:
    """Runs a program and asks one question at its end."""

    def __init__(self, record: Callable[..., Any]) -> None:
        self.record = record

    def __call__(self, body: str, key: str, name: str | None = None, **options: Any) -> ev.Diagnosis:
        """Answer the question `key` about the variable `name`, or about the run without a name.

        Asserts that the question is offered, and that the answer is consistent.
        """
        recording = self.record(body, **options)
        tape = Tape(recording.events)
        about = Subject() if name is None else Subject(tensor=tape.find(name, tape.seq))
        offered = questions(tape, tape.seq, about)
        assert key in [q.key for q in offered], [q.text for q in offered]
        found = ask(tape, tape.seq, key, about)
        lines = recording.source.count("\n")
        assert all(1 <= line <= lines for line in found.lines)
        assert all(node in tape.nodes for node in found.nodes)
        assert all(tensor in tape.tensors for tensor in found.tensors)
        assert found.cause and found.fix
        assert found.cause in text(found)
        return found


@pytest.fixture
def why(record: Callable[..., Any]) -> Why:
    """Return a function that runs a program and asks a question."""
    return Why(record)
