"""A moment of a recording says what happened there, and what was known by then."""

from __future__ import annotations

import pytest

import backscope
from backscope import torch
from backscope.caption.run import Run
from backscope.notebook.moment import Moment
from backscope.protocol import events as ev


@pytest.fixture(scope="module")
def run() -> Run:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    with backscope.record() as trace:
        loss = (w * w).sum()
        loss.backward()
        with torch.no_grad():
            w.mul_(3)
    made = Run()
    for event in trace.events:
        made.take(event)
    return made


def test_it_says_what_happened(run: Run) -> None:
    moment = Moment(run, 2)
    assert isinstance(moment.event, ev.OpApplied) and moment.event in moment.events
    assert moment.line == moment.event.line
    assert moment.sentence in repr(moment) and "MulBackward0 joins the graph" in moment.sentence
    assert moment.seq == moment.events[-1].seq


def test_values_and_answers_are_those_of_then(run: Run) -> None:
    last = Moment(run, len(run.moments))
    assert last.value("w").values == [3.0, 6.0] and Moment(run, 2).value("w").values == [1.0, 2.0]
    assert "w.grad" in last.why("w")
    with pytest.raises(ValueError, match="loss"):
        Moment(run, 1).value("loss")
    with pytest.raises(ValueError, match="No variable loss"):
        Moment(run, 1).why("loss")


def test_before_the_first_step_there_is_nothing(run: Run) -> None:
    moment = Moment(run, 0)
    assert (moment.seq, moment.event, moment.events, moment.line, moment.sentence) == (-1, None, (), None, "")
