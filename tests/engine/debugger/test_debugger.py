"""Protects stops and steps: their places, that all events are written by then, and that the log does not change."""

from __future__ import annotations

import random

import pytest
from debugged import debugged, line, plain, without_pauses

from backscope.debugger.stop_points import MOMENTS
from backscope.program.runner import run
from backscope.protocol import commands as c, events as ev
from backscope.protocol.transport import Script
from backscope.recorder.recorder import Recorder
from backscope.runtime.listening import hub

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


def test_a_breakpoint_stops_before_its_line_each_time() -> None:
    """All events before the line are written then, and none of the line itself."""
    events, stops, _, _ = debugged(PROGRAM, [line(8)], [c.Resume(id=0)] * 3)
    assert [(s.line, s.reason, s.breakpoints, s.where) for s in stops] == [(8, "breakpoint", [8], "line")] * 3
    before = [e for e in events if e.seq < stops[0].seq]
    assert any(isinstance(e, ev.TensorNamed) and e.name == "loss" for e in before)
    assert not any(isinstance(e, ev.BackwardStarted) for e in before)


def test_the_stack_is_outermost_first() -> None:
    """It has the functions of the program with their lines."""
    _, stops, _, _ = debugged(PROGRAM, [line(4)], [])
    assert [(t.line, t.function, t.text) for t in stops[0].stack] == [
        (7, "<module>", "loss = f(w)"),
        (4, "f", "return b.sum()"),
    ]


@pytest.mark.parametrize(("condition", "rounds"), [("i == 2", 1), ("i > 0 and w.requires_grad", 2), ("False", 0)])
def test_a_condition_is_evaluated_in_the_frame(condition: str, rounds: int) -> None:
    """It sees local and global variables, and its ops are not recorded."""
    events, stops, _, _ = debugged(PROGRAM, [line(8, condition=condition)], [c.Resume(id=0)] * 5)
    assert len(stops) == rounds
    assert without_pauses(events) == without_pauses(plain(PROGRAM))


def test_ops_in_a_condition_are_not_recorded() -> None:
    """They are neither in the log nor on the tape."""
    events, stops, _, _ = debugged(PROGRAM, [line(8, condition="(loss * 2 > 0).item()")], [c.Resume(id=0)] * 5)
    assert len(stops) == 3
    assert without_pauses(events) == without_pauses(plain(PROGRAM))


def test_a_condition_that_raises_stops_and_says_why() -> None:
    """It is not taken for a false condition."""
    _, stops, _, _ = debugged(PROGRAM, [line(8, condition="nowhere > 1")], [])
    assert stops[0].note == "The condition of breakpoint 8 raised NameError: name 'nowhere' is not defined"


def test_hits_are_counted_where_the_condition_holds() -> None:
    """The program stops from hit number `hits` on."""
    _, stops, _, _ = debugged(PROGRAM, [line(8, hits=3)], [c.Resume(id=0)] * 5)
    assert len(stops) == 1
    _, stops, _, _ = debugged(PROGRAM, [line(8, condition="i != 1", hits=2)], [c.Resume(id=0)] * 5)
    assert len(stops) == 1


def test_setting_them_again_keeps_the_count() -> None:
    """The page sends all breakpoints whenever one changes."""
    again = c.SetBreakpoints(id=0, breakpoints=[line(8, hits=2), line(9)])
    _, stops, _, _ = debugged(PROGRAM, [line(3), line(8, hits=2)], [c.Resume(id=0), again, *[c.Resume(id=0)] * 9])
    assert [s.line for s in stops] == [3, 3, 8, 8, 9]


