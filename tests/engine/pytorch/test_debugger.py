"""Programs on PyTorch under the debugger: where they stop, what is seen and changed there, and what does not change."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from backscope.diagnosis.why import Subject, Tape, ask
from backscope.protocol import commands as c, events as ev
from backscope.protocol.transport import Script

NET = """\
import torch
from torch import nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 3)
    def forward(self, x):
        h = self.fc(x)
        return torch.tanh(h)
model = Net()
x = torch.randn(4, 2)
for step in range(2):
    y = model(x)
    loss = (y * y).mean()
    loss.backward()
print(f"{model.fc.weight.grad.sum().item():.6f}")
"""
GOING_ON = [c.Resume(id=0)] * 50


class Ran:
    """The events of a program under the debugger, its stops, and the answers to the commands."""

    def __init__(self, lines: list[bytes], answers: list[Any]) -> None:
        self.events: list[Any] = [ev.decode(line) for line in lines]
        self.stops = [event for event in self.events if isinstance(event, ev.Paused)]
        self.answers = answers

    def of(self, kind: type) -> list[Any]:
        """The events of a kind."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def printed(self) -> str:
        """What the program printed."""
        return "".join(event.text for event in self.of(ev.OutputPrinted))

    @property
    def plain(self) -> list[Any]:
        """The events without pauses, counted anew."""
        kept = [e for e in self.events if not isinstance(e, (ev.Paused, ev.Resumed))]
        return [type(e)(**{**{f: getattr(e, f) for f in e.__struct_fields__}, "seq": k}) for k, e in enumerate(kept)]


@pytest.fixture
def debugged(room: Any) -> Iterator[Callable[..., Ran]]:
    """Run a program with some breakpoints, and commands at its stops."""
    from backscope.pytorch.debugger import program

    main, hooks = sys.modules["__main__"], _installed()

    def run(source: str, breakpoints: Sequence[c.Breakpoint], then: Sequence[Any] = ()) -> Ran:
        written: list[bytes] = []
        script = Script([c.SetBreakpoints(id=0, breakpoints=list(breakpoints))], then)
        program.run(source, lambda part: written.extend(part.splitlines()), filename="net.py", seed=0, transport=script)
        return Ran(written, script.answers)

    yield run
    sys.modules["__main__"] = main
    assert _installed() == hooks


def _installed() -> tuple[Any, ...]:
    """What recordings and debuggers replace."""
    import torch
    from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

    return (
        torch.autograd.backward, torch.autograd.Function.__dict__["apply"].__func__, sys.stdout,
        len(torch.nn.modules.module._global_forward_hooks), len(_get_current_dispatch_mode_stack()),
    )  # fmt: skip


def test_the_log_is_that_of_a_plain_run(debugged: Callable[..., Ran]) -> None:
    """Stops and steps add pauses alone."""
    plain = debugged(NET, [])
    stopped = debugged(NET, [c.LineBreakpoint(id=1, line=9)], [c.Step(id=0, to="moment")] * 500)
    assert len(stopped.stops) > 30
    assert [type(e).__name__ for e in stopped.plain] == [type(e).__name__ for e in plain.events]
    assert stopped.printed == plain.printed
    by_line = debugged(NET, [c.LineBreakpoint(id=1, line=9)], [c.Step(id=0, to="into")] * 500)
    assert by_line.printed == plain.printed and {s.line for s in by_line.stops} >= {9, 10, 14, 15, 16}


