"""Breakpoints on what happens: where they stop, what they say, and that they change nothing else."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from debugged import debugged, plain, without_pauses

from backscope.debugger.breakpoint import Armed
from backscope.debugger.matching import Matching
from backscope.protocol import commands as c, events as ev
from backscope.recorder.recorder import Recorder

PROGRAM = """\
import torch
def boom(a):
    b = a + 1
    raise ValueError("no")
w = torch.tensor([1.0, 0.0], requires_grad=True)
y = w.log()
z = (y * w).exp().sum()
h = w.register_hook(lambda g: g)
z.backward()
with torch.no_grad():
    w += 1
try:
    boom(3)
except ValueError:
    pass
y = None
z.backward()
"""
UNHOOKED = PROGRAM.replace("h = w.register_hook(lambda g: g)", "h = None")


def stops(*breakpoints: dict[str, Any], source: str = PROGRAM) -> list[ev.Paused]:
    """Where these breakpoints stop; asserts that the log is otherwise that of a plain run."""
    given = [msgspec.convert({"id": n, **b}, c.Breakpoint) for n, b in enumerate(breakpoints, 1)]
    events, found, _, _ = debugged(source, given, [c.Resume(id=0)] * 99)
    assert without_pauses(events) == without_pauses(plain(source))
    return found


def told(*breakpoints: dict[str, Any], source: str = PROGRAM) -> list[tuple[int | None, str, str | None]]:
    """Line, place and note of each stop."""
    return [(s.line, s.where, s.note) for s in stops(*breakpoints, source=source)]


@pytest.mark.parametrize("source", [PROGRAM, UNHOOKED], ids=["stepwise pass", "told pass"])
def test_an_op_or_a_node_by_name(source: str) -> None:
    """Ops after they ran, nodes before they run, leaves too."""
    assert told({"on": "op", "name": "log"}, source=source) == [(6, "moment", None)]
    assert told({"on": "op", "name": "LogBackward0"}, source=source) == [(9, "before node", None)]
    assert told({"on": "op", "name": "AccumulateGrad"}, source=source) == [(9, "before node", None)]
    assert told({"on": "op", "name": "add_"}, source=source) == [(11, "moment", None)]


@pytest.mark.parametrize("source", [PROGRAM, UNHOOKED], ids=["stepwise pass", "told pass"])
def test_a_node_by_identity(source: str) -> None:
    """Before and after it runs; the stop names it."""
    (named,) = stops({"on": "op", "name": "LogBackward0"}, source=source)
    assert named.node is not None
    (before,) = stops({"on": "node", "node": named.node}, source=source)
    (after,) = stops({"on": "node", "node": named.node, "when": "after"}, source=source)
    assert (before.where, after.where) == ("before node", "after node")
    assert before.node == after.node == named.node
    assert before.seq < after.seq


@pytest.mark.parametrize("source", [PROGRAM, UNHOOKED], ids=["stepwise pass", "told pass"])
@pytest.mark.parametrize(
    ("when", "name", "found"),
    [
        ("created", "w", [(5, "moment")]),
        ("created", "y", [(6, "moment")]),
        ("changed", "w", [(11, "moment")]),
        ("gradient", "w", [(9, "before node")]),
        ("gradient", "y", [(9, "before node")]),
        ("accumulated", "w", [(9, "moment")]),
        ("released", "y", [(17, "line")]),
        ("changed", "nowhere", []),
    ],
)
def test_a_tensor_by_name(source: str, when: str, name: str, found: list[Any]) -> None:
    """What happens to what a variable holds."""
    assert [(s.line, s.where) for s in stops({"on": "tensor", "tensor": name, "when": when}, source=source)] == found


def test_a_change_through_other_tensors() -> None:
    """A tensor changes too where `.data` or a view of it does."""
    source = "import torch\nx = torch.ones(2, requires_grad=True)\nx.data.mul_(3)\ny = torch.zeros(2)\ny[0] = 1\n"
    assert [s.line for s in stops({"on": "tensor", "tensor": "x", "when": "changed"}, source=source)] == [3]
    assert [s.line for s in stops({"on": "tensor", "tensor": "y", "when": "changed"}, source=source)] == [5]


@pytest.mark.parametrize("optimizer", ["SGD", "Adam"])
def test_a_change_by_an_optimizer(optimizer: str) -> None:
    """A step changes its parameters, once a step; also where it leaves the first NaN or infinity."""
    source = (
        f"import torch\nw = torch.ones(2, requires_grad=True)\nopt = torch.optim.{optimizer}([w], lr=LR)\n"
        "for i in range(2):\n    opt.zero_grad()\n    (w * w).sum().backward()\n    opt.step()\npass\n"
    )
    steps = source.replace("LR", "0.1")
    assert [s.line for s in stops({"on": "tensor", "tensor": "w", "when": "changed"}, source=steps)] == [7, 7]
    first = told({"on": "non_finite"}, source=source.replace("LR", "float('inf')"))[0]
    assert first == (7, "moment", f"{optimizer}.step left a NaN or an infinity in memory.")


def test_every_tensor_that_comes_to_be() -> None:
    """By its identity: gradients, `.data`, results of custom Functions, what a hook is given."""
    source = (
        "import torch\nclass F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x): return x * 2\n"
        "    @staticmethod\n    def backward(ctx, g): return g * 2\nw = torch.ones(2, requires_grad=True)\n"
        "y = F.apply(w)\nd = w.data\ny.register_hook(lambda g: g * 1)\ny.sum().backward()\npass\n"
    )
    events = plain(source)
    made = [e.info.tensor for e in events if isinstance(e, ev.TensorCreated)]
    made += [out.tensor for e in events if isinstance(e, ev.OpApplied) for out in e.outputs]
    for number in dict.fromkeys(made):
        assert len(stops({"on": "tensor", "tensor": number, "when": "created"}, source=source)) == 1


def test_a_change_of_one_without_a_name() -> None:
    """By its identity, where the change comes through the memory that it shares; no other row stops the program."""
    source = "import torch\nx = torch.zeros(3, 2)\nrows = list(x)\nx[1] = 1\nx.add_(1)\n"
    told = plain(source)
    numbers = next([i.tensor for i in e.outputs] for e in told if isinstance(e, ev.OpApplied) and e.op == "unbind")
    found = [[s.line for s in stops({"on": "tensor", "tensor": n, "when": "changed"}, source=source)] for n in numbers]
    assert found == [[5], [4, 5], [5]]


def test_a_tensor_by_identity() -> None:
    """The one that the log names so."""
    events = plain(PROGRAM)
    made = next(e.outputs[0].tensor for e in events if isinstance(e, ev.OpApplied) and e.op == "log")
    assert told({"on": "tensor", "tensor": made, "when": "created"}) == [(6, "moment", None)]
    assert told({"on": "tensor", "tensor": made, "when": "gradient"}) == [(9, "before node", None)]


def test_the_first_bad_number() -> None:
    """Forward and backward, only where it comes of finite ones, with the culprit's name."""
    assert told({"on": "non_finite"}) == [(6, "moment", "The op log made a NaN or an infinity of finite numbers.")]
    source = "import torch\nx = torch.tensor([1.0, float('inf')])\ny = x * 2\nz = torch.ones(2)\nz[0] = float('nan')\n"
    assert [line for line, _, _ in told({"on": "non_finite"}, source=source)] == [2, 5]
    large = "import torch\nx = torch.full((4,), 3e38)\ny = x + 0\nn = torch.tensor(1e308, dtype=torch.float64) * 10\n"
    assert [line for line, _, _ in told({"on": "non_finite"}, source=large)] == [4]


