"""Protects the tape: growing it changes no answer, long logs need no deep stack, logs with gaps raise nothing else."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from backscope.diagnosis.why import NotAsked, Subject, Tape, ask, questions, text
from backscope.protocol import events as ev

SOURCE = (
    "torch.manual_seed(0)\n"
    "model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))\n"
    "opt = torch.optim.SGD(model.parameters(), lr=0.1)\nlosses = []\n"
    "for i in range(3):\n"
    "    opt.zero_grad()\n    loss = (model(torch.ones(2, 3)) ** 2).mean()\n    loss.backward()\n    opt.step()\n"
    "    losses.append(loss)\n"
    "x = torch.tensor([0.0, 1.0], requires_grad=True)\ntorch.where(x > 0, x.log(), x).sum().backward()\n"
    "x.detach().sum().backward()\n"
)


def answers(tape: Tape, seq: int) -> list[Any]:
    """Return every answer to every question about every subject at a moment."""
    found: list[Any] = []
    subjects = [
        Subject(),
        *(Subject(tensor=t) for t, f in tape.tensors.items() if f.made.seq <= seq),
        *(Subject(node=n) for n, f in tape.nodes.items() if f.seq <= seq),
    ]
    for about in subjects:
        for question in questions(tape, seq, about):
            answer = ask(tape, seq, question.key, about)
            assert text(answer).startswith(answer.cause)
            found.append((question, answer))
    return found


def test_what_comes_later_plays_no_part(record: Callable[..., Any]) -> None:
    """At each moment the answers of the whole log are those of the log up to that moment."""
    events = record(SOURCE).events
    whole = Tape(events)
    growing = Tape()
    done = 0
    for seq in sorted(random.Random(0).sample(range(len(events)), 6)):
        growing.extend(events[done : seq + 1])
        done = seq + 1
        assert answers(growing, seq) == answers(whole, seq)


def test_an_event_out_of_order_is_refused(record: Callable[..., Any]) -> None:
    """Each event may be added once."""
    events = record("torch.ones(1)\n").events
    tape = Tape(events)
    with pytest.raises(ValueError, match="in order"):
        tape.add(events[-1])


def test_logs_with_gaps(record: Callable[..., Any]) -> None:
    """A log that lacks events or has wrong numbers gives answers, or raises NotAsked and nothing else."""
    events = record(SOURCE).events
    chance = random.Random(1)
    for _ in range(12):
        kept = [e for e in events if chance.random() < 0.85]
        kept = [changed(e, chance) if chance.random() < 0.1 else e for e in kept]
        tape = Tape(kept)
        for about in [Subject(), *(Subject(tensor=t) for t in tape.tensors), *(Subject(node=n) for n in tape.nodes)]:
            try:
                for question in questions(tape, tape.seq, about):
                    ask(tape, tape.seq, question.key, about)
            except NotAsked:
                pass


def changed(event: Any, chance: random.Random) -> Any:
    """Return an event changed to be about another tensor or node."""
    fields = [f for f in ("tensor", "node", "call", "storage", "to_node") if isinstance(getattr(event, f, None), int)]
    return msgspec.structs.replace(event, **{f: chance.randrange(60) for f in fields}) if fields else event


def test_an_answer_needs_no_deep_stack(record: Callable[..., Any]) -> None:
    """The chain of ops is longer than Python's stack."""
    source = "x = torch.ones(1, requires_grad=True)\ny = x\nfor i in range(3000):\n    y = y * 1.0\ny.backward()\n"
    tape = Tape(record(source).events)
    about = Subject(tensor=tape.find("x", tape.seq))
    assert ask(tape, tape.seq, "grad_value", about).cause.startswith("x.grad is [1]")


def test_names(record: Callable[..., Any]) -> None:
    """A leaf keeps the name that it was made under; a tensor without a variable is named by its op and line."""
    recording = record("def f(a):\n    return (a * 2).exp()\nw = torch.ones(1, requires_grad=True)\ny = f(w)\n")
    tape = Tape(recording.events)
    ops = recording.of(ev.OpApplied)
    assert tape.name(recording.named("w"), tape.seq) == "w"
    assert tape.name(ops[0].outputs[0].tensor, tape.seq) == "the result of mul at line 3"
    assert tape.find("y", tape.seq) == ops[1].outputs[0].tensor
    assert tape.find("y", 2) is None
