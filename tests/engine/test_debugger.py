"""Stopping and going on: where a program stops, that everything is told by then, and that nothing else changes."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from backscope import commands as c, events as ev
from backscope.listening import hub
from backscope.moments import MOMENTS
from backscope.program import run
from backscope.recorder import Recorder
from backscope.transport import Script

PROGRAM = """\
import torch
def f(a):
    b = a * 2
    return b.sum()
w = torch.ones(3, requires_grad=True)
for i in range(3):
    loss = f(w)
    loss.backward()
print("done")
"""


def debugged(
    source: str, breakpoints: list[Any], then: list[Any]
) -> tuple[list[Any], list[ev.Paused], list[c.Answer], str]:
    """The events of a run with these breakpoints and commands, its stops, the answers, the status."""
    numbered = [
        msgspec.structs.replace(x, id=n) if not isinstance(x, str) else c.Step(id=n, to=x)  # type: ignore[arg-type]
        for n, x in enumerate(then, 1)
    ]
    script = Script([c.SetBreakpoints(id=0, breakpoints=breakpoints)], numbered)
    written: list[bytes] = []
    status = run(source, written.append, transport=script)
    events: list[Any] = [ev.decode(line) for line in b"".join(written).splitlines()]
    return events, [e for e in events if isinstance(e, ev.Paused)], script.answers, status


def plain(source: str) -> list[Any]:
    """The events of the same run without a debugger."""
    written: list[bytes] = []
    run(source, written.append)
    return [ev.decode(line) for line in b"".join(written).splitlines()]


def without_pauses(events: list[Any]) -> list[Any]:
    """The events but for paused and resumed, without their numbers."""
    return [msgspec.structs.replace(e, seq=0) for e in events if not isinstance(e, (ev.Paused, ev.Resumed))]


def line(number: int, **options: Any) -> c.LineBreakpoint:
    return c.LineBreakpoint(id=number, line=number, **options)


def test_a_breakpoint_stops_before_its_line_each_time() -> None:
    """Everything before has been told then, nothing of the line itself."""
    events, stops, _, _ = debugged(PROGRAM, [line(8)], [c.Resume(id=0)] * 3)
    assert [(s.line, s.reason, s.breakpoints, s.where) for s in stops] == [(8, "breakpoint", [8], "line")] * 3
    before = [e for e in events if e.seq < stops[0].seq]
    assert any(isinstance(e, ev.TensorNamed) and e.name == "loss" for e in before)
    assert not any(isinstance(e, ev.BackwardStarted) for e in before)


def test_a_breakpoint_at_the_head_of_a_loop_stops_before_each_pass() -> None:
    """As in pdb: before it is entered, after each pass, also one that was continued or had another loop in it."""
    source = (
        "seen = []\n"
        "for i in range(4):\n"
        "    if i == 1:\n"
        "        continue\n"
        "    for j in range(2):\n"
        "        if j == 0:\n"
        "            continue\n"
        "    else:\n"
        "        if i == 2:\n"
        "            continue\n"
        "    try:\n"
        "        seen.append(i)\n"
        "    except ValueError:\n"
        "        continue\n"
        "n = 0\n"
        "while n < 2:\n"
        "    n += 1\n"
        "for k in range(9):\n"
        "    if k == 1:\n"
        "        break\n"
        "for never in []:\n"
        "    pass\n"
        "for one in range(2): n += 1\n"
    )
    for at, times in ((2, 5), (5, 9), (16, 3), (18, 2), (21, 1), (23, 3)):
        events, stops, _, status = debugged(source, [line(at)], [c.Resume(id=0)] * 20)
        assert [(s.line, s.where) for s in stops] == [(at, "line")] * times
        assert status == "ok"
        assert without_pauses(events) == without_pauses(plain(source))
    _, stops, _, _ = debugged(source, [line(2, condition="'i' in dir() and i == 1")], [c.Resume(id=0)] * 20)
    assert len(stops) == 1


def test_the_stack_is_outermost_first() -> None:
    """Functions of the program with their lines."""
    _, stops, _, _ = debugged(PROGRAM, [line(4)], [])
    assert [(t.line, t.function, t.text) for t in stops[0].stack] == [
        (7, "<module>", "loss = f(w)"),
        (4, "f", "return b.sum()"),
    ]


@pytest.mark.parametrize(("condition", "rounds"), [("i == 2", 1), ("i > 0 and w.requires_grad", 2), ("False", 0)])
def test_a_condition_is_asked_in_the_frame(condition: str, rounds: int) -> None:
    """Locals and globals are there; what it computes is not recorded."""
    events, stops, _, _ = debugged(PROGRAM, [line(8, condition=condition)], [c.Resume(id=0)] * 5)
    assert len(stops) == rounds
    assert without_pauses(events) == without_pauses(plain(PROGRAM))


def test_a_condition_with_tensors_leaves_no_trace() -> None:
    """Ops in a condition are neither told nor tracked."""
    events, stops, _, _ = debugged(PROGRAM, [line(8, condition="(loss * 2 > 0).item()")], [c.Resume(id=0)] * 5)
    assert len(stops) == 3
    assert without_pauses(events) == without_pauses(plain(PROGRAM))


def test_a_condition_that_raises_stops_and_says_why() -> None:
    """Rather than be taken for false in silence."""
    _, stops, _, _ = debugged(PROGRAM, [line(8, condition="nowhere > 1")], [])
    assert stops[0].note == "The condition of breakpoint 8 raised NameError: name 'nowhere' is not defined"


def test_hits_are_counted_where_the_condition_holds() -> None:
    """From hit number `hits` on."""
    _, stops, _, _ = debugged(PROGRAM, [line(8, hits=3)], [c.Resume(id=0)] * 5)
    assert len(stops) == 1
    _, stops, _, _ = debugged(PROGRAM, [line(8, condition="i != 1", hits=2)], [c.Resume(id=0)] * 5)
    assert len(stops) == 1


def test_setting_them_again_keeps_the_count() -> None:
    """The page sends all of them whenever one changes."""
    again = c.SetBreakpoints(id=0, breakpoints=[line(8, hits=2), line(9)])
    _, stops, _, _ = debugged(PROGRAM, [line(3), line(8, hits=2)], [c.Resume(id=0), again, *[c.Resume(id=0)] * 9])
    assert [s.line for s in stops] == [3, 3, 8, 8, 9]


def test_a_line_without_a_statement_stands_for_the_next() -> None:
    """Inside a statement for its beginning; the answer says which line it came to be."""
    source = "x = (1 +\n     2)\n\n# nothing\ny = 2\nif y:\n    z = 3\n"
    wanted = [c.LineBreakpoint(id=n, line=n) for n in (2, 3, 6)]
    _, stops, answers, _ = debugged(source, wanted, [c.Resume(id=0)] * 5)
    assert answers[0] == c.BreakpointsSet(
        id=0, places=[c.BreakpointPlace(id=i, line=at) for i, at in ((2, 1), (3, 5), (6, 6))]
    )
    assert [s.line for s in stops] == [1, 5, 6]


def test_breakpoints_that_cannot_be_set() -> None:
    """Say which and why; the others are set."""
    for wrong, said in (
        (line(99), "No statement begins at line 99 or after it."),
        (line(5, condition="a = 1"), "The condition is not an expression: 'a = 1' (invalid syntax)."),
    ):
        _, stops, answers, _ = debugged(PROGRAM, [wrong, line(8)], [c.Resume(id=0)] * 9)
        assert answers[0] == c.BreakpointsSet(
            id=0,
            places=[c.BreakpointPlace(id=8, line=8)],
            unusable=[c.UnusableBreakpoint(id=wrong.id, reason=said)],
        )
        assert [s.line for s in stops] == [8] * 3


def test_two_breakpoints_of_one_id_leave_all_as_they_were() -> None:
    again = c.SetBreakpoints(id=0, breakpoints=[line(8), line(8, hits=2)])
    _, stops, answers, _ = debugged(PROGRAM, [line(8)], [again, *[c.Resume(id=0)] * 9])
    assert answers[1] == c.Refused(id=1, reason="Two breakpoints have the same id.")
    assert len(stops) == 3


def stepped(first: int, *steps: str) -> list[tuple[int | None, str]]:
    """Line and place of each stop."""
    _, stops, _, _ = debugged(PROGRAM, [line(first, condition="i == 0")], list(steps))
    return [(s.line, s.where) for s in stops]


def test_over_lines_into_functions_and_out() -> None:
    """As debuggers do it."""
    assert stepped(7, "line", "line", "line") == [(n, "line") for n in (7, 8, 7, 8)]
    assert stepped(7, "into", "line", "line") == [(n, "line") for n in (7, 3, 4, 8)]
    assert stepped(7, "into", "out") == [(n, "line") for n in (7, 3, 8)]


def test_over_a_line_does_not_stop_in_a_sister_call() -> None:
    """A function that returned is followed by its caller's next line, not by what that calls in the same one."""
    source = "def f(x):\n    return x\ndef g(x):\n    return x\ny = g(f(1))\nz = 2\n"
    _, stops, _, _ = debugged(source, [c.LineBreakpoint(id=1, line=2)], ["line"])
    assert [s.line for s in stops] == [2, 6]


