"""Protects the values at moments: what an expression gives at a step is what the events up to there say."""

from __future__ import annotations

import asyncio

import pytest

from backscope.moments import moment_search
from backscope_server.lessons import lesson_runs
from backscope_server.lessons.comparable import NoneValue, NumberValue, TensorValue, value_of
from backscope_server.lessons.lesson_runs import LessonRuns, NotEvaluated

PROGRAM = """\
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.5)

def loss_of(x):
    h = w * x
    return (h * h).sum()

for x in [1.0, 2.0]:
    loss = loss_of(x)
    loss.backward()
    loss_of(3.0).backward()
    optimizer.step()
    w.grad.zero_()
w.grad = None
(w * w).sum().backward()
"""


def error_of(source, sandbox, limits):
    """Run a program as one of a lesson, and return the error that ends it."""

    async def run():
        async with LessonRuns(sandbox.launcher, limits) as made:
            return await made.run(source, 0)

    error = sandbox.run(run()).error
    assert error is not None
    return error


def test_a_program_of_a_lesson_has_no_more_than_a_hosted_server_allows(sandbox, limits, monkeypatch):
    monkeypatch.setattr(lesson_runs, "MOST_EVENTS", 50)
    error = error_of("import torch\nx = torch.ones(2)\nwhile True:\n    x = x + 1\n", sandbox, limits)
    assert error.message == "The program recorded more than 50 events and was stopped. Run fewer steps."


def test_a_program_that_never_ends_is_ended(sandbox, limits, monkeypatch):
    monkeypatch.setattr(lesson_runs, "MOST_SECONDS", 1)
    assert error_of("import time\nwhile True:\n    time.sleep(0.01)\n", sandbox, limits).type == "TimeLimitExceeded"


def test_the_events_of_all_programs_together_are_bounded(sandbox, limits):
    async def run(source, nbytes=None):
        async with LessonRuns(sandbox.launcher, limits, nbytes=nbytes) as made:
            return [await made.run(source, 0) for _ in range(2)]

    source = "import torch\nx = torch.ones(2)\nfor _ in range(100):\n    x = x + 1\n"
    first, second = sandbox.run(run(source))
    assert (first.status, second.status) == ("ok", "ok")
    first, second = sandbox.run(run(source, nbytes=first.lines.text_nbytes * 3 // 2))
    assert first.status == "ok"
    assert second.error.type == "EventLimitExceeded"


@pytest.fixture(scope="module")
def recorded(sandbox, runs):
    run = sandbox.run(runs.run(PROGRAM, 0))
    assert run.status == "ok"
    return run


@pytest.mark.parametrize(("expression", "of"), [("w.grad", "grad"), ("w.detach().clone()", "value")])
def test_a_value_at_each_step_is_that_of_the_events(sandbox, recorded, expression, of):
    run = recorded.run
    tensor = run.tape.find("w", len(run.events) - 1)
    assert tensor is not None

    async def values():
        async with asyncio.timeout(300):
            places = [moment_search.place(run, step) for step in range(len(run.moments))]
            return [(place, value_of(await recorded.evaluate(place.read_seq, expression))) for place in places]

    seen = set()
    for place, value in sandbox.run(values()):
        known = run.tape.grad(tensor, place.read_seq) if of == "grad" else run.values[tensor].at(place.read_seq)
        if known is None:
            assert isinstance(value, NoneValue), place
        else:
            assert isinstance(value, TensorValue)
            assert value.elements == known.values, place
        seen.add(str(value))
    assert len(seen) >= 3


def test_a_variable_of_a_function_has_its_value_in_the_step_that_made_it(sandbox, recorded):
    place = moment_search.find(recorded.run, "after h is set in round 2")
    value = value_of(sandbox.run(recorded.evaluate(place.read_seq, "x")))
    assert value == NumberValue(number=2)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("nothing", "NameError: name 'nothing' is not defined"),
        ("w.grad +", "'w.grad +' is not an expression: invalid syntax."),
    ],
)
def test_an_expression_without_a_value_says_why(sandbox, recorded, expression, message):
    with pytest.raises(NotEvaluated) as found:
        sandbox.run(recorded.evaluate(moment_search.find(recorded.run, "at the end").read_seq, expression))
    assert str(found.value) == message