def test_what_a_bad_number_spoils_is_no_news() -> None:
    """Neither parameters that a NaN gradient moves, by hand or by an optimizer, nor nodes that saved NaN then."""
    head = "import torch\nw = torch.tensor([0.0, 4.0], requires_grad=True)\n"
    by_hand = (
        "for i in range(3):\n    (w * w).sqrt().sum().backward()\n    with torch.no_grad():\n"
        "        w -= 0.1 * w.grad\n        w.mul_(0.9)\n    w.grad = None\n"
    )
    by_optimizer = (
        "for i in range(3):\n    (w * w).sqrt().sum().backward()\n    torch.optim.SGD([w], lr=0.1).step()\n"
        "    w.grad = None\n"
    )
    for loop in (by_hand, by_optimizer):
        found = told({"on": "non_finite"}, source=head + loop)
        assert found == [(4, "after node", "SqrtBackward0 made a NaN or an infinity of a finite gradient.")]
    another = "x = torch.zeros(2)\nx.log_()\n"
    assert [line for line, _, _ in told({"on": "non_finite"}, source=head + by_hand + another)] == [4, 10]


def test_breakpoints_that_are_deleted_within_a_node_stop_no_more() -> None:
    """What a pass tells is asked anew after a stop that a node's telling was; a step stops at once, too."""
    source = (
        "import torch\nx = torch.ones(2, requires_grad=True)\ny = x\nfor i in range(5):\n    y = y * 2\n"
        "y.sum().backward()\n"
    )
    given = [c.GradientNormBreakpoint(id=1, above=0.5)]
    none = c.SetBreakpoints(id=0, breakpoints=[])
    _, found, _, _ = debugged(source, given, [c.Resume(id=0), none, *[c.Resume(id=0)] * 9])
    assert [s.note for s in found] == [
        "The gradient of SumBackward0 has norm 1.",
        "The gradient of MulBackward0 has norm 1.41421.",
    ]
    _, found, _, _ = debugged(source, given, [none, c.Step(id=0, to="moment"), *[c.Resume(id=0)] * 9])
    assert len(found) == 2 and found[1].reason == "step" and found[1].seq < found[0].seq + 9


