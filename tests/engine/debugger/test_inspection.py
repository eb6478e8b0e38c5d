"""Protects the inspection of a paused program: answers, refusals, assignments, and that inspection changes nothing."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from debugged import without_pauses

from backscope.program.runner import run
from backscope.protocol import commands as c, events as ev
from backscope.protocol.transport import Script

PROGRAM = """\
import torch
def f(a):
    b = a * 2
    k = 3
    return b.sum() * k
w = torch.ones(3, requires_grad=True)
f(w).backward()
print(w.grad, torch.rand(2))
"""


def inspected(*commands: Any, source: str = PROGRAM, at: int = 5) -> tuple[list[Any], list[Any]]:
    """Return the answers to commands while the program is stopped at a line, and the events of the run."""
    given = [msgspec.structs.replace(command, id=n) for n, command in enumerate(commands, 1)]
    script = Script([c.SetBreakpoints(id=0, breakpoints=[c.LineBreakpoint(id=1, line=at)])], given)
    written: list[bytes] = []
    run(source, written.append, transport=script)
    for answer in script.answers:
        assert c.decode_answer(c.encode(answer)) == answer
    return script.answers[1:], [ev.decode(line) for line in b"".join(written).splitlines()]


def plain(source: str = PROGRAM) -> list[Any]:
    """Return the events of a plain run without their numbers."""
    written: list[bytes] = []
    run(source, written.append)
    return without_pauses([ev.decode(line) for line in b"".join(written).splitlines()])


def printed(events: list[Any]) -> str:
    """Return the output of the program."""
    return "".join(e.text for e in events if isinstance(e, ev.OutputPrinted))


def test_an_expression_sees_locals_and_globals() -> None:
    """It does so inside of comprehensions too; tensors come with their identity and Summary."""
    (many, one), events = inspected(
        c.Evaluate(id=0, expression="[x * k for x in (1, 2)]"), c.Evaluate(id=0, expression="w")
    )
    assert (many.look.type, many.look.text) == ("list", "[3, 6]")
    assert one.look.tensor == next(e.tensor for e in events if isinstance(e, ev.TensorNamed) and e.name == "w")
    assert one.look.value.values == [1.0, 1.0, 1.0]


def test_frames_are_numbered_from_the_innermost() -> None:
    """An expression in a caller's frame does not see the function's variables."""
    (inner, outer, none), _ = inspected(
        c.Evaluate(id=0, expression="k"), c.Evaluate(id=0, expression="k", frame=1), c.ListLocals(id=0, frame=2)
    )
    assert inner.look.text == "3"
    assert outer.reason == "NameError: name 'k' is not defined"
    assert none.reason == "There is no frame 2: the program has 2 on its stack."


def test_variables_of_a_frame() -> None:
    """They are listed by name, in order, without Python's own."""
    (locals_, globals_), _ = inspected(c.ListLocals(id=0), c.ListLocals(id=0, frame=1))
    assert (locals_.function, locals_.line) == ("f", 5)
    assert [v.name for v in locals_.variables] == ["a", "b", "k"]
    assert [v.name for v in globals_.variables] == ["torch", "f", "w"]
    assert locals_.variables[1].look.value.values == [2.0, 2.0, 2.0]


@pytest.mark.parametrize(
    "expression",
    [
        "b * 2 + torch.rand(3)",
        "[torch.randn(2), f(w)]",
        "print('x')",
        "w.sum().requires_grad",
        "f(w).backward()",
        "a.b.c",
    ],
)
def test_inspection_changes_nothing(expression: str) -> None:
    """The log, random numbers, the output and lifetimes of tensors stay the same."""
    _, events = inspected(*[c.Evaluate(id=0, expression=expression), c.ListLocals(id=0)] * 2)
    assert without_pauses(events) == plain()


def test_what_an_expression_prints_is_part_of_its_answer() -> None:
    """It is not part of the program's output."""
    (answer,), events = inspected(c.Evaluate(id=0, expression="print('seen')"))
    assert (answer.look.text, answer.output) == ("None", "seen\n")
    assert "seen" not in printed(events)


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("k = 1", "'k = 1' is not an expression"),
        ("(", "'(' is not an expression"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("nope", "NameError: name 'nope' is not defined"),
    ],
)
def test_expressions_that_fail(expression: str, reason: str) -> None:
    """The refusal gives the reason, and the program stays paused."""
    (answer, after), _ = inspected(c.Evaluate(id=0, expression=expression), c.Evaluate(id=0, expression="1"))
    assert answer.reason.startswith(reason)
    assert after.look.text == "1"


