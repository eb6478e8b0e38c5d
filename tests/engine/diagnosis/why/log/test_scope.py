"""Protects names of tensors: a name means the tensor of the running function, not that of another function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from backscope.diagnosis.why import Tape
from backscope.diagnosis.why.answer import values
from backscope.diagnosis.why.log.scope import Scopes
from backscope.program.explanation import explain
from backscope.protocol.file_lines import FileLine

PROGRAM = (
    "def loss_of(x):\n    h = x * 2\n    return h.sum()\n"
    "x = torch.ones(2, requires_grad=True)\nh = x + 1\nloss = loss_of(h)\nloss.backward()\n"
)


@pytest.fixture
def tape(record: Callable[..., Any]) -> Tape:
    """Return a tape of the program, which begins at its second line."""
    return Tape(record(PROGRAM).events)


def test_a_name_that_a_function_uses_too(tape: Tape) -> None:
    """At the end of the run the name is the module's; while the function runs, the function's own."""
    assert "x.grad is [2, 2]" in explain(tape, tape.seq, "x")
    h = tape.find("h", tape.seq)
    assert h is not None and tape.tensors[h].made.line == 6
    bound = tape.bound["h"]
    assert [one.line for one in bound] == [6, 3]
    assert tape.find("h", bound[1].seq) == bound[1].tensor


def test_what_only_a_function_calls_so_is_found_from_anywhere(record: Callable[..., Any]) -> None:
    tape = Tape(record("def f():\n    w = torch.ones(2, requires_grad=True)\n    w.sum().backward()\nf()\n").events)
    assert "w.grad is [1, 1]" in explain(tape, tape.seq, "w")


def test_a_leaf_of_the_same_name_in_another_function_is_no_earlier_binding(tape: Tape) -> None:
    """Binding x in a function that is called does not bind it here."""
    bound = tape.bound["h"][1]
    assert "called h before" not in explain(tape, tape.seq, bound.tensor)


@pytest.mark.parametrize(
    "name", ["net.0.weight", "net[0].weight", "net[0].weight.grad", "parts[0]", "named['a']", 'named["a"]']
)
def test_names_as_python_writes_them(record: Callable[..., Any], name: str) -> None:
    """Parameters have their path, elements of lists and dicts their index or key."""
    source = (
        "net = torch.nn.Sequential(torch.nn.Linear(2, 1))\nparts = [torch.ones(1, requires_grad=True)]\n"
        "named = {'a': torch.ones(1, requires_grad=True)}\n"
        "(net(torch.ones(1, 2)) * parts[0] * named['a']).sum().backward()\n"
    )
    tape = Tape(record(source).events)
    assert "in backward() at line 5, " in explain(tape, tape.seq, name)


def test_functions_within_functions() -> None:
    scopes = Scopes()
    scopes.add("a = 1\ndef f(x):\n    def g():\n        return 1\n    return g\nb = 2\n")
    assert [scopes.of(line) for line in range(1, 7)] == [(), (2,), (2, 3), (2, 3), (2,), ()]
    assert scopes.of(None) == ()
    scopes.add("def f(:\n", file=1)
    scopes.add("\ndef h():\n    return 1\n", file=2)
    assert scopes.of(FileLine(1, 1, "broken.py")) == ()
    assert scopes.of(FileLine(2, 3, "h.py")) == (FileLine(2, 2, "h.py"),)
    assert scopes.of(2) == (2,)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nope", "Those that have one: net.0.weight, net.0.bias, wide."),
        ("net", "It holds net.0.weight, net.0.bias: ask about one of them."),
        ("wild", "Did you mean wide? Those that have one: net.0.weight, net.0.bias, wide."),
    ],
)
def test_a_name_without_a_tensor(record: Callable[..., Any], name: str, words: str) -> None:
    """The error lists names of tensors: first those inside of the name's object and similar ones."""
    source = "net = torch.nn.Sequential(torch.nn.Linear(2, 1))\nwide = torch.ones(2)\n"
    tape = Tape(record(source).events)
    with pytest.raises(ValueError, match="No variable") as raised:
        explain(tape, tape.seq, name)
    assert str(raised.value) == f"No variable {name} had a tensor by then. {words}"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("torch.tensor(2.0)", "2"),
        ("torch.arange(6.0)", "[0, 1, 2, 3, ...]"),
        ("torch.arange(4.0).view(2, 2)", "[[0, 1], [2, 3]]"),
        ("torch.arange(9.0).view(3, 3)", "[[0, 1, 2], [3, 4, 5], [6, 7, 8]]"),
        ("torch.arange(40.0).view(4, 10)", "[[0, 1, 2, 3, ...], ...]"),
        ("torch.arange(40.0).view(20, 2)", "[[0, 1], ...]"),
        ("torch.arange(40.0).view(1, 40)", "[[0, 1, 2, 3, ...]]"),
        ("torch.arange(8.0).view(2, 2, 2)", "[[[0, 1], [2, 3]], [[4, 5], [6, 7]]]"),
        ("torch.arange(64.0).view(2, 4, 8)", "[[[0, 1, 2, 3, ...], ...], ...]"),
        ("torch.tensor([[1 + 2j, 3]])", "[[1+2j, 3+0j]]"),
        ("torch.ones(0)", "[]"),
        ("torch.ones(2, 0)", "no elements, shape [2, 0]"),
    ],
)
def test_values_keep_their_dims(record: Callable[..., Any], value: str, words: str) -> None:
    """A matrix in a sentence has its brackets."""
    tape = Tape(record(f"x = {value}\n").events)
    assert values(tape.value(tape.find("x", tape.seq), tape.seq)) == words