def test_over_a_line_does_not_stop_in_hooks() -> None:
    """What backward() calls is inside of its line."""
    source = "import torch\ndef hook(g):\n    return g\nw = torch.ones(1, requires_grad=True)\nw.register_hook(hook)\n"
    source += "w.sum().backward()\nprint(1)\n"
    _, stops, _, _ = debugged(source, [c.LineBreakpoint(id=1, line=6)], ["line"])
    assert [s.line for s in stops] == [6, 7]
    _, stops, _, _ = debugged(source, [c.LineBreakpoint(id=1, line=6)], ["into", "out"])
    assert [s.line for s in stops] == [6, 3, 7]


def test_nodes_of_a_pass_one_by_one() -> None:
    """Each stop is before its node has told anything but, for a leaf, that it begins."""
    events, stops, _, _ = debugged(PROGRAM, [line(8)], ["node"] * 4)
    names = {e.node.node: e.node.name for e in events if isinstance(e, ev.OpApplied) and e.node}
    names |= {e.node: e.name for e in events if isinstance(e, ev.NodeCreated)}
    assert [names.get(s.node) for s in stops[1:4]] == ["SumBackward0", "MulBackward0", "AccumulateGrad"]
    assert [s.where for s in stops[1:4]] == ["before node"] * 3
    assert all(s.call == stops[1].call is not None for s in stops[1:4])


