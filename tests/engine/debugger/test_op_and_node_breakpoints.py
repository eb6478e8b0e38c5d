"""Protects breakpoints on ops, nodes, hooks and freed saved tensors: where they stop, with the log unchanged."""

from __future__ import annotations

import pytest
from breakpoint_stops import PROGRAM, UNHOOKED, places, stops
from debugged import debugged, plain

from backscope.protocol import commands as c, events as ev


@pytest.mark.parametrize("source", [PROGRAM, UNHOOKED], ids=["stepwise pass", "fast pass"])
def test_an_op_or_a_node_by_name(source: str) -> None:
    """An op stops after it ran, a node before it runs, and so does a leaf's node."""
    assert places({"on": "op", "name": "log"}, source=source) == [(6, "moment", None)]
    assert places({"on": "op", "name": "LogBackward0"}, source=source) == [(9, "before node", None)]
    assert places({"on": "op", "name": "AccumulateGrad"}, source=source) == [(9, "before node", None)]
    assert places({"on": "op", "name": "add_"}, source=source) == [(11, "moment", None)]


@pytest.mark.parametrize("source", [PROGRAM, UNHOOKED], ids=["stepwise pass", "fast pass"])
def test_a_node_by_identity(source: str) -> None:
    """The program stops before or after it, and the stop names it."""
    (named,) = stops({"on": "op", "name": "LogBackward0"}, source=source)
    assert named.node is not None
    (before,) = stops({"on": "node", "node": named.node}, source=source)
    (after,) = stops({"on": "node", "node": named.node, "when": "after"}, source=source)
    assert (before.where, after.where) == ("before node", "after node")
    assert before.node == after.node == named.node
    assert before.seq < after.seq


def test_an_op_goes_by_its_name_in_the_log() -> None:
    """The name covers every variant of the op."""
    source = (
        "import torch\nw = torch.ones(2, requires_grad=True)\nw.sum()\nw.sum(0)\ntorch.mean(w)\nw.detach().add_(1)\n"
    )
    for name, lines in (("sum", [3, 4]), ("mean", [5]), ("add_", [6]), ("add", [])):
        assert [s.line for s in stops({"on": "op", "name": name}, source=source)] == lines


def test_after_a_node_that_fails() -> None:
    """A breakpoint after a node that raised stops at the error, with a note."""
    source = "import torch\nw = torch.ones(3, requires_grad=True)\ny = w.exp()\ny.add_(1)\ny.sum().backward()\n"
    events = plain(source)
    node = next(e.node.node for e in events if isinstance(e, ev.OpApplied) and e.op == "exp" and e.node)
    assert places({"on": "node", "node": node, "when": "after"}, source=source) == [
        (5, "moment", "ExpBackward0 failed with RuntimeError.")
    ]


def test_some_leaves_of_many() -> None:
    """Leaves without a breakpoint are recorded by one moment; the others stop before and after."""
    source = (
        "import torch\na, b, d = (torch.ones(2, requires_grad=True) for _ in range(3))\nloss = (a * b * d).sum()\n"
        "loss.backward()\n"
    )
    events = plain(source)
    leaf = next(e.node for e in events if isinstance(e, ev.NodeCreated) and e.name == "AccumulateGrad")
    assert len(places({"on": "op", "name": "AccumulateGrad"}, source=source)) == 3
    assert len(places({"on": "node", "node": leaf, "when": "before"}, source=source)) == 1
    assert len(places({"on": "node", "node": leaf, "when": "after"}, source=source)) == 1
    for when in ("gradient", "accumulated"):
        assert len(places({"on": "tensor", "tensor": "b", "when": when}, source=source)) == 1


@pytest.mark.parametrize("source", [PROGRAM, UNHOOKED], ids=["stepwise pass", "fast pass"])
def test_what_is_freed(source: str) -> None:
    """A breakpoint is on every node that frees saved tensors, or on those of one name."""
    assert places({"on": "freed", "name": "LogBackward0"}, source=source) == [
        (9, "after node", "LogBackward0 freed what it saved.")
    ]
    assert len(stops({"on": "freed"}, source=source)) == 3


def test_what_frees_nothing() -> None:
    """The node of a view's change that saved nothing does not stop the program."""
    source = "import torch\ny = torch.ones(4, requires_grad=True).clone()\ny[:2].add_(1)\ny.sum().backward()\n"
    assert places({"on": "freed"}, source=source) == []


def test_hooks() -> None:
    """A breakpoint is on every hook, or on those of one name."""
    assert places({"on": "hook"}) == [(9, "moment", "The hook <lambda> ran.")]
    assert places({"on": "hook", "name": "other"}) == []


def test_conditions_and_hits_hold_for_all() -> None:
    """They are evaluated in the innermost frame of the program."""
    source = "import torch\nfor i in range(5):\n    x = torch.ones(2) * i\n"
    assert len(stops({"on": "op", "name": "mul", "condition": "i % 2"}, source=source)) == 2
    assert len(stops({"on": "op", "name": "mul", "hits": 4}, source=source)) == 2


def test_several_at_once_stop_once() -> None:
    """The stop has the ids of all of them."""
    (stop,) = stops({"on": "op", "name": "exp"}, {"on": "op", "name": "exp"}, {"on": "op", "name": "tanh"})
    assert stop.breakpoints == [1, 2]


def test_breakpoints_that_are_deleted_within_a_node_stop_no_more() -> None:
    """A stop within a node may change which moments of the pass are checked; a step stops at once, too."""
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


def test_the_path_of_a_module_stops_where_it_is_called() -> None:
    """It is no op: only the calls of that module stop, each at the line that calls it."""
    source = (
        "import torch\nmodel = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.Tanh())\n"
        "for i in range(2):\n    model(torch.ones(1))\n"
    )
    _, stops, answers, _ = debugged(source, [c.OpBreakpoint(id=1, name="model.1")], [c.Resume(id=0)] * 3)
    assert [(stop.line, stop.where) for stop in stops] == [(4, "moment")] * 2
    assert answers[0].pending == []