@pytest.mark.parametrize(
    ("at", "where", "count"),
    [
        (c.LineBreakpoint(id=1, line=10), "line", 2),
        (c.LineBreakpoint(id=1, line=10, condition="step == 1"), "line", 1),
        (c.OpBreakpoint(id=1, name="tanh"), "moment", 2),
        (c.OpBreakpoint(id=1, name="linear"), "moment", 2),
        (c.OpBreakpoint(id=1, name="model.fc"), "moment", 2),
        (c.OpBreakpoint(id=1, name="TanhBackward0"), "before node", 2),
        (c.OpBreakpoint(id=1, name="AccumulateGrad"), "before node", 4),
        (c.OpBreakpoint(id=1, name="TanhBackward0", condition="grad.norm() > 100"), "before node", 0),
        (c.TensorBreakpoint(id=1, tensor="y", when="gradient"), "before node", 2),
        (c.TensorBreakpoint(id=1, tensor="model.fc.bias", when="accumulated"), "after node", 2),
        (c.TensorBreakpoint(id=1, tensor="y", when="released"), "line", 1),
        (c.GradientNormBreakpoint(id=1, above=0.9), "before node", 2),
        (c.FreedBreakpoint(id=1, name="TanhBackward0"), "after node", 2),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, c.Breakpoint) else str(value),
)  # fmt: skip
def test_breakpoints(debugged: Callable[..., Ran], at: c.Breakpoint, where: str, count: int) -> None:
    """Each kind stops where its words say."""
    ran = debugged(NET, [at], GOING_ON)
    assert [stop.where for stop in ran.stops] == [where] * count
    assert all(stop.stack[-1].line == stop.line for stop in ran.stops)


def test_the_first_nan_and_errors(debugged: Callable[..., Ran]) -> None:
    """What makes a NaN of finite numbers stops, forward and backward; masks of infinities do not."""
    source = (
        "import torch\nw = torch.tensor([0.0, 4.0], requires_grad=True)\n"
        "mask = torch.full((2,), float('-inf'))\n"
        "m = w.masked_fill(torch.tensor([True, False]), float('-inf'))\n"
        "s = w.sqrt()\ns.sum().backward()\nl = w.log()\nk = l * 0\n"
        "try:\n    a = w.exp()\n    a.add_(1)\n    a.sum().backward()\n"
        "except RuntimeError:\n    pass\nraise KeyError(3)\n"
    )
    ran = debugged(source, [c.NonFiniteBreakpoint(id=1), c.ExceptionBreakpoint(id=2)], GOING_ON)
    assert [(stop.line, stop.where, stop.breakpoints) for stop in ran.stops] == [
        (6, "after node", [1]), (7, "moment", [1]), (12, "moment", [2]), (15, "line", [2]),
    ]  # fmt: skip
    assert ran.of(ev.ErrorRaised)[-1].type == "KeyError"


def test_a_gradient_is_changed_and_goes_on(debugged: Callable[..., Ran]) -> None:
    """It is the node that computes with it; elements of a shared gradient are changed for this node alone."""
    source = (
        "import torch\na = torch.ones(3, requires_grad=True)\nb = torch.ones(3, requires_grad=True)\n"
        "s = (a * 2) + (b * 3)\ns.sum().backward()\nprint(a.grad.tolist(), b.grad.tolist())\n"
    )
    at = [c.OpBreakpoint(id=1, name="MulBackward0")]
    asked = [
        c.Evaluate(id=1, expression="grad"),
        c.Evaluate(id=2, expression="saved.other"),
        c.Assign(id=3, target="grad", expression="grad[:2]"),
        c.Assign(id=4, target="grad[1]", expression="grad[1] * 50"),
        c.Evaluate(id=5, expression="grad.tolist()"),
        c.ListLocals(id=6),
        c.Resume(id=7),
        c.Evaluate(id=8, expression="grad.tolist()"),
        c.Assign(id=9, target="node", expression="1"),
        c.Assign(id=10, target="grads", expression="[grad * 7]"),
        c.Resume(id=11),
    ]
    ran = debugged(source, at, asked)
    answers = {answer.id: answer for answer in ran.answers}
    assert answers[1].look.text == "tensor([1., 1., 1.])" and answers[1].look.value.shape == [3]
    assert answers[3].reason == "grad has the shape [3]; this has [2]."
    assert answers[5].look.text == "[1.0, 50.0, 1.0]" and answers[8].look.text == "[1.0, 1.0, 1.0]"
    assert [v.name for v in answers[6].variables][:3] == ["grads", "grad", "node"]
    assert isinstance(answers[9], c.Refused) and isinstance(answers[10], c.Done)
    grads = ran.printed.strip()
    assert grads in ("[2.0, 100.0, 2.0] [21.0, 21.0, 21.0]", "[14.0, 14.0, 14.0] [3.0, 150.0, 3.0]")
    assert [(e.target, e.expression) for e in ran.of(ev.ValueChanged)] == [
        ("grad[1]", "grad[1] * 50"), ("grads", "[grad * 7]"),
    ]  # fmt: skip
    started = [e.gradients[0].values for e in ran.of(ev.NodeStarted) if e.gradients[0].shape == [3]]
    assert [1.0, 50.0, 1.0] in started and [7.0, 7.0, 7.0] in started


