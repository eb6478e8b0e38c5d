"""Protects instrumented programs: which bindings are recorded, and that nothing else about a program changes."""

from __future__ import annotations

import ast
import linecache
import textwrap
from collections.abc import Callable
from typing import Any

import pytest

from backscope.program.instrument import CAUGHT, NAMED, weave
from backscope.protocol import events as ev
from backscope.torch._backend.import_hook import Alias


def told(run: Any) -> list[str]:
    """The names of a run, in order."""
    return [e.name for e in run.of(ev.TensorNamed)]


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("a = torch.ones(1)\n", ["a"]),
        ("a = b = torch.ones(1)\n", ["a", "b"]),
        ("a, (b, *c) = torch.ones(1), [torch.ones(1), torch.ones(1)]\n", ["a", "b", "c[0]"]),
        ("a = torch.ones(1)\na += 1\n", ["a"]),
        ("a: int = torch.ones(1)\nb: int\n", ["a"]),
        ("for t in [torch.ones(1), torch.ones(2)]:\n    pass\n", ["t", "t"]),
        ("ts = [torch.ones(1), 3, torch.ones(2)]\n", ["ts[0]", "ts[2]"]),
        ("d = {'w': torch.ones(1), 1: torch.ones(2)}\n", ["d['w']", "d[1]"]),
        ("def f(u, v=None, *, w):\n    '''Doc.'''\n    return u\nf(torch.ones(1), w=torch.ones(2))\n", ["u", "w"]),
        ("class M:\n    def __init__(self):\n        self.w = torch.ones(1)\nM()\n", ["self.w"]),
        ("with torch.no_grad() as g:\n    a = torch.ones(1)\n", ["a"]),
        ("x = 3\ny = 'text'\n", []),
    ],
)
def test_bindings(record: Callable[..., Any], body: str, names: list[str]) -> None:
    """Assignments, loops, unpacking, containers, parameters, attributes of self."""
    run = record(body)
    assert run.status == "ok"
    assert told(run) == names


def test_name_is_recorded_once(record: Callable[..., Any]) -> None:
    """The same name for the same tensor is not news."""
    run = record("x = torch.ones(1)\nfor _ in range(3):\n    x = x\n")
    assert told(run) == ["x"]


def test_line_of_a_name(record: Callable[..., Any]) -> None:
    """A name has the line of its statement."""
    run = record("\n\nx = (\n    torch.ones(1)\n)\n")
    assert run.one(ev.TensorNamed).line == 4


def test_program_keeps_its_meaning(record: Callable[..., Any]) -> None:
    """Docstrings, globals, nonlocals, generators, comprehensions, lambdas and star-expressions stay what they were."""
    run = record(
        "def f(x):\n    'doc of f'\n    global total\n    total = x\n    def g():\n        nonlocal x\n"
        "        x = x + 1\n        return x\n    return g()\n"
        "print(f.__doc__, f(1), total)\n"
        "print([y for y in (z * 2 for z in range(3))], (lambda q: q)(4))\n"
        "first, *rest = range(4)\nprint(first, rest)\n"
        "try:\n    raise KeyError('k')\nexcept (KeyError, ValueError) as e:\n    print(repr(e))\n"
        "else:\n    print('no')\n"
        "match 3:\n    case n:\n        print(n)\n"
    )
    assert run.stdout == "doc of f 2 1\n[0, 2, 4] 4\n0 [1, 2, 3]\nKeyError('k')\n3\n"


def test_lines_do_not_move() -> None:
    """Every statement of the program keeps its line in the woven tree."""
    source = "x = 1\nif x:\n    y = 2\n\n\ndef f(a):\n    b = a\n    return b\n"
    before = [n.lineno for n in ast.walk(ast.parse(source)) if isinstance(n, (ast.Assign, ast.Return, ast.If))]
    after = [n.lineno for n in ast.walk(weave(source, "p.py")[0]) if isinstance(n, (ast.Assign, ast.Return, ast.If))]
    assert sorted(before) == sorted(after)


def test_woven_names_are_not_the_programs() -> None:
    """The calls have names that no one writes."""
    text = ast.unparse(weave("try:\n    x = 1\nexcept ValueError:\n    pass\n", "p.py")[0])
    assert NAMED in text and CAUGHT in text


HANDLERS = """
from torch.utils._python_dispatch import TorchDispatchMode
from torch.overrides import TorchFunctionMode
def plain(value):
    inner = value
    return inner
class Dispatched(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        first = plain(args[0])
        for each in args:
            pass
        out = func(*args, **(kwargs or {}))
        return out
class Taken(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        a = plain(args[0])
        self.a = a
        result = func(*args, **(kwargs or {}))
        return result
class Own(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        b = plain(args[0])
        made = super().__torch_function__(func, types, args, kwargs or {})
        return made
def seen(gradient):
    hooked = gradient * 1
w = torch.ones(2, requires_grad=True)
"""


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("with Dispatched():\n    y = (w * 2).sin()\n    loss = y.sum()\n", ["w", "y", "loss"]),
        ("with Taken():\n    y = (w * 2).sin()\n", ["w", "y"]),
        ("x = torch.ones(2).as_subclass(Own)\ny = (w * x).sum()\n", ["w", "x", "y"]),
        ("with Dispatched():\n    y = plain(w * 2)\n", ["w", "value", "inner", "y"]),
        (
            "w.register_hook(seen)\nx = torch.ones(2).as_subclass(Own)\ny = (w * x).sum()\ny.backward()\n",
            ["w", "x", "y", "gradient", "hooked"],
        ),
    ],
)
def test_what_a_handler_of_ops_calls_its_arguments_names_nothing(
    record: Callable[..., Any], body: str, names: list[str]
) -> None:
    """Variables of __torch_dispatch__ and __torch_function__ and of what these call; hooks beneath them name theirs."""
    run = record(HANDLERS + body)
    assert run.status == "ok"
    assert told(run) == names
    assert all(e.origin != "alias" for e in run.of(ev.TensorCreated) if "Own" not in body)


def test_a_block_names_nothing_in_handlers() -> None:
    """backscope.record(), which reads names from frames, some of them after the handler has returned."""
    body = f"import torch\n{HANDLERS}with Dispatched(), Taken():\n    y = (w * 2).sin()\nx = torch.ones(1)\n"
    source = "import backscope\nwith backscope.record() as trace:\n" + textwrap.indent(body, "    ")
    linecache.cache["<handled>"] = (len(source), None, source.splitlines(keepends=True), "<handled>")
    space: dict[str, Any] = {"__name__": "handled"}
    with Alias():
        exec(compile(source, "<handled>", "exec"), space)  # noqa: S102
    names = [e.name for e in space["trace"].events if isinstance(e, ev.TensorNamed)]
    assert names == ["w", "y", "x"]