def test_nodes_of_a_pass_with_hooks_too() -> None:
    """Which takes another way through the engine."""
    source = PROGRAM.replace("for i", "w.register_hook(lambda g: g)\nfor i")
    _, stops, _, _ = debugged(source, [line(9)], ["node"] * 3)
    assert [s.where for s in stops[1:4]] == ["before node"] * 3


@pytest.mark.parametrize("hook", ["", "w.register_hook(lambda g: g)"])
def test_from_node_to_node_a_pass_that_fails_is_seen(hook: str) -> None:
    """At the node that failed, once that is told; the next step goes on to the next pass."""
    source = (
        f"import torch\nw = torch.ones(3, requires_grad=True)\n{hook}\ny = w.exp()\ny.add_(1)\ntry:\n"
        "    y.sum().backward()\nexcept RuntimeError:\n    pass\nw.sum().backward()\n"
    )
    events, stops, _, _ = debugged(source, [line(7)], ["node"] * 5)
    names = {e.node.node: e.node.name for e in events if isinstance(e, ev.OpApplied) and e.node}
    assert [(s.line, s.where, names.get(s.node or 0)) for s in stops[1:6]] == [
        (7, "before node", "SumBackward0"),
        (7, "before node", "AddBackward0"),
        (7, "before node", "ExpBackward0"),
        (7, "moment", "ExpBackward0"),
        (10, "before node", "SumBackward0"),
    ]
    assert isinstance(events[stops[4].seq - 1], ev.ErrorRaised)


def test_to_the_next_backward() -> None:
    """Right after it was told to have begun."""
    events, stops, _, _ = debugged(PROGRAM, [line(5)], ["backward", "backward"])
    for stop in stops[1:3]:
        assert isinstance(events[stop.seq - 1], ev.BackwardStarted)


def test_moment_by_moment_everything_comes_in_order() -> None:
    """Each stop has something new before it; together they tell the same as a run without stops."""
    events, stops, _, _ = debugged(PROGRAM, [line(1)], ["moment"] * 60)
    assert len(stops) > 20
    resumed = [e.seq for e in events if isinstance(e, ev.Resumed)]
    assert all(stop.seq > went_on + 1 for went_on, stop in zip(resumed, stops[1:], strict=False))
    assert without_pauses(events) == without_pauses(plain(PROGRAM))


@pytest.mark.parametrize("seq", [10, 25, 33, 50])
def test_to_a_seq(seq: int) -> None:
    """The stop comes at the first moment by which that event is told."""
    events, stops, answers, _ = debugged(PROGRAM, [line(1)], [c.Step(id=0, to="seq", seq=seq)])
    assert stops[1].seq > seq
    assert isinstance(events[seq], ev.Resumed) is False
    assert answers[1] == c.Done(id=1)
    _, _, answers, _ = debugged(PROGRAM, [line(8)], [c.Step(id=0, to="seq", seq=3)])
    assert isinstance(answers[1], c.Refused) and "in the past" in answers[1].reason


