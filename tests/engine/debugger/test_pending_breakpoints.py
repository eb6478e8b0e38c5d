"""Protects that a breakpoint on a misspelled name is not accepted silently, and that a name that may come is."""

from __future__ import annotations

from typing import Any

import pytest
from debugged import debugged

from backscope.debugger.source_names import SourceNames
from backscope.protocol import commands as c

PROGRAM = """\
import torch
from json import JSONDecodeError as Unreadable
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x ** 3
    @staticmethod
    def backward(ctx, g):
        return g
class Refused(ValueError):
    pass
def clip(g):
    return g * 2
net = torch.nn.Sequential(torch.nn.Linear(2, 1))
weights = [torch.ones(2, requires_grad=True)]
loss = (net(weights[0]) + Cube.apply(weights[0]).sum()).mul_(2).sum()
weights[0].register_hook(clip)
loss.backward()
print("done")
"""


def notes(*wanted: Any, at_the_end: bool = False) -> list[str | None]:
    """Return the note on each breakpoint, set before the program runs or at its last line."""
    numbered = [type(b)(**{f: getattr(b, f) for f in b.__struct_fields__} | {"id": n}) for n, b in enumerate(wanted)]
    last = [c.LineBreakpoint(id=99, line=19)]
    set_later = [c.SetBreakpoints(id=1, breakpoints=numbered)] if at_the_end else []
    _, _, answers, status = debugged(PROGRAM, last if at_the_end else numbered, [*set_later, c.Step(id=9, to="end")])
    answer = answers[1 if at_the_end else 0]
    assert isinstance(answer, c.BreakpointsSet)
    assert answer.unusable == []
    assert status == "ok"
    found = {one.id: one.note for one in answer.pending}
    return [found.get(n) for n in range(len(wanted))]


def op(name: str) -> c.OpBreakpoint:
    return c.OpBreakpoint(id=0, name=name)


def tensor(name: str | int) -> c.TensorBreakpoint:
    return c.TensorBreakpoint(id=0, tensor=name, when="gradient")


@pytest.mark.parametrize(
    "known",
    [
        *map(op, ("mul", "mul_", "zero_", "argmax", "isnan", "detach", "MulBackward0", "CopySlices", "AccumulateGrad")),
        *map(op, ("Cube", "CubeBackward")),
        *map(tensor, ("net", "loss", "weights[0]", "net.0.weight", "net[0].bias", "g", 12345)),
        c.FreedBreakpoint(id=0),
        c.FreedBreakpoint(id=0, name="PowBackward0"),
        c.HookBreakpoint(id=0, name="clip"),
        c.HookBreakpoint(id=0, name="<lambda>"),
        *(c.ExceptionBreakpoint(id=0, type=t) for t in (None, "ValueError", "Refused", "Unreadable")),
        c.NodeBreakpoint(id=0, node=12345),
    ],
    ids=str,
)
def test_names_that_are_there_or_may_come_have_no_note(known: Any) -> None:
    assert notes(known) == [None]
    assert notes(known, at_the_end=True) == [None]


@pytest.mark.parametrize(
    ("unknown", "said"),
    [
        (op("mull"), "No op or grad_fn is named mull so far; the breakpoint waits for one. Did you mean mul?"),
        (op("MulBackward"), "Did you mean MulBackward0?"),
        (op("cube"), "Did you mean Cube?"),
        (op("qqqqqq"), "No op or grad_fn is named qqqqqq so far; the breakpoint waits for one."),
        (op("clip"), "clip is a function: break at a line of it, from 12 on."),
        (op("loss"), "loss is a variable: break at its tensor."),
        (tensor("los"), "No variable is named los so far; the breakpoint waits for one. Did you mean loss?"),
        (tensor("loss.grad"), "Break at loss, where its gradient comes or .grad is updated."),
        (c.FreedBreakpoint(id=0, name="Pow"), "No grad_fn is named Pow so far; the breakpoint waits for one."),
        (
            c.HookBreakpoint(id=0, name="clipp"),
            "waits for one. Did you mean clip?",
        ),
        (c.ExceptionBreakpoint(id=0, type="ValueEror"), "Did you mean ValueError?"),
        (op("x" * 4000), f"No op or grad_fn is named {'x' * 60}... so far"),
    ],
    ids=str,
)
def test_an_unknown_name_is_set_with_a_note(unknown: Any, said: str) -> None:
    (note,) = notes(unknown)
    assert note is not None
    assert said in note


def test_once_a_module_is_made_its_paths_are_compared() -> None:
    wrong, right = tensor("net.0.wieght"), tensor("net.0.weight")
    assert notes(wrong, right) == [None, None]
    note, none = notes(wrong, right, at_the_end=True)
    assert note is not None
    assert note.endswith("Did you mean net.0.weight?")
    assert none is None


def test_a_breakpoint_on_a_name_that_comes_later_stops_there() -> None:
    waiting = c.HookBreakpoint(id=1, name="late_hook")
    hooked = "import torch\nw = torch.ones(1, requires_grad=True)\nhook = lambda g: g\nhook.__name__ = 'late_hook'\n"
    hooked += "w.register_hook(hook)\nw.sum().backward()\n"
    _, stops, answers, _ = debugged(hooked, [waiting], [c.Resume(id=0)] * 3)
    assert [one.id for one in answers[0].pending] == [1]  # type: ignore[union-attr]
    assert [s.breakpoints for s in stops] == [[1]]


def test_a_program_with_a_syntax_error_has_no_names() -> None:
    assert SourceNames("x = = 1").variables == set()
    assert SourceNames("\0").variables == set()
