"""Protects calls of the program's functions: those with moments inside are recorded, with their ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from backscope.protocol import events as ev

BEGIN = "x = torch.ones(2, requires_grad=True)\n"


def around(run: Any) -> list[list[str]]:
    """The functions that each op runs in, outermost first."""
    now: list[tuple[int, str]] = []
    found: list[list[str]] = []
    for event in run.events:
        if isinstance(event, ev.FunctionEntered):
            now.append((event.call, event.name))
        elif isinstance(event, ev.FunctionLeft):
            while now.pop()[0] != event.call:
                pass
        elif isinstance(event, ev.OpApplied):
            found.append([name for _, name in now])
    assert not now
    return found


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("def f(a):\n    return a * 2\ndef g(a):\n    '''Twice.'''\n    return f(f(a))\ng(x) + 1\n",
         [["g", "f"], ["g", "f"], []]),
        ("def f(n):\n    y = x * n\n    return f(n - 1) if n else y\nf(2)\nx * 3\n",
         [["f"], ["f", "f"], ["f", "f", "f"], []]),
        ("def f():\n    x * 2\n    raise ValueError\ntry:\n    f()\nexcept ValueError:\n    x * 3\n", [["f"], []]),
        ("def f():\n    for i in range(2):\n        x * 2\n        if i:\n            return\nf()\nx * 3\n",
         [["f"], ["f"], []]),
        ("def f():\n    yield x * 2\nfor y in f():\n    y * 3\n", [[], []]),
        ("async def f():\n    return x * 2\ntry:\n    f().send(None)\nexcept StopIteration:\n    pass\n", [[]]),
        ("def f():\n    def g():\n        for i in range(2):\n            x * 2\n    g()\n    yield x * 3\n"
         "for y in f():\n    y * 4\n", [["g"], ["g"], [], []]),
        ("async def f():\n    def g():\n        return x * 2\n    return g()\ntry:\n    f().send(None)\n"
         "except StopIteration:\n    pass\n", [["g"]]),
        ("class A:\n    def part(self):\n        return x * 2\n    def __call__(self):\n        return self.part()\n"
         "    def __add__(self, other):\n        return x * 3\nA()()\nA() + A()\n", [["__call__", "part"], []]),
        ("class M(torch.nn.Module):\n    def inner(self, a):\n        return a * 2\n    def forward(self, a):\n"
         "        return self.inner(a) + 1\nM()(x)\n", [["inner"], []]),
        ("@torch.no_grad()\ndef f():\n    return x * 2\nf()\n(lambda: x * 3)()\n", [["f"], []]),
        ("def outer():\n    def inner():\n        return x * 2\n    return inner\nouter()()\n", [["inner"]]),
        ("def f():\n    '''Nothing.'''\ndef g():\n    pass\nf()\ng()\nx * 2\n", [[]]),
    ],
)  # fmt: skip
def test_ways_through_a_function(record: Callable[..., Any], program: str, expected: list[list[str]]) -> None:
    """Calls, recursion, exceptions, return out of a loop, generators, coroutines, methods, decorators and closures."""
    run = record(BEGIN + program)
    assert run.status == "ok", run.events[-2]
    assert around(run) == expected


def test_calls_are_counted_by_function(record: Callable[..., Any]) -> None:
    """`times` counts the calls, `line` is that of the def, and a call without a moment inside is not recorded."""
    run = record(BEGIN + "def f(a):\n    return a * 2\ndef g(a):\n    return 1\nf(x)\ng(x)\nf(x)\n")
    entered = [(e.call, e.name, e.times, e.line) for e in run.of(ev.FunctionEntered)]
    assert entered == [(1, "f", 1, 3), (2, "f", 2, 3)]


def test_rounds_and_functions_stand_inside_one_another(record: Callable[..., Any]) -> None:
    """A function's loop is recorded inside of it, and a loop's function inside of the round."""
    run = record(BEGIN + "def f():\n    for j in range(2):\n        x * 2\nfor i in range(2):\n    f()\n")
    wanted = (ev.RoundStarted, ev.LoopFinished, ev.FunctionEntered, ev.FunctionLeft)
    kinds = [type(e) for e in run.events if isinstance(e, wanted)]
    once = [wanted[0], wanted[2], wanted[0], wanted[0], wanted[1], wanted[3]]
    assert kinds == [*once, *once, wanted[1]]


def test_what_a_pass_calls_is_told_by_the_pass(record: Callable[..., Any]) -> None:
    """A hook is no call of its own, and what is called after the pass is one again."""
    run = record(BEGIN + "def f(grad):\n    return grad * 2\nx.register_hook(f)\nx.sum().backward()\nf(x)\n")
    assert around(run) == [[], [], ["f"]]


def test_names_of_aliases(torch: Any) -> None:
    """A function says the name that it is called by."""
    for name in ("clip", "clamp", "concat", "cat", "absolute", "arccos"):
        assert getattr(torch, name).__name__ == name
    assert torch.nn.functional.logsigmoid.__name__ == "log_sigmoid"