def test_to_the_end_passes_breakpoints() -> None:
    """Where resume would stop."""
    _, stops, _, status = debugged(PROGRAM, [line(8)], ["end"])
    assert (len(stops), status) == (1, "ok")


def test_a_pause_before_the_program_begins_stops_at_its_first_line() -> None:
    """As a client asks that wants to step from the start."""
    script = Script([c.Pause(id=1)], [c.Resume(id=2)])
    written: list[bytes] = []
    run("# comment\nx = 1\n", written.append, transport=script)
    (stop,) = [e for e in map(ev.decode, b"".join(written).splitlines()) if isinstance(e, ev.Paused)]
    assert (stop.line, stop.reason) == (2, "pause")
    assert script.answers == [c.Done(id=1), c.Done(id=2)]


class Later(Script):
    """Asks for a pause once the program has run for a while."""

    def __init__(self, ticks: int) -> None:
        super().__init__([], [c.Pause(id=1)])
        self.ticks = ticks

    def pending(self) -> bool:
        self.ticks -= 1
        return self.ticks <= 0 and not self.answers


@pytest.mark.parametrize(
    "body",
    [
        "while not done: pass",
        "x = all(not done for _ in iter(int, 1))",
        "x = torch.ones(1)\nwhile not done: x = x + 1",
        "y = torch.ones(1, requires_grad=True)\nfor _ in range(20_000): y = y + 1\ny.backward()\nwhile not done: pass",
    ],
    ids=["lines", "one expression", "ops", "a long pass"],
)
def test_a_running_program_is_paused(body: str) -> None:
    """Wherever it is: in its lines, in one long expression, in the engine."""
    source = f"import torch\ndone = []\n{body}\n"
    script = Later(6)
    written: list[bytes] = []

    def write(batch: bytes) -> None:
        written.append(batch)
        if b'"kind":"paused"' in batch:
            hub.debugger.recorder.user_globals["done"].append(1)

    assert run(source, write, transport=script) == "ok"
    stops = [e for e in map(ev.decode, b"".join(written).splitlines()) if isinstance(e, ev.Paused)]
    assert [s.reason for s in stops] == ["pause"]


def test_a_running_program_takes_breakpoints_and_nothing_else() -> None:
    """What needs a stop is refused, with what to do."""
    script = Script([c.Resume(id=1), c.Step(id=2, to="line"), c.SetBreakpoints(id=3, breakpoints=[])])
    run("x = 1\n", lambda _: None, transport=script)
    refused = "The program is running. Pause it first."
    assert script.answers == [
        c.Refused(id=1, reason=refused),
        c.Refused(id=2, reason=refused),
        c.BreakpointsSet(id=3, places=[]),
    ]


def test_a_program_that_is_over_refuses() -> None:
    """Also one that never began."""

    class AtTheEnd(Script):
        def pending(self) -> bool:
            return hub.debugger is None and bool(self._before)

    for source in ("x = 1\n", "x = (\n"):
        script = AtTheEnd([c.Pause(id=1)])
        run(source, lambda _: None, transport=script)
        assert script.answers == [c.Refused(id=1, reason="The program has finished.")]


@pytest.mark.parametrize("seed", range(6))
def test_any_commands_leave_the_log_as_it_is(seed: int, example: str) -> None:
    """Whatever is stepped and stopped, the log differs from a plain run's by paused and resumed alone."""
    chance = random.Random(seed)
    count = example.count("\n")
    breakpoints = [c.LineBreakpoint(id=n, line=chance.randint(1, max(1, count - 1))) for n in range(3)]
    steps = ["moment", "line", "into", "out", "node", "backward"]
    then = [chance.choice([*steps, c.Resume(id=0)]) for _ in range(40)]
    events, _, _, _ = debugged(example, breakpoints, then)
    assert without_pauses(events) == without_pauses(plain(example))
    assert [e.seq for e in events] == list(range(len(events)))


def test_moments_are_methods_of_the_recorder() -> None:
    """One that was renamed would be passed over in silence."""
    assert not [name for name in MOMENTS if not callable(getattr(Recorder, name, None))]