@pytest.mark.parametrize("name", ["net.0.weight", "net[0].weight"])
def test_a_parameter_by_its_path(name: str) -> None:
    """As the log writes it and as Python does, from where the module gets its name."""
    source = (
        "import torch\nnet = torch.nn.Sequential(torch.nn.Linear(2, 1))\n"
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\nnet(torch.ones(1, 2)).sum().backward()\nopt.step()\n"
        "net = None\nopt = None\npass\n"
    )
    for when, line in (("created", 2), ("gradient", 4), ("accumulated", 4), ("changed", 5), ("released", 8)):
        assert [s.line for s in stops({"on": "tensor", "tensor": name, "when": when}, source=source)] == [line], when


def test_nan_of_a_number() -> None:
    """A NaN that the program gives an op as a number begins there, also in a hook; an infinity may be a mask."""
    source = (
        "import torch\nw = torch.ones(2, requires_grad=True)\ny = w * 2\n"
        "y.register_hook(lambda g: g * float('nan'))\ny.sum().backward()\n"
    )
    assert told({"on": "non_finite"}, source=source) == [
        (4, "moment", "The op mul made a NaN of a number that is NaN.")
    ]
    assert told({"on": "non_finite"}, source="import torch\nx = torch.ones(2) - float('inf')\n") == []


def test_what_frees_nothing() -> None:
    """A change of a view that saved nothing is not stopped at as one that freed it."""
    source = "import torch\ny = torch.ones(4, requires_grad=True).clone()\ny[:2].add_(1)\ny.sum().backward()\n"
    assert told({"on": "freed"}, source=source) == []