def test_texts_are_cut_and_may_be_impossible() -> None:
    """A user's __repr__ may raise or return anything."""
    source = "class A:\n    def __repr__(self):\n        raise KeyError\na = A()\nb = '\\ud800' * 9000\npass\n"
    (a, b), _ = inspected(c.Evaluate(id=0, expression="a"), c.Evaluate(id=0, expression="b"), source=source, at=6)
    assert a.look.text == "(its text could not be made: KeyError)"
    assert len(b.look.text) <= 4096 * 6


def test_elements_of_a_tensor_by_ranges() -> None:
    """They can be read of any live tensor and of its .grad."""
    source = "import torch\nx = torch.arange(12.0).reshape(3, 4).requires_grad_()\n(x * x).sum().backward()\npass\n"
    _, events = inspected(source=source, at=4)
    x = next(e.tensor for e in events if isinstance(e, ev.TensorNamed))
    (part, grad, gone, many), _ = inspected(
        c.ReadTensor(id=0, tensor=x, begin=[1], end=[3, 2]),
        c.ReadTensor(id=0, tensor=x, of="grad", begin=[2, 3]),
        c.ReadTensor(id=0, tensor=10**6),
        c.ReadTensor(id=0, tensor=x, begin=[0, 0, 0]),
        source=source,
        at=4,
    )
    assert (part.whole, part.shape, part.dtype, part.values) == ([3, 4], [2, 2], "float32", [4.0, 5.0, 8.0, 9.0])
    assert grad.values == [22.0]
    assert gone.reason == "Tensor 1000000 is gone, or never was."
    assert many.reason == f"Tensor {x} has 2 dims."


def test_more_elements_than_one_answer_holds() -> None:
    """A large tensor is read piece by piece."""
    source = "import torch\nx = torch.zeros(1000, 1000)\npass\n"
    _, events = inspected(source=source, at=3)
    x = next(e.tensor for e in events if isinstance(e, ev.TensorNamed))
    (all_, some), _ = inspected(
        c.ReadTensor(id=0, tensor=x), c.ReadTensor(id=0, tensor=x, end=[2]), source=source, at=3
    )
    assert all_.reason.startswith("That is 1,000,000 elements")
    assert len(some.values) == 2000


def test_a_changed_variable_is_used_from_there_on() -> None:
    """It may be local, global, an element or an attribute; its event comes before those that it causes."""
    answers, events = inspected(
        c.Assign(id=0, target="k", expression="k * 10"), c.Assign(id=0, target="w.name_", expression="'x'", frame=1)
    )
    assert answers == [c.Done(id=1), c.Done(id=2)]
    assert printed(events).startswith("tensor([60., 60., 60.])")
    assert [(e.function, e.target, e.expression, e.line) for e in events if isinstance(e, ev.ValueChanged)] == [
        ("f", "k", "k * 10", 5),
        ("<module>", "w.name_", "'x'", 7),
    ]
    _, events = inspected(c.Assign(id=0, target="n", expression="4"), source="n = 1\nprint(n)\n", at=2)
    assert printed(events) == "4\n"


def test_a_changed_tensor_is_recorded_as_if_the_program_had_done_it() -> None:
    """Its ops, its version and its gradient are recorded."""
    _, events = inspected(c.Assign(id=0, target="b[0]", expression="5.0"))
    kinds = [type(e) for e in events]
    at = kinds.index(ev.ValueChanged)
    assert ev.TensorMutated in kinds[at : at + 12]
    assert printed(events).startswith("tensor([0., 6., 6.])")


@pytest.mark.parametrize("target", ["b[0]", "b.data[0]", "b.data", "self.b.data[0]"])
def test_a_tensor_with_changed_elements_is_recorded_whole(target: str) -> None:
    """The event has all its elements, not only the view that was written to."""
    source = "import torch\nclass self: pass\nb = self.b = torch.ones(3)\npass\n"
    expression = "torch.tensor([5.0, 1.0, 1.0])" if target == "b.data" else "5.0"
    (answer,), events = inspected(c.Assign(id=0, target=target, expression=expression), source=source, at=4)
    assert isinstance(answer, c.Done)
    named = next(e.tensor for e in events if isinstance(e, ev.TensorNamed))
    changes = [e for e in events if isinstance(e, ev.TensorMutated) and e.tensor == named]
    assert changes[-1].value.values == [5.0, 1.0, 1.0]