def test_assignments_to_variables_and_elements(debugged: Callable[..., Ran]) -> None:
    """They are the program's from there on, inside a pass too, and recorded."""
    source = (
        "import torch\nw = torch.ones(2, requires_grad=True)\ndef f(k):\n    return w * k\n"
        "y = f(2).sum()\ny.backward()\nprint(y.item(), w.grad.tolist())\n"
    )
    ran = debugged(
        source,
        [c.LineBreakpoint(id=1, line=4), c.LineBreakpoint(id=2, line=7)],
        [
            c.Assign(id=1, target="k", expression="5"),
            c.Resume(id=2),
            c.Assign(id=3, target="w.grad[0]", expression="9.0"),
            c.Evaluate(id=4, expression="torch.rand(1)"),
            c.Resume(id=5),
        ],
    )
    assert ran.printed == "10.0 [9.0, 5.0]\n"
    changed = ran.of(ev.ValueChanged)
    assert [(e.function, e.target) for e in changed] == [("f", "k"), ("<module>", "w.grad[0]")]
    assert any(e.seq > changed[1].seq for e in ran.of(ev.TensorMutated))


def test_tensors_are_read_whole(debugged: Callable[..., Ran]) -> None:
    """Elements, statistics and layout of a tensor by its number."""
    source = "import torch\nw = torch.arange(6.0).reshape(2, 3).t()\nprint('end')\n"
    first = debugged(source, [c.LineBreakpoint(id=1, line=3)], [c.Evaluate(id=1, expression="w")])
    number = first.answers[1].look.tensor
    asked = [c.ReadTensor(id=1, tensor=number, begin=[1], end=[2]), c.MeasureTensor(id=2, tensor=number)]
    ran = debugged(source, [c.LineBreakpoint(id=1, line=3)], [*asked, c.ReadTensor(id=3, tensor=999)])
    _, read, measured, gone = ran.answers
    assert (read.shape, read.values) == ([1, 2], [1.0, 4.0])
    assert (measured.strides, measured.contiguous, measured.mean) == ([1, 3], False, 2.5)
    assert gone.reason == "Tensor 999 is gone, or never was."


def test_a_node_in_a_thread_of_pytorch_shows_the_callers_frames(debugged: Callable[..., Ran]) -> None:
    """From the 60th level of passes within passes on, nodes run in threads as they do for devices."""
    source = (
        "import torch\nclass Deep(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x, depth):\n"
        "        ctx.depth = depth\n        return x.clone()\n    @staticmethod\n    def backward(ctx, g):\n"
        "        if ctx.depth:\n            with torch.enable_grad():\n"
        "                y = torch.ones(2, requires_grad=True)\n"
        "                Deep.apply(y * 1, ctx.depth - 1).sum().backward()\n"
        "        return g, None\nx = torch.ones(2, requires_grad=True)\nDeep.apply(x.cos(), 66).sum().backward()\n"
        "print(x.grad.tolist())\n"
    )
    ran = debugged(source, [c.OpBreakpoint(id=1, name="MulBackward0", hits=64)], [
        c.Evaluate(id=1, expression="grad.tolist()"),
        c.Evaluate(id=2, expression="threading.get_ident()"),
        c.Assign(id=3, target="grad", expression="grad * 3"),
        c.Step(id=4, to="end"),
    ])  # fmt: skip
    assert ran.answers[1].look.text == "[1.0, 1.0]" and len(ran.stops) == 1
    assert ran.of(ev.ProgramFinished)[0].status == "ok"


