"""Protects the time limit of answers: they stop when it is over, and their steps grow no faster than the log."""

from __future__ import annotations

import threading

import pytest

from backscope.diagnosis.why import OutOfTime, Subject, Tape, budget, questions, within
from backscope.program import runner
from backscope.protocol.events import decode

NANS = """import torch
base = torch.zeros(4)
base[0] = float("nan")
for i in range(ROUNDS):
    base.mul_(2)
y = base.view(2, 2).sum()
for i in range(ROUNDS):
    y = y + base.view(2, 2).sum()
"""
LOSSES = """import torch
w = torch.ones(2, requires_grad=True)
losses = []
for i in range(ROUNDS):
    loss = (w * i).sum()
    loss.backward(retain_graph=True)
    losses.append(loss)
"""
PLAIN = """import torch
x = torch.zeros(3)
views = []
for i in range(ROUNDS):
    x.add_(1)
    views.append(x.view(3))
w = torch.ones(3, requires_grad=True)
"""


def tape_of(source: str, rounds: int) -> Tape:
    lines: list[bytes] = []
    runner.run(source.replace("ROUNDS", str(rounds)), lambda batch: lines.extend(batch.splitlines()))
    return Tape(decode(line) for line in lines)


def steps_of(source: str, rounds: int, name: str | None) -> int:
    """Count the queries of the tape that it takes to list all questions and to answer each of them."""
    from backscope.diagnosis.why import ask

    tape = tape_of(source, rounds)
    about = Subject() if name is None else Subject(tensor=tape.find(name, tape.seq))
    before = budget.steps()
    for question in questions(tape, tape.seq, about):
        ask(tape, tape.seq, question.key, about)
    return budget.steps() - before


@pytest.mark.parametrize(
    ("source", "name"), [(NANS, None), (NANS, "y"), (LOSSES, None), (LOSSES, "loss"), (PLAIN, "w"), (PLAIN, "x")]
)
def test_twice_the_log_is_twice_the_work(source, name):
    assert steps_of(source, 120, name) <= 2.3 * steps_of(source, 60, name) + 50


def test_work_ends_when_its_time_is_up_and_only_then():
    tape = tape_of(LOSSES, 20)
    with pytest.raises(OutOfTime), within(-1):
        questions(tape, tape.seq, Subject())
    with within(1000):
        found = questions(tape, tape.seq, Subject())
    assert found == questions(tape, tape.seq, Subject()) != []


def test_the_time_of_a_thread_is_its_own():
    tape = tape_of(LOSSES, 3)
    found: list[object] = []
    with within(-1):
        thread = threading.Thread(target=lambda: found.extend(questions(tape, tape.seq, Subject())))
        thread.start()
        thread.join()
    assert found


def test_a_tape_that_was_given_up_goes_on_where_it_stood():
    events = [decode(line) for line in _lines(LOSSES)]
    tape = Tape(events[:10])
    with pytest.raises(OutOfTime), within(-1):
        tape.extend(events[10:])
    tape.extend(event for event in events if event.seq > tape.seq)
    assert questions(tape, tape.seq, Subject()) == questions(Tape(events), tape.seq, Subject())


def _lines(source: str) -> list[bytes]:
    lines: list[bytes] = []
    runner.run(source.replace("ROUNDS", "5"), lambda batch: lines.extend(batch.splitlines()))
    return lines