def test_nothing_is_left_behind() -> None:
    """A run without a debugger after one with it is a plain one."""
    debugged(PROGRAM, [line(8)], ["moment", "end"])
    assert hub.debugger is None and hub.listener is None


def test_statements_of_all_kinds_can_be_stopped_at() -> None:
    """And do the same as without: docstrings, imports from the future, decorators, match, try, with, async, class."""
    source = STATEMENTS
    events, stops, _, status = debugged(source, [line(n) for n in range(1, source.count("\n"))], [c.Resume(id=0)] * 500)
    assert status == "ok"
    assert without_pauses(events) == without_pauses(plain(source))
    assert {s.line for s in stops} >= {5, 6, 7, 11, 12, 13, 15, 16, 17, 18, 20, 21, 22, 23, 24, 25, 27, 30, 32}


EXPRESSIONS = """\
import torch
w = torch.ones(2, requires_grad=True)
w.register_hook(lambda g: g * 2)
(w * 3).sum().backward()
rows = [
    n * 2
    for n in range(3)
]
table = {k: k + 1 for k in rows}
def each(): return list(v for v in rows if v)
found = sorted(each(), key=lambda v:
    -v)
text = f"{(lambda: 3)()}"
print(rows, table, found, text, any(r > 3 for r in rows), {r % 4 for r in rows})
"""


def test_lambdas_stop_where_they_run() -> None:
    """A hook inside backward(); a body in a line of its own is a place too."""
    events, stops, _, status = debugged(EXPRESSIONS, [line(3), line(12)], [c.Resume(id=0)] * 50)
    assert status == "ok" and without_pauses(events) == without_pauses(plain(EXPRESSIONS))
    assert [(s.line, s.stack[-1].function) for s in stops] == [
        (3, "<module>"), (3, "<lambda>"), (12, "<lambda>"), (12, "<lambda>")
    ]  # fmt: skip
    assert stops[1].call is not None


def test_comprehensions_stop_at_elements() -> None:
    """Those in lines of their own; in the line of the statement only steps go to them."""
    events, stops, _, status = debugged(EXPRESSIONS, [line(6), line(9)], [c.Resume(id=0)] * 50)
    assert status == "ok" and without_pauses(events) == without_pauses(plain(EXPRESSIONS))
    assert [s.line for s in stops] == [6, 6, 6, 9]
    _, stops, _, _ = debugged(EXPRESSIONS, [line(9)], ["into", "into", "into", "into"])
    assert [s.line for s in stops] == [9, 9, 9, 9, 10]
    _, stops, _, _ = debugged(EXPRESSIONS, [line(9)], ["into", "out"])
    assert [s.line for s in stops] == [9, 9, 10]
    _, stops, _, _ = debugged(EXPRESSIONS, [line(9)], ["line"])
    assert [s.line for s in stops] == [9, 10]


STATEMENTS = '''\
"""A docstring."""
from __future__ import annotations


import asyncio, contextlib
count = 0
@contextlib.contextmanager
def around():
    "Also documented."
    global count
    count += 1
    yield count
class Thing:
    """Of a class."""
    field = 1
    def __init__(self):
        nonlocal_ = 1
        def inner():
            nonlocal nonlocal_
            nonlocal_ = 2
        inner()
try:
    with around() as n:
        assert n == 1; t = Thing()
    match n:
        case 1:
            x = [i for i in range(3)]
        case _:
            x = 0
    raise KeyError(1)
except KeyError as error:
    y = 1
else:
    y = 2
finally:
    z = (lambda: 3)()
async def wait():
    await asyncio.sleep(0)
    return 1
while z:
    z -= 1
    if z == 2: continue
    elif z == 1:
        break
else:
    z = 5
print(around.__doc__, Thing.__doc__, __doc__, asyncio.iscoroutinefunction(wait), x, y, z)
'''


def ending(source: str, *looks: Any) -> tuple[ev.Paused, list[Any], list[Any]]:
    """The stop at the end of a program that is stepped to an event it never tells, what looks saw, all its events."""
    to_the_end = c.Step(id=1, to="seq", seq=10_000, at_end=True)
    script = Script([c.Pause(id=0)], [to_the_end, *[msgspec.structs.replace(look, id=2) for look in looks]])
    written: list[bytes] = []
    run(source, written.append, transport=script)
    events: list[Any] = [ev.decode(line) for line in b"".join(written).splitlines()]
    assert without_pauses(events) == without_pauses(plain(source))
    (stop,) = [e for e in events[2:] if isinstance(e, ev.Paused)]
    return stop, script.answers[2:], events