def test_other_threads_and_processes_are_left_alone(debugged: Callable[..., Ran]) -> None:
    """Workers of a loader run the program's lines, and take no commands."""
    source = (
        "import threading\nimport torch\nfrom torch.utils.data import DataLoader, Dataset\nclass Data(Dataset):\n"
        "    def __len__(self):\n        return 4\n"
        "    def __getitem__(self, k):\n        return torch.tensor(float(k))\n"
        "total = 0\nfor batch in DataLoader(Data(), batch_size=2, num_workers=1):\n    total += batch.sum().item()\n"
        "def work():\n    global total\n    total += 10\none = threading.Thread(target=work)\none.start()\none.join()\n"
        "print(total)\n"
    )
    at = [c.LineBreakpoint(id=1, line=8), c.LineBreakpoint(id=2, line=14), c.LineBreakpoint(id=3, line=18)]
    ran = debugged(source, at, GOING_ON)
    assert [stop.line for stop in ran.stops] == [18] and ran.printed == "16.0\n"


def test_an_error_of_the_debugger_never_reaches_the_program(
    debugged: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The recording ends and says so; the program goes on."""
    from backscope.pytorch.debugger.matching import TorchMatching

    def fails(*_: object) -> None:
        raise ValueError("ours")

    monkeypatch.setattr(TorchMatching, "before_node", fails)
    ran = debugged(NET, [c.OpBreakpoint(id=1, name="TanhBackward0")], GOING_ON)
    assert not ran.stops and ran.of(ev.ProgramFinished)[0].status == "ok"
    assert "ours" in ran.of(ev.WarningRaised)[0].message
    assert threading.active_count() >= 1


def test_names_that_nothing_has(debugged: Callable[..., Ran]) -> None:
    """A note says so, with what may be meant."""
    ran = debugged(NET, [c.OpBreakpoint(id=1, name="MulBackward"), c.OpBreakpoint(id=2, name="mull")])
    assert [one.note.partition("Did")[2] for one in ran.answers[0].pending] == [
        " you mean MulBackward0?",
        " you mean mul?",
    ]


SHARED = """\
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
a = w * 3
y = a * a
z = y + a
z.sum().backward(create_graph=CREATE)
print(w.grad.tolist())
"""


@pytest.mark.parametrize("create", [False, True])
def test_a_gradient_that_was_sent_is_changed(debugged: Callable[..., Ran], create: bool) -> None:
    """The later gradient_sent counts, with the sums after it: in the pass, in `why` and in what the log says of it."""
    changes = [
        c.Assign(id=1, target="sent[0]", expression="sent[0] * 10"),
        c.Assign(id=2, target="sent[1]", expression="7"),
        c.Assign(id=3, target="sent[1]", expression="None"),
        c.Evaluate(id=4, expression="[one.tolist() for one in sent]"),
    ]
    plain = debugged(SHARED.replace("CREATE", str(create)), [])
    node = next(op.node.node for op in plain.of(ev.OpApplied) if op.line == 4)
    at = c.NodeBreakpoint(id=1, node=node, when="after")
    ran = debugged(SHARED.replace("CREATE", str(create)), [at], [*changes, *GOING_ON])
    refused = [answer.reason for answer in ran.answers if isinstance(answer, c.Refused)]
    assert refused[:1] == ["What was sent cannot be taken back; 0 sets all elements to zero."]
    looked = next(answer.look.text for answer in ran.answers if isinstance(answer, c.Evaluated))
    assert looked == "[[30.0, 60.0], [7.0, 7.0]]"
    assert ran.printed == "[114.0, 204.0]\n"
    sent = [e for e in ran.of(ev.GradientSent) if e.node == node]
    assert len(sent) == (2 if create else 5)
    assert [(e.input_nr, e.value.values, e.total.values) for e in sent[-2:]][-1] == (1, [7, 7], [38, 68])
    tape = Tape(ran.events)
    why = ask(tape, tape.seq, "grad_value", Subject(tensor=ran.of(ev.GradAccumulated)[0].tensor)).cause
    assert "In the debugger, sent[0] was set to sent[0] * 10 at line 6 while the gradient was on its way." in why
    arrived = tape.nodes[sent[0].to_node].arrived_in(sent[0].call, tape.seq)
    assert [one.value.values for one in arrived] == [[1, 1], [30, 60], [7, 7]]
