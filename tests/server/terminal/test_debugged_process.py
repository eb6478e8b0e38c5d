"""Protects the debugged program from Ctrl-C, which interrupts only an expression that is being evaluated."""

from __future__ import annotations

import os
import signal

import msgspec
import pytest

from backscope.program import runner
from backscope.protocol import commands as c, events as ev
from backscope_server.sandbox.order_pipe import Lines
from backscope_server.terminal.debugged_process import _Interruptible

SOURCE = "import torch\nw = torch.ones(2)\nprint('over')\n"


@pytest.fixture(autouse=True)
def ignored():
    """Ignore SIGINT, as the debugged program does."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


class Interrupting(_Interruptible):
    """A transport that sends Ctrl-C after each command and each answer; `answers` keeps the answers."""

    def __init__(self, commands):
        reading, writing = os.pipe()
        with os.fdopen(writing, "wb") as pipe:
            for number, command in enumerate(commands):
                pipe.write(c.encode(msgspec.structs.replace(command, id=number)) + b"\n")
        super().__init__(lambda _: None, Lines(reading))
        self.answers = []
        self.first = True

    def pending(self):
        first, self.first = self.first, False
        return first

    def next_command(self):
        command = super().next_command()
        signal.raise_signal(signal.SIGINT)
        return command

    def answer(self, answer):
        signal.raise_signal(signal.SIGINT)
        self.answers.append(answer)


def debugged(*commands):
    """Return the status, the events and the answers of a run that stops at line 3."""
    breakpoints = c.SetBreakpoints(id=0, breakpoints=[c.LineBreakpoint(id=1, line=3)])
    transport = Interrupting([breakpoints, *commands, c.Resume(id=0)])
    written = []
    status = runner.run(SOURCE, written.append, transport=transport)
    return status, [ev.decode(line) for line in b"".join(written).splitlines()], transport.answers


def test_ctrl_c_between_expressions_does_nothing():
    status, events, answers = debugged(
        c.Evaluate(id=0, expression="w * 2"), c.ListLocals(id=0), c.Assign(id=0, target="w[0]", expression="5.0")
    )
    assert status == "ok"
    assert [type(answer) for answer in answers[1:]] == [c.Evaluated, c.LocalsListed, c.Done, c.Done]
    assert [event.value.values for event in events if isinstance(event, ev.TensorMutated)] == [[5.0], [5.0, 1.0]]


@pytest.mark.parametrize("interrupted", ["value", "target"])
def test_ctrl_c_ends_an_expression_and_the_program_goes_on(interrupted):
    press = "__import__('signal').raise_signal(2)"
    target = f"w[{press} or 0]" if interrupted == "target" else "w[0]"
    expression = press if interrupted == "value" else "5.0"
    status, events, answers = debugged(
        c.Evaluate(id=0, expression=press), c.Assign(id=0, target=target, expression=expression)
    )
    assert status == "ok"
    assert [getattr(answer, "reason", None) for answer in answers[1:]] == ["It was interrupted."] * 2 + [None]
    assert not any(isinstance(event, ev.TensorMutated) for event in events)
    assert any(isinstance(event, ev.OutputPrinted) and event.text == "over\n" for event in events)
