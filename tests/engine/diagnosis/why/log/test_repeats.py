"""Protects that an op which a checkpoint applies again is known with the event of its first time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.diagnosis.why import Tape
from backscope.protocol import events as ev

SOURCE = """\
from torch.utils.checkpoint import checkpoint
def inner(x):
    return x.sin()
def outer(x):
    return checkpoint(inner, x.exp(), use_reentrant=False).cos()
w = torch.ones(2, requires_grad=True)
y = checkpoint(outer, w, use_reentrant=False)
y.sum().backward()
"""


def test_ops_that_are_applied_again_have_their_first_time(record: Callable[..., Any]) -> None:
    """The checkpoint around another one applies the ops of both again."""
    events = record(SOURCE).events
    tape = Tape(events)
    begun = next(e.seq for e in events if isinstance(e, ev.RecomputationStarted))
    ops = [e for e in events if isinstance(e, ev.OpApplied)]
    again = [e for e in ops if e.seq > begun]
    assert [e.op for e in again] == ["exp", "sin"], "nothing more was saved"
    found = [tape.repeats[e.seq] for e in again]
    assert found == [("outer", next(e for e in ops if e.op == one.op)) for one in again]