def test_nan_of_infinities() -> None:
    """What is given an infinity, as a mask is, does not make it, and NaN that comes of it is the first bad number."""
    source = (
        "import torch\ns = torch.zeros(2, requires_grad=True)\nm = torch.tensor([True, True])\n"
        "a = s.masked_fill(m, float('-inf'))\np = a.softmax(0)\nb = p + 1\n"
    )
    assert told({"on": "non_finite"}, source=source) == [(5, "moment", "The op softmax made a NaN of an infinity.")]
    source = "import torch\nx = torch.ones(2, requires_grad=True)\n((x - 1) ** 2).sum().sqrt().backward()\n"
    assert [note for _, _, note in told({"on": "non_finite"}, source=source)] == [
        "SqrtBackward0 made a NaN or an infinity of a finite gradient."
    ]


def test_some_leaves_of_many() -> None:
    """Leaves that no breakpoint is at are told in one; those that one is at stop before and after as ever."""
    source = (
        "import torch\na, b, d = (torch.ones(2, requires_grad=True) for _ in range(3))\nloss = (a * b * d).sum()\n"
        "loss.backward()\n"
    )
    events = plain(source)
    leaf = next(e.node for e in events if isinstance(e, ev.NodeCreated) and e.name == "AccumulateGrad")
    assert len(told({"on": "op", "name": "AccumulateGrad"}, source=source)) == 3
    assert len(told({"on": "node", "node": leaf, "when": "before"}, source=source)) == 1
    assert len(told({"on": "node", "node": leaf, "when": "after"}, source=source)) == 1
    for when in ("gradient", "accumulated"):
        assert len(told({"on": "tensor", "tensor": "b", "when": when}, source=source)) == 1


def test_norms_of_gradients() -> None:
    """Over and under a bound, of nodes and of leaves."""
    source = "import torch\nw = torch.ones(4, requires_grad=True)\n(w * 3).sum().backward()\n"
    assert [note for _, _, note in told({"on": "gradient_norm", "above": 5}, source=source)] == [
        "The gradient of AccumulateGrad has norm 6."
    ]
    assert [note for _, _, note in told({"on": "gradient_norm", "below": 1.5}, source=source)] == [
        "The gradient of SumBackward0 has norm 1."
    ]


@pytest.mark.parametrize("size", [1e-25, 1.0, 1e25])
def test_norms_whose_squares_no_float32_holds(size: float) -> None:
    """Of arrays and of single numbers."""
    for shape, norm in (("4", 2 * size), ("()", size)):
        source = f"import torch\nw = torch.ones({shape}, requires_grad=True)\n(w * {size}).sum().backward()\n"
        for bound, expected in (({"above": norm * 0.9}, True), ({"above": norm * 1.1}, False)):
            notes = [note for _, _, note in told({"on": "gradient_norm", **bound}, source=source)]
            assert (f"The gradient of AccumulateGrad has norm {norm:.6g}." in notes) is expected
        for bound, expected in (({"below": norm * 1.1}, True), ({"below": norm * 0.9}, False)):
            notes = [note for _, _, note in told({"on": "gradient_norm", **bound}, source=source)]
            assert (f"The gradient of AccumulateGrad has norm {norm:.6g}." in notes) is expected


GRADIENTS_THAT_CHANGE = {
    "fan-in": "x = w * 2\n(x * 3 + x * 40 + x.exp()).sum().backward()\n",
    "in its own memory": "x = w * 2\ny = x * 1\n(y.view(20, 20).t().reshape(400) + y * 300 + x).sum().backward()\n",
    "hook in place": "x = w * 2\nx.register_hook(lambda g: g.mul_(100))\n(x + 1).sum().backward()\n",
    "hook of a leaf": "w.register_hook(lambda g: g * 100)\nx = w * 2\n(x + w).sum().backward()\n",
    "hook of a leaf in place": "w.register_hook(lambda g: g.mul_(100))\n(w + (w + 1) * 1).sum().backward()\n",
    "Function in place": (
        "class Grow(torch.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, x):\n"
        "        return x * 1\n"
        "    @staticmethod\n"
        "    def backward(ctx, g):\n"
        "        return g.mul_(1000)\n"
        "x = w * 1\n((Grow.apply(x) + x.sin()) * 2).sum().backward()\n"
    ),
    "passed on": "x = (w + 1).view(20, 20) + 0\n(x + 2).sum().backward()\n((w - 1) * 30).sum().backward()\n",
    "infinity": "x = w * 0\n(x.sqrt() + x).sum().backward()\n",
    "overflow": "(w * 3e38 * 10).sum().backward()\n",
}


