"""Protects watched expressions: the changes that are reported, and that the run stays the same."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from backscope.program.runner import run
from backscope.protocol import commands as c, events as ev
from backscope.protocol.transport import Script

PROGRAM = """\
import torch, random
import numpy as np
w = torch.ones(3, requires_grad=True)
steps = 0
def train(x):
    global steps
    for i in range(3):
        loss = (w * x * torch.rand(3)).sum()
        loss.backward()
        with torch.no_grad():
            w.sub_(0.1 * w.grad)
        steps += 1
train(torch.full((3,), 2.0))
print(torch.rand(1), random.random(), np.random.rand())
"""


def watched(*expressions: str, source: str = PROGRAM) -> tuple[list[Any], list[list[Any]], list[Any]]:
    """Return the answers, the values of each expression with the index of their event, and the events."""
    to_the_end = c.Step(id=2, to="seq", seq=100_000, at_end=True)
    script = Script([c.Pause(id=0)], [c.Watch(id=1, expressions=list(expressions)), to_the_end])
    written: list[bytes] = []
    run(source, written.append, transport=script)
    events: list[Any] = [ev.decode(line) for line in b"".join(written).splitlines()]
    changes = [change for answer in script.answers if isinstance(answer, c.Watched) for change in answer.changes]
    assert [change.seq for change in changes] == sorted(change.seq for change in changes)
    curves: list[list[Any]] = [[] for _ in expressions]
    for change in changes:
        value = change.number if change.number is not None else change.text
        curves[change.watch].append((events[change.seq], value))
    return script.answers, curves, events


def test_a_curve_has_the_values_of_the_log() -> None:
    """Each value counts from its event on, and there is none before the first."""
    _, (norms,), events = watched("w.grad.norm().item()")
    accumulated = [e for e in events if isinstance(e, ev.GradAccumulated)]
    assert [value for _, value in norms] == pytest.approx([e.after.norm for e in accumulated])
    # An AccumulateGrad's events are one moment, of which node_finished is the last.
    assert [e.seq - 1 for e, _ in norms] == [e.seq for e in accumulated]


def test_globals_come_before_variables_of_functions() -> None:
    """A variable of a function has values as long as the function runs."""
    _, (steps, i, loss, w), _ = watched("steps", "i", "loss", "[v > 0 for v in w]")
    assert [value for _, value in steps] == [0, 1, 2, 3]
    assert [value for _, value in i] == [0, 1, 2, None]
    assert len(loss) == 4
    assert loss[-1][1] is None
    assert w[0][1] == "[tensor(True), tensor(True), tensor(True)]"


def test_values_that_are_no_numbers_are_text() -> None:
    """Large tensors are shown by their shape; a NaN is a number."""
    source = "import torch\nx = torch.ones(5, 5)\ny = torch.tensor(float('nan'))\nz = torch.tensor([1, 2])\n"
    _, curves, _ = watched("x", "y", "z", "x.dtype", "2**70", "y > 0", source=source)
    assert [curve[-1][1] for curve in curves] == [
        "Tensor of shape [5, 5]",
        "NaN",
        "[1, 2]",
        "torch.float32",
        str(2**70),
        0,
    ]


def test_the_run_stays_the_same() -> None:
    """Random numbers, output and errors of expressions do not change it."""
    _, curves, events = watched(
        "torch.rand(2).sum() + random.random() + np.random.rand()", "print(w)", "1 / 0", "(w * 2).sum().backward()"
    )
    plain: list[bytes] = []
    run(PROGRAM, plain.append)
    assert [msgspec.structs.replace(e, seq=0) for e in events if not isinstance(e, (ev.Paused, ev.Resumed))] == [
        msgspec.structs.replace(ev.decode(line), seq=0) for line in b"".join(plain).splitlines()
    ]
    assert curves[0]
    assert curves[1][0][1] == "None"
    assert not curves[2]


def test_an_invalid_expression_is_refused_and_the_others_are_watched() -> None:
    """The answer gives the reason."""
    answers, (_, steps), _ = watched("w +", "steps")
    reason = "'w +' is not an expression: invalid syntax."
    assert answers[1] == c.WatchSet(id=1, unusable=[c.UnusableWatch(watch=0, reason=reason)])
    assert len(steps) == 4