def test_ops_of_a_change_follow_its_event_and_a_refused_one_has_none() -> None:
    """The order shows which ops belong to the change."""
    _, events = inspected(c.Assign(id=0, target="b", expression="a * 4"))
    kinds = [type(e) for e in events]
    assert ev.OpApplied in kinds[kinds.index(ev.ValueChanged) : kinds.index(ev.Resumed)]
    (answer,), events = inspected(c.Assign(id=0, target="w[0]", expression="5.0", frame=1))
    assert isinstance(answer, c.Refused) and "leaf Variable that requires grad" in answer.reason
    assert not any(isinstance(e, ev.ValueChanged) for e in events)


def test_a_tensor_that_a_variable_gets_is_named() -> None:
    """The page needs the name."""
    _, events = inspected(c.Assign(id=0, target="b", expression="a * 4"))
    at = next(n for n, e in enumerate(events) if isinstance(e, ev.ValueChanged))
    assert any(isinstance(e, ev.TensorNamed) and e.name == "b" for e in events[at:])


@pytest.mark.parametrize(
    ("target", "expression", "reason"),
    [
        ("f()", "1", "'f()' is not a variable, an attribute or an item, which can be changed."),
        ("a, b", "1", "'a, b' is not a variable"),
        ("a = b", "1", "'a = b' is not a variable"),
        ("x; y", "1", "'x; y' is not a variable"),
        ("zz", "1", "f() has no variable 'zz'."),
        ("k", "nope", "NameError"),
        ("w[9]", "1.0", "IndexError"),
    ],
)
def test_what_cannot_be_changed(target: str, expression: str, reason: str) -> None:
    """The refusal gives the reason."""
    (answer,), _ = inspected(c.Assign(id=0, target=target, expression=expression))
    assert answer.reason.startswith(reason)


def test_inspection_keeps_no_tensor_alive() -> None:
    """A tensor that was inspected is released at the same event as without inspection."""
    source = "import torch\ndef f():\n    x = torch.ones(2)\n    y = 1\n    x = None\n    return y\nf()\n"
    looks = [c.ListLocals(id=0), c.Evaluate(id=0, expression="x"), c.Step(id=0, to="line"), c.ListLocals(id=0)]
    _, events = inspected(*looks, source=source, at=4)
    assert without_pauses(events) == plain(source)


def test_all_elements_of_a_tensor_in_few_numbers() -> None:
    """The statistics are of finite elements of any dtype; for a view they have its offset."""
    source = """\
import torch
x = torch.arange(12.0).reshape(3, 4)
y = x.t()[1:]
z = torch.tensor([0.0, 3, 4, torch.nan, -torch.inf])
n = torch.tensor([2**53 + 1, -5])
c = torch.tensor([3 + 4j, 0])
e = torch.zeros(2, 0)
b = torch.tensor([1e300, -1e300], dtype=torch.float64)
pass
"""
    _, events = inspected(source=source, at=9)
    names = {e.name: e.tensor for e in events if isinstance(e, ev.TensorNamed)}
    answers, _ = inspected(*[c.MeasureTensor(id=0, tensor=names[k]) for k in "xyzncebz"], source=source, at=9)
    x, y, z, n, complex_, empty, big, _ = answers
    assert (x.min, x.max, x.mean, x.zeros, sum(x.counts), x.ends, x.contiguous) == (0, 11, 5.5, 1, 12, [0, 11], True)
    assert x.std == pytest.approx(13**0.5)
    assert (y.shape, y.strides, y.storage_offset, y.contiguous) == ([3, 3], [1, 4], 1, False)
    assert (z.count, z.nan_count, z.inf_count, z.zeros, z.norm, z.max) == (3, 1, 1, 1, 5, 4)
    assert (n.max, n.min, n.zeros) == (2**53 + 1, -5, 0)
    assert (complex_.max, complex_.norm, complex_.zeros) == (5, 5, 1)
    assert (empty.count, empty.mean, empty.counts, empty.norm) == (0, None, [], 0)
    assert (big.norm, big.std) == (pytest.approx(2**0.5 * 1e300), "Infinity")
