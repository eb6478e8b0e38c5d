"""Protects answers why memory grows: the holder's variable, rounds and bytes; and programs without a leak."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from backscope.diagnosis.why import Subject, Tape, questions
from backscope.diagnosis.why.answer import amount
from backscope.protocol import events as ev

Why = Callable[..., Any]

LOOP = (
    "w = torch.ones(64, requires_grad=True)\n{before}\nfor i in range(4):\n    w.grad = None\n"
    "    loss = (w.exp() * 2).sum()\n    loss.backward({retain})\n    {hold}\n"
)

HOLDERS = [
    ("total = 0", "total = total + loss", "total, bound at line 8, has a history that reaches back over 4 rounds"),
    ("losses = []", "losses.append(loss)", "losses holds 4 tensors with their history at line 8"),
    ("log = {}", "log[i] = loss", "log holds 4 tensors"),
    ("class T: pass\nt = T(); t.log = []", "t.log.append(loss)", "t.log holds 4 tensors"),
    ("from collections import deque\nlosses = deque()", "losses.append(loss)", "losses holds 4 tensors"),
]


@pytest.mark.parametrize(("before", "hold", "words"), HOLDERS)
def test_what_holds_the_history(why: Why, before: str, hold: str, words: str) -> None:
    """The answer has the variable or container, its line, and how much is added in each round."""
    found = why(LOOP.format(before=before, hold=hold, retain=""), "memory")
    assert words.split(" at line")[0].split(", bound")[0] in found.cause
    assert "4 rounds" in found.cause
    assert "freed already" in found.cause
    assert [one.value for one in found.evidence] == sorted(one.value for one in found.evidence)
    assert "item()" in found.fix and "gc.collect()" in found.wrong_fix


def test_bytes_of_graphs_that_are_retained(why: Why) -> None:
    """With retain_graph the saved tensors stay too, and are counted."""
    found = why(LOOP.format(before="losses = []", hold="losses.append(loss)", retain="retain_graph=True"), "memory")
    assert re.search(r"\d bytes|KB", found.cause)
    assert "freed already" not in found.cause


@pytest.mark.parametrize(
    ("before", "hold"),
    [("losses = []", "losses.append(loss.item())"), ("losses = []", "losses.append(loss.detach())"), ("", "pass")],
)
def test_what_leaves_the_graph_behind(record: Callable[..., Any], before: str, hold: str) -> None:
    """Numbers and detached tensors hold no graph."""
    assert "memory" not in question_keys(record(LOOP.format(before=before, hold=hold, retain="")))


def test_an_unrolled_loop_is_no_leak(record: Callable[..., Any]) -> None:
    """A recurrent network keeps all its steps until the pass."""
    source = (
        "w = torch.ones(2, requires_grad=True)\nouts = []\nh = torch.zeros(2)\n"
        "for i in range(5):\n    h = torch.tanh(h + w)\n    outs.append(h)\n"
        "loss = torch.stack(outs).sum()\nloss.backward()\n"
    )
    assert "memory" not in question_keys(record(source))


def test_evaluation_without_no_grad(why: Why) -> None:
    """The answer counts graphs that no pass needs."""
    source = "w = torch.ones(2, requires_grad=True)\nouts = []\nfor i in range(5):\n    outs.append((w * i).exp())\n"
    assert "outs holds 5 tensors" in why(source, "memory").cause


def test_a_graph_retained_for_nothing(why: Why) -> None:
    """The answer names retain_graph=True without a second pass."""
    source = "w = torch.ones(256, requires_grad=True)\nloss = w.exp().sum()\nloss.backward(retain_graph=True)\n"
    found = why(source, "memory")
    assert "retain_graph=True) at line 4" in found.cause and "KB" in found.cause


def test_the_cycle_of_create_graph(why: Why) -> None:
    """A leaf and its gradient refer to each other; .grad = None ends that."""
    source = "x = torch.ones(2, requires_grad=True)\nloss = (x ** 3).sum()\nloss.backward(create_graph=True)\n"
    found = why(source, "cycle", "x")
    assert found.lines == [2, 4]
    assert "autograd.grad" in found.fix


def test_the_cycle_ends_with_none(record: Callable[..., Any]) -> None:
    """After x.grad = None there is no question."""
    source = "x = torch.ones(2, requires_grad=True)\n(x ** 3).sum().backward(create_graph=True)\nx.grad = None\n"
    recording = record(source)
    tape = Tape(recording.events)
    keys = [q.key for q in questions(tape, tape.seq, Subject(tensor=recording.named("x")))]
    assert keys == ["grad_none"]


def test_what_containers_take_in_is_recorded(record: Callable[..., Any]) -> None:
    """Only tensors with a history are recorded, once for each container; no code of the program runs for it."""
    recording = record(
        "w = torch.ones(1, requires_grad=True)\nkept = []\nkept.append(w * 2)\nkept.append(w)\nkept.append(3)\n"
        "kept.extend([w * 3, w * 4])\nkept.insert(0, 1)\nd = {}\nd['a'] = w * 5\n"
        "class Odd(list):\n    def __getitem__(self, i):\n        raise SystemExit\nodd = Odd()\nodd.append(w * 6)\n"
        "class Own:\n    def __getattribute__(self, name):\n        print(name)\n        return lambda x: None\n"
        "own = Own()\nown.append(w * 7)\n"
    )
    assert recording.status == "ok"
    assert "__dict__" not in recording.stdout
    assert [(e.holder, e.line) for e in recording.of(ev.TensorKept)] == [("kept", 4), ("kept", 7), ("d", 10)]


def question_keys(recording: Any) -> list[str]:
    """Return the questions about the run."""
    tape = Tape(recording.events)
    return [q.key for q in questions(tape, tape.seq, Subject())]


def test_amounts_of_bytes_are_readable() -> None:
    """They have the page's units."""
    texts = [amount(n) for n in (1, 1023, 1024, 10 << 20, 3 << 29)]
    assert texts == ["1 byte", "1,023 bytes", "1 KB", "10 MB", "1.5 GB"]