@pytest.mark.parametrize("shape", ["400", "2", "()"])
@pytest.mark.parametrize("what", GRADIENTS_THAT_CHANGE)
def test_one_product_for_two_questions(what: str, shape: str) -> None:
    """A norm and NaN asked for together stop where each alone does, however gradients change on their way."""
    if shape != "400" and "view" in GRADIENTS_THAT_CHANGE[what]:
        pytest.skip("views a square")
    source = f"import torch\nw = torch.ones({shape}, requires_grad=True)\n" + GRADIENTS_THAT_CHANGE[what]
    non_finite = {"on": "non_finite"}
    for bound in ({"above": 50}, {"above": 1e30}, {"below": 45}, {"above": 900, "below": 25}):
        norm = {"on": "gradient_norm", **bound}
        alone = [*told(norm, source=source), *told(non_finite, source=source)]
        both = told(norm, non_finite, source=source)
        for line, where, note in alone:
            assert any(stop[:2] == (line, where) and note in (stop[2] or "") for stop in both), (note, both)
        assert len(both) <= len(alone)


@pytest.mark.parametrize("source", [PROGRAM, UNHOOKED], ids=["stepwise pass", "told pass"])
def test_what_is_freed(source: str) -> None:
    """By any node, or by those of a name."""
    assert told({"on": "freed", "name": "LogBackward0"}, source=source) == [
        (9, "after node", "LogBackward0 freed what it saved.")
    ]
    assert len(stops({"on": "freed"}, source=source)) == 3


def test_hooks() -> None:
    """Any, or those of a name."""
    assert told({"on": "hook"}) == [(9, "moment", "The hook <lambda> ran.")]
    assert told({"on": "hook", "name": "other"}) == []


def test_exceptions_before_their_frame_is_gone() -> None:
    """In the innermost function of the program, at the line that raised; once each; by type and its bases."""
    first, second = stops({"on": "exception"})
    assert (first.line, first.note, [t.function for t in first.stack]) == (
        4,
        "ValueError was raised: no",
        ["<module>", "boom"],
    )
    assert (second.line, second.note) == (
        17,
        "RuntimeError was raised: Trying to backward through the graph a second time (or directly access saved ten...",
    )
    assert [line for line, _, _ in told({"on": "exception", "type": "ArithmeticError"})] == []
    assert [line for line, _, _ in told({"on": "exception", "type": "Exception"})] == [4, 17]


def test_an_exception_that_is_caught_where_it_is_raised() -> None:
    """Also stops, where it is caught."""
    source = "def f():\n    try:\n        {}['k']\n    except KeyError:\n        return 1\nf()\n"
    (stop,) = stops({"on": "exception"}, source=source)
    assert [t.function for t in stop.stack] == ["<module>", "f"]


@pytest.mark.parametrize(
    "source",
    [
        "def g():\n    try:\n        yield 1\n    finally:\n        print('closed')\nfor x in g():\n    break\n",
        "class A:\n    x = 1 / 1\n    def f(self):\n        'doc'\n        raise KeyError(1)\ntry:\n    A().f()\n"
        "except KeyError as e:\n    import traceback\n    print(traceback.format_exc(), e.__context__)\n",
        "import sys\nsys.exit(3)\n",
        "def f():\n    return 1\n1 / 0\n",
    ],
)
def test_exceptions_are_what_they_are_without(source: str) -> None:
    """Text, traceback and context."""
    stops({"on": "exception", "condition": "False"}, source=source)
    stops({"on": "line", "line": 1}, source=source)


