"""Protects breakpoints on tensors, by identity or variable: created, changed, released, and on their gradients."""

from __future__ import annotations

from typing import Any

import pytest
from breakpoint_stops import PROGRAM, UNHOOKED, places, stops
from debugged import debugged, plain

from backscope.protocol import commands as c, events as ev


@pytest.mark.parametrize("source", [PROGRAM, UNHOOKED], ids=["stepwise pass", "fast pass"])
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
    """Each event of the tensor that a variable holds stops the program."""
    assert [(s.line, s.where) for s in stops({"on": "tensor", "tensor": name, "when": when}, source=source)] == found


def test_a_change_through_other_tensors() -> None:
    """A tensor changes too where `.data` or a view of it does."""
    source = "import torch\nx = torch.ones(2, requires_grad=True)\nx.data.mul_(3)\ny = torch.zeros(2)\ny[0] = 1\n"
    assert [s.line for s in stops({"on": "tensor", "tensor": "x", "when": "changed"}, source=source)] == [3]
    assert [s.line for s in stops({"on": "tensor", "tensor": "y", "when": "changed"}, source=source)] == [5]


@pytest.mark.parametrize("optimizer", ["SGD", "Adam"])
def test_a_change_by_an_optimizer(optimizer: str) -> None:
    """Each step changes the parameters once; it may leave the first NaN or infinity too."""
    source = (
        f"import torch\nw = torch.ones(2, requires_grad=True)\nopt = torch.optim.{optimizer}([w], lr=LR)\n"
        "for i in range(2):\n    opt.zero_grad()\n    (w * w).sum().backward()\n    opt.step()\npass\n"
    )
    steps = source.replace("LR", "0.1")
    assert [s.line for s in stops({"on": "tensor", "tensor": "w", "when": "changed"}, source=steps)] == [7, 7]
    first = places({"on": "non_finite"}, source=source.replace("LR", "float('inf')"))[0]
    assert first == (7, "moment", f"{optimizer}.step left a NaN or an infinity in memory.")


def test_every_tensor_that_is_created() -> None:
    """Each has a stop by its identity: gradients, `.data`, results of custom Functions, arguments of hooks."""
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
    """A change of shared memory stops for the row that changed, and for no other row."""
    source = "import torch\nx = torch.zeros(3, 2)\nrows = list(x)\nx[1] = 1\nx.add_(1)\n"
    events = plain(source)
    numbers = next([i.tensor for i in e.outputs] for e in events if isinstance(e, ev.OpApplied) and e.op == "unbind")
    found = [[s.line for s in stops({"on": "tensor", "tensor": n, "when": "changed"}, source=source)] for n in numbers]
    assert found == [[5], [4, 5], [5]]


def test_a_tensor_by_identity() -> None:
    """The identity is the one in the log."""
    events = plain(PROGRAM)
    made = next(e.outputs[0].tensor for e in events if isinstance(e, ev.OpApplied) and e.op == "log")
    assert places({"on": "tensor", "tensor": made, "when": "created"}) == [(6, "moment", None)]
    assert places({"on": "tensor", "tensor": made, "when": "gradient"}) == [(9, "before node", None)]


@pytest.mark.parametrize("name", ["net.0.weight", "net[0].weight"])
def test_a_parameter_by_its_path(name: str) -> None:
    """The path may be spelled as in the log or as in Python."""
    source = (
        "import torch\nnet = torch.nn.Sequential(torch.nn.Linear(2, 1))\n"
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\nnet(torch.ones(1, 2)).sum().backward()\nopt.step()\n"
        "net = None\nopt = None\npass\n"
    )
    for when, line in (("created", 2), ("gradient", 4), ("accumulated", 4), ("changed", 5), ("released", 8)):
        assert [s.line for s in stops({"on": "tensor", "tensor": name, "when": when}, source=source)] == [line], when


def test_the_release_of_a_tensor_that_exists_already() -> None:
    """Its release stops the program, though another breakpoint keeps its node alive."""
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