def test_a_program_can_be_stopped_where_it_ends() -> None:
    """Everything that it prints is told by then, and its variables are there as it left them."""
    stop, (seen,), events = ending("x = 1\nprint('half', end='')\nx += 1\n", c.Evaluate(id=0, expression="x"))
    assert (stop.where, stop.line, stop.reason) == ("end", 3, "step")
    assert [type(e) for e in events[stop.seq - 1 :]] == [ev.OutputPrinted, ev.Paused, ev.Resumed, ev.ProgramFinished]
    assert seen.look.text == "2"


def test_a_step_to_an_event_stops_before_the_next_one_where_it_can() -> None:
    """Tensors and nodes die unasked: the next line, or the next node, is where the program stops after that."""
    source = (
        "import torch\nw = torch.ones(3, requires_grad=True)\nloss = (w * 2).pow(2).sum()\nloss.backward()\ndel loss\n"
        "y = torch.ones(2)\n"
    )
    events = plain(source)
    released = [e.seq for e in events if isinstance(e, (ev.TensorReleased, ev.NodeReleased))]
    last = [seq for seq in released if isinstance(events[seq + 1], (ev.NodeStarted, ev.TensorCreated))]
    assert [type(events[seq + 1]) for seq in last] == [ev.NodeStarted, ev.TensorCreated]
    for seq in last:
        _, stops, _, _ = debugged(source, [line(1)], [c.Step(id=0, to="seq", seq=seq + 2)])
        assert stops[1].seq == seq + 3


def test_after_an_error_the_frames_that_it_came_through_are_seen() -> None:
    """The innermost one first, at the line that raised."""
    source = "def f(a):\n    b = a * 2\n    raise ValueError(b)\nf(4)\n"
    looks = [c.Evaluate(id=0, expression="b"), c.ListLocals(id=0, frame=1)]
    stop, (inner, outer), _ = ending(source, *looks)
    assert [(t.line, t.function) for t in stop.stack] == [(4, "<module>"), (3, "f")]
    assert (inner.look.text, outer.function, outer.line) == ("8", "<module>", 4)


def test_a_program_that_leaves_by_sys_exit_stops_once() -> None:
    """Its status stays what it is."""
    _, _, events = ending("import sys\nsys.exit()\n")
    assert events[-1].status == "ok"


EXAMPLES = {
    "training": PROGRAM,
    "hooks": PROGRAM.replace("for i", "w.register_hook(lambda g: g * 2)\nfor i"),
    "second order": """\
import torch
x = torch.tensor([2.0, 3.0], requires_grad=True)
y = (x ** 3).sum()
(g,) = torch.autograd.grad(y, x, create_graph=True)
g.sum().backward()
with torch.no_grad():
    x -= 0.1 * x.grad
try:
    y.backward()
except RuntimeError as error:
    print(error)
""",
    "function": """\
import torch
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * 2
    @staticmethod
    def backward(ctx, g):
        (a,) = ctx.saved_tensors
        return g * 2
model = torch.nn.Linear(2, 2)
out = Twice.apply(model(torch.ones(1, 2)))
torch.optim.SGD(model.parameters(), lr=0.1).zero_grad()
out.sum().backward()
""",
}


@pytest.fixture(params=EXAMPLES)
def example(request: pytest.FixtureRequest) -> str:
    """A program for commands by chance."""
    return EXAMPLES[request.param]


@pytest.mark.parametrize("body", ["return f(n + 1)", "y = x * 1\n    return f(n + 1) + y"])
def test_recursion_that_goes_too_deep_is_stopped_at_once_and_told_as_ever(
    body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the debugger calls there costs room as well: the error, its text and all events are as without it."""
    monkeypatch.setattr("backscope.pace.timer", lambda tick: None)  # A tick at the limit itself is an error there.
    source = (
        f"import torch\nx = torch.ones(1)\ndef f(n):\n    {body}\n"
        "try:\n    f(0)\nexcept RecursionError as e:\n    print(e)\ny = x * 2\nf(0)\n"
    )
    plain(source)  # What is made once, at the first use, needs room too.
    breakpoints = [c.ExceptionBreakpoint(id=1)]
    events, stops, _, status = debugged(source, breakpoints, [c.Resume(id=0)] * 4)
    assert status == "error"
    assert len(stops) == 2
    assert without_pauses(events) == without_pauses(plain(source))