def test_conditions_and_hits_hold_for_all() -> None:
    """In the innermost frame of the program."""
    source = "import torch\nfor i in range(5):\n    x = torch.ones(2) * i\n"
    assert len(stops({"on": "op", "name": "mul", "condition": "i % 2"}, source=source)) == 2
    assert len(stops({"on": "op", "name": "mul", "hits": 4}, source=source)) == 2


def test_several_at_once_stop_once() -> None:
    """With all their numbers."""
    (stop,) = stops({"on": "op", "name": "exp"}, {"on": "op", "name": "exp"}, {"on": "op", "name": "tanh"})
    assert stop.breakpoints == [1, 2]


def test_what_nobody_asks_for_is_not_asked() -> None:
    """A breakpoint on an op leaves the methods of other moments as they are."""
    recorder = Recorder(lambda _: None)
    asked = c.OpBreakpoint(id=1, name="exp")
    assert set(Matching(recorder, [Armed(asked)], lambda: None).moments) == {
        "op",
        "applied",
        "function_applied",
        "accumulating",
    }
    assert not Matching(recorder, [], lambda: None).moments


def test_matches_are_named_like_what_they_follow() -> None:
    """A method of the recorder that is renamed would be passed over in silence."""
    about = [c.TensorBreakpoint(id=1, tensor="w", when=when) for when in ("created", "changed", "gradient")]
    everything = [
        *about,
        c.TensorBreakpoint(id=1, tensor="w", when="accumulated"),
        c.TensorBreakpoint(id=1, tensor="w", when="released"),
        c.NonFiniteBreakpoint(id=1),
        c.GradientNormBreakpoint(id=1, above=1),
        c.FreedBreakpoint(id=1),
        c.HookBreakpoint(id=1),
        c.ExceptionBreakpoint(id=1),
        c.OpBreakpoint(id=1, name="exp"),
    ]
    moments = Matching(Recorder(lambda _: None), [Armed(b) for b in everything], lambda: None).moments
    assert {*moments} <= {*Recorder(lambda _: None).part_methods}


def test_an_op_goes_by_its_name_in_the_log() -> None:
    """Whichever variant of it was called."""
    source = (
        "import torch\nw = torch.ones(2, requires_grad=True)\nw.sum()\nw.sum(0)\ntorch.mean(w)\nw.detach().add_(1)\n"
    )
    for name, lines in (("sum", [3, 4]), ("mean", [5]), ("add_", [6]), ("add", [])):
        assert [s.line for s in stops({"on": "op", "name": name}, source=source)] == lines


def test_after_a_node_that_fails() -> None:
    """Nothing comes after it but the error: there a breakpoint after it stops, and says so."""
    source = "import torch\nw = torch.ones(3, requires_grad=True)\ny = w.exp()\ny.add_(1)\ny.sum().backward()\n"
    events = plain(source)
    node = next(e.node.node for e in events if isinstance(e, ev.OpApplied) and e.op == "exp" and e.node)
    assert told({"on": "node", "node": node, "when": "after"}, source=source) == [
        (5, "moment", "ExpBackward0 failed with RuntimeError.")
    ]


def test_a_tensor_that_is_there_already_is_seen_going() -> None:
    """Set while the program is paused, and with another breakpoint that holds on to its node."""
    source = "import torch\nw = torch.ones(3, requires_grad=True)\nkept = [w * 2]\npass\nkept.clear()\npass\n"
    events = plain(source)
    number = next(e.outputs[0].tensor for e in events if isinstance(e, ev.OpApplied))
    given: list[c.Breakpoint] = [
        c.TensorBreakpoint(id=2, tensor=number, when="gradient"),
        c.TensorBreakpoint(id=3, tensor=number, when="released"),
    ]
    then = [c.SetBreakpoints(id=0, breakpoints=given), c.Resume(id=0), c.Resume(id=0)]
    _, stopped, _, _ = debugged(source, [c.LineBreakpoint(id=1, line=4)], then)
    assert [(s.line, s.breakpoints) for s in stopped] == [(4, [1]), (6, [3])]