def test_a_state_that_is_carried_on_is_cut(why: Why) -> None:
    """The fix for a state is detach(), as numbers would not do."""
    program = (
        "W = torch.ones(2, 2, requires_grad=True)\nh = torch.zeros(2)\nfor t in range(4):\n"
        "    h = torch.tanh(W @ h + 1)\n    h.sum().backward(retain_graph=True)\n"
    )
    found = why(program, "memory")
    assert "h = h.detach()" in found.fix and "item()" not in found.fix


@pytest.mark.parametrize("line", ["total += loss", "total = total + loss"])
def test_a_sum_of_losses_takes_numbers(why: Why, line: str) -> None:
    """The sum may be in place or not."""
    program = (
        "w = torch.ones(2, requires_grad=True)\ntotal = torch.zeros(())\nfor t in range(4):\n"
        f"    loss = (w * w).sum()\n    loss.backward()\n    {line}\n"
    )
    assert "total += loss.item()" in why(program, "memory").fix


@pytest.mark.parametrize(
    ("start", "step", "loss", "fix"),
    [
        ("h = torch.zeros(1, 1, 2)", "out, h = net(x, h)", "out.sum()", "h = h.detach()"),
        ("s = (torch.zeros(1, 1, 2), torch.zeros(1, 1, 2))", "out, s = lstm(x, s)", "out.sum()", "s = tuple("),
        ("s = torch.zeros(1, 1, 3)", "a = lin(s); s = torch.tanh(a)", "a.sum()", "s = s.detach()"),
    ],
)
def test_the_variable_that_is_carried_is_cut(why: Why, start: str, step: str, loss: str, fix: str) -> None:
    """The fix names it and not the largest one that is computed from it."""
    program = (
        "net, lstm, lin = torch.nn.RNN(3, 2), torch.nn.LSTM(3, 2), torch.nn.Linear(3, 3)\n"
        f"{start}\nfor t in range(4):\n    x = torch.ones(2, 1, 3)\n    {step}\n    loss = {loss}\n"
        "    loss.backward(retain_graph=True)\n"
    )
    assert fix in why(program, "memory").fix


def test_outputs_in_a_list_are_no_numbers(why: Why) -> None:
    """The fix is not item(), as they have more than one element."""
    program = "net = torch.nn.Linear(3, 2)\nouts = []\nfor t in range(3):\n    outs.append(net(torch.ones(1, 3)))\n"
    found = why(program, "memory")
    assert "detach()" in found.fix and "no_grad()" in found.fix and "item()" not in found.fix


def test_a_graph_that_a_failed_pass_went_to(record: Callable[..., Any]) -> None:
    """It was retained for that pass: without retain_graph there would be another error."""
    program = (
        "w = torch.ones(2, requires_grad=True)\nv = torch.ones(2, requires_grad=True)\nh = (w * w).exp()\n"
        "a, b = (h * v).sum(), (h * v).sigmoid()\na.backward(retain_graph=True)\nb.mul_(2)\nb.sum().backward()\n"
    )
    assert "memory" not in question_keys(record(program))


def test_a_container_that_only_a_hook_fills(why: Why) -> None:
    """Its tensors count, though no variable was ever bound to them."""
    program = (
        "acts = []\nnet = torch.nn.Linear(3, 2)\nnet.register_forward_hook(lambda m, i, o: acts.append(o))\n"
        "for t in range(3):\n    net(torch.ones(1, 3)).sum().backward()\n"
    )
    found = why(program, "memory")
    assert found.cause.startswith("A list or another container holds 3 tensors with their history")


def test_a_sum_that_is_part_of_the_loss(why: Why) -> None:
    """The fix is not item(), as the sum needs its gradient."""
    program = (
        "w = torch.ones(3, requires_grad=True)\nreg = torch.zeros(())\nfor t in range(4):\n"
        "    reg = reg + (w ** 2).sum()\n    ((w * 3).sum() + reg).backward(retain_graph=True)\n"
    )
    found = why(program, "memory")
    assert "Start reg anew in each round" in found.fix and "item()" not in found.fix