def test_breakpoints_that_cannot_be_set() -> None:
    """The answer names them with the reason, and the others are set."""
    for wrong, said in (
        (line(99), "No statement begins at line 99 or after it."),
        (line(5, condition="a = 1"), "The condition 'a = 1' is not an expression: invalid syntax."),
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
    """Return line and place of each stop."""
    _, stops, _, _ = debugged(PROGRAM, [line(first, condition="i == 0")], list(steps))
    return [(s.line, s.where) for s in stops]


def test_over_lines_into_functions_and_out() -> None:
    """Steps over, into and out of calls stop at the lines that pdb stops at."""
    assert stepped(7, "line", "line", "line") == [(n, "line") for n in (7, 8, 7, 8)]
    assert stepped(7, "into", "line", "line") == [(n, "line") for n in (7, 3, 4, 8)]
    assert stepped(7, "into", "out") == [(n, "line") for n in (7, 3, 8)]


def test_over_a_line_does_not_stop_in_a_sister_call() -> None:
    """After a return the step stops at the caller's next line, not in another call on the same line."""
    source = "def f(x):\n    return x\ndef g(x):\n    return x\ny = g(f(1))\nz = 2\n"
    _, stops, _, _ = debugged(source, [c.LineBreakpoint(id=1, line=2)], ["line"])
    assert [s.line for s in stops] == [2, 6]


def test_over_a_line_does_not_stop_in_hooks() -> None:
    """A hook that backward() calls belongs to the line of backward()."""
    source = "import torch\ndef hook(g):\n    return g\nw = torch.ones(1, requires_grad=True)\nw.register_hook(hook)\n"
    source += "w.sum().backward()\nprint(1)\n"
    _, stops, _, _ = debugged(source, [c.LineBreakpoint(id=1, line=6)], ["line"])
    assert [s.line for s in stops] == [6, 7]
    _, stops, _, _ = debugged(source, [c.LineBreakpoint(id=1, line=6)], ["into", "out"])
    assert [s.line for s in stops] == [6, 3, 7]


def test_nodes_of_a_pass_one_by_one() -> None:
    """Each stop comes before the events of its node, except node_started of a leaf."""
    events, stops, _, _ = debugged(PROGRAM, [line(8)], ["node"] * 4)
    names = {e.node.node: e.node.name for e in events if isinstance(e, ev.OpApplied) and e.node}
    names |= {e.node: e.name for e in events if isinstance(e, ev.NodeCreated)}
    assert [names.get(s.node) for s in stops[1:4]] == ["SumBackward0", "MulBackward0", "AccumulateGrad"]
    assert [s.where for s in stops[1:4]] == ["before node"] * 3
    assert all(s.call == stops[1].call is not None for s in stops[1:4])


def test_nodes_of_a_pass_with_hooks_too() -> None:
    """A pass with hooks runs in the engine's stepwise loop."""
    source = PROGRAM.replace("for i", "w.register_hook(lambda g: g)\nfor i")
    _, stops, _, _ = debugged(source, [line(9)], ["node"] * 3)
    assert [s.where for s in stops[1:4]] == ["before node"] * 3


@pytest.mark.parametrize("hook", ["", "w.register_hook(lambda g: g)"])
def test_from_node_to_node_a_pass_that_fails_is_seen(hook: str) -> None:
    """The step stops at the node that failed, after its error; the next step goes to the next pass."""
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
    """The step stops right after backward_started."""
    events, stops, _, _ = debugged(PROGRAM, [line(5)], ["backward", "backward"])
    for stop in stops[1:3]:
        assert isinstance(events[stop.seq - 1], ev.BackwardStarted)


def test_moment_by_moment_everything_comes_in_order() -> None:
    """New events come before each stop; all of them together are those of a run without stops."""
    events, stops, _, _ = debugged(PROGRAM, [line(1)], ["moment"] * 60)
    assert len(stops) > 20
    resumed = [e.seq for e in events if isinstance(e, ev.Resumed)]
    assert all(stop.seq > went_on + 1 for went_on, stop in zip(resumed, stops[1:], strict=False))
    assert without_pauses(events) == without_pauses(plain(PROGRAM))


@pytest.mark.parametrize("seq", [10, 25, 33, 50])
def test_to_a_seq(seq: int) -> None:
    """The stop comes at the first moment by which that event is written."""
    events, stops, answers, _ = debugged(PROGRAM, [line(1)], [c.Step(id=0, to="seq", seq=seq)])
    assert stops[1].seq > seq
    assert isinstance(events[seq], ev.Resumed) is False
    assert answers[1] == c.Done(id=1)
    _, _, answers, _ = debugged(PROGRAM, [line(8)], [c.Step(id=0, to="seq", seq=3)])
    assert isinstance(answers[1], c.Refused) and "in the past" in answers[1].reason


def test_to_the_end_passes_breakpoints() -> None:
    """Resume would stop at them."""
    _, stops, _, status = debugged(PROGRAM, [line(8)], ["end"])
    assert (len(stops), status) == (1, "ok")


def test_a_pause_before_the_program_begins_stops_at_its_first_line() -> None:
    """A client that steps from the start sends such a pause."""
    script = Script([c.Pause(id=1)], [c.Resume(id=2)])
    written: list[bytes] = []
    run("# comment\nx = 1\n", written.append, transport=script)
    (stop,) = [e for e in map(ev.decode, b"".join(written).splitlines()) if isinstance(e, ev.Paused)]
    assert (stop.line, stop.reason) == (2, "pause")
    assert script.answers == [c.Done(id=1), c.Done(id=2)]


class Later(Script):
    """Sends a pause after the program has run for a while."""

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
    """It may be in its lines, in one long expression, or in the engine."""
    source = f"import torch\ndone = []\n{body}\n"
    script = Later(6)
    written: list[bytes] = []

    def write(batch: bytes) -> None:
        written.append(batch)
        if b'"kind":"paused"' in batch:
            hub.debugger.recorder.code.user_globals["done"].append(1)

    assert run(source, write, transport=script) == "ok"
    stops = [e for e in map(ev.decode, b"".join(written).splitlines()) if isinstance(e, ev.Paused)]
    assert [s.reason for s in stops] == ["pause"]


def test_a_running_program_takes_breakpoints_and_nothing_else() -> None:
    """Commands that need a stop are refused, and the refusal says what to do."""
    script = Script([c.Resume(id=1), c.Step(id=2, to="line"), c.SetBreakpoints(id=3, breakpoints=[])])
    run("x = 1\n", lambda _: None, transport=script)
    refused = "The program is running. Pause it first."
    assert script.answers == [
        c.Refused(id=1, reason=refused),
        c.Refused(id=2, reason=refused),
        c.BreakpointsSet(id=3, places=[]),
    ]


def test_a_program_that_is_over_refuses() -> None:
    """So does one that never began."""

    class AtTheEnd(Script):
        def pending(self) -> bool:
            return hub.debugger is None and bool(self._before)

    for source in ("x = 1\n", "x = (\n"):
        script = AtTheEnd([c.Pause(id=1)])
        run(source, lambda _: None, transport=script)
        assert script.answers == [c.Refused(id=1, reason="The program has finished.")]


@pytest.mark.parametrize("seed", range(6))
def test_any_commands_leave_the_log_as_it_is(seed: int, example: str) -> None:
    """After any steps and stops, the log differs from a plain run's by paused and resumed alone."""
    chance = random.Random(seed)
    count = example.count("\n")
    breakpoints = [c.LineBreakpoint(id=n, line=chance.randint(1, max(1, count - 1))) for n in range(3)]
    steps = ["moment", "line", "into", "out", "node", "backward"]
    then = [chance.choice([*steps, c.Resume(id=0)]) for _ in range(40)]
    events, _, _, _ = debugged(example, breakpoints, then)
    assert without_pauses(events) == without_pauses(plain(example))
    assert [e.seq for e in events] == list(range(len(events)))


def test_moments_are_methods_of_the_recorder() -> None:
    """A stop after a moment that was renamed would be skipped."""
    assert {*MOMENTS} <= {*Recorder(lambda _: None).part_methods}


def test_nothing_is_left_behind() -> None:
    """No debugger and no listener remain after a run."""
    debugged(PROGRAM, [line(8)], ["moment", "end"])
    assert hub.debugger is None and hub.listener is None


def test_a_step_to_an_event_stops_before_the_next_one_where_it_can() -> None:
    """A program cannot stop at a release: it stops at the next line or node."""
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
    """A program for random commands."""
    return EXAMPLES[request.param]
