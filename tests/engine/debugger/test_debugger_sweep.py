"""Protects breakpoints in programs with many edge cases: each stops exactly where a plain run's log has its event."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from debugged import debugged, plain

from backscope.protocol import commands as c, events as ev

FUNCTION = (
    "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n"
    "    @staticmethod\n    def backward(ctx, g):\n        return g * 2\n"
)
WEIGHT = "w = torch.ones(4, requires_grad=True)\n"
PROGRAMS = {
    "views": WEIGHT + "a = w * 1\nb = a.view(2, 2)\nc = b[0]\nc.sum().backward()\nb = c = None\npass\n",
    "in place": WEIGHT + "a = w * 2\nv = a[:2]\nv.mul_(3)\na.add_(1)\na.sum().backward()\na = v = None\npass\n",
    "hooks": WEIGHT + "a = w * 2\na.register_hook(lambda g: g * 2)\nw.register_hook(lambda g: g + 1)\n"
    "a.sum().backward()\npass\n",
    "checkpoint": "from torch.utils.checkpoint import checkpoint\n" + WEIGHT
    + "a = checkpoint(lambda x: x.sin().exp(), w, use_reentrant=False)\na.sum().backward()\na = None\npass\n",
    "Function": FUNCTION + WEIGHT + "a = F.apply(w)\na.sum().backward()\na = None\npass\n",
    "create_graph": WEIGHT + "a = (w ** 3).sum()\na.backward(create_graph=True)\n"
    "b = w.grad.sum()\nb.backward()\npass\n",
    "several passes": WEIGHT + "a = (w * w).sum()\na.backward(retain_graph=True)\nw.grad = None\na.backward()\n"
    "(w * 3).sum().backward()\na = None\npass\n",
    "no_grad": WEIGHT + "with torch.no_grad():\n    a = w * 2\n    a.add_(1)\n"
    "(w * a).sum().backward()\na = None\npass\n",
    "optimizer": WEIGHT + "o = torch.optim.Adam([w], lr=0.1)\nfor i in range(2):\n    o.zero_grad()\n"
    "    a = (w * w).sum()\n    a.backward()\n    o.step()\npass\n",
    "exception": WEIGHT + "a = w * w\nb = a.exp()\nb.add_(1)\ntry:\n    b.sum().backward()\n"
    "except RuntimeError:\n    pass\n"
    "(w * 2).sum().backward()\na = None\npass\n",
    "two leaves": "u = torch.ones(3, requires_grad=True)\n" + WEIGHT
    + "(u.sum() + (w * w).sum()).backward()\n(w * 2).sum().backward()\npass\n",
    "func.grad": WEIGHT + "g = torch.func.grad(lambda x: (x * x).sum())(w)\n"
    "j = torch.func.jacrev(lambda x: x * x)(w)\npass\n",
}  # fmt: skip


def stops(source: str, **given: Any) -> list[ev.Paused]:
    """Return the stops of one breakpoint."""
    one: c.Breakpoint = msgspec.convert({"id": 1, **given}, c.Breakpoint)
    return debugged(source, [one], [c.Resume(id=0)] * 299)[1]


@pytest.fixture(params=PROGRAMS)
def source(request: pytest.FixtureRequest) -> str:
    return "import torch\n" + PROGRAMS[request.param]


def test_each_op_in_the_log(source: str) -> None:
    """Each stops at its line alone, also one that a transform or a recorded pass applies; hits count them."""
    lines: dict[str, list[int | None]] = {}
    for e in plain(source):
        if isinstance(e, ev.OpApplied):
            lines.setdefault(e.op, []).append(e.line)
    for name, expected in lines.items():
        assert [s.line for s in stops(source, on="op", name=name)] == expected, name
        assert [s.line for s in stops(source, on="op", name=name, hits=2)] == expected[1:], name
        held = [s.line for s in stops(source, on="op", name=name, condition="w.requires_grad", hits=2)]
        assert held == expected[1:], name


def test_each_gradient_of_a_leaf(source: str) -> None:
    """The stops are where it is complete and where `.grad` was updated, as often as in the log."""
    events = plain(source)
    leaves = {e.node: e.tensor for e in events if isinstance(e, ev.NodeCreated) and e.name == "AccumulateGrad"}
    for leaf in set(leaves.values()):
        started = [e for e in events if isinstance(e, ev.NodeStarted) and leaves.get(e.node) == leaf]
        updated = [e for e in events if isinstance(e, ev.GradAccumulated) and e.tensor == leaf]
        assert len(stops(source, on="tensor", tensor=leaf, when="gradient")) == len(started), leaf
        assert len(stops(source, on="tensor", tensor=leaf, when="accumulated")) == len(updated), leaf


def test_each_gradient_of_an_op_result(source: str) -> None:
    """A tensor that is released by then has one too, at its node, and so has one made after another pass."""
    events = plain(source)
    changed = {e.tensor for e in events if isinstance(e, ev.TensorMutated | ev.GraphRebased)}
    ops = [e for e in events if isinstance(e, ev.OpApplied) and e.node is not None]
    nodes = {out.tensor: e.node.node for e in ops if e.node is not None for out in e.outputs}
    for tensor in nodes.keys() - changed:
        started = [e for e in events if isinstance(e, ev.NodeStarted) and e.node == nodes[tensor]]
        assert len(stops(source, on="tensor", tensor=tensor, when="gradient")) == len(started), tensor


def test_each_tensor_that_is_released(source: str) -> None:
    """It stops once, at the next line that runs, whether it ever had a name or not."""
    events = plain(source)
    last = max(e.seq for e in events if isinstance(e, ev.TensorNamed | ev.OpApplied | ev.BackwardFinished))
    gone = {e.tensor: e.seq for e in events if isinstance(e, ev.TensorReleased)}
    for number in gone:
        found = stops(source, on="tensor", tensor=number, when="released")
        if gone[number] < last:
            assert len(found) == 1, number
        assert len(found) <= 1, number
        assert all(s.line is not None for s in found)


def test_each_gradient_of_a_tensor_that_changed_in_place(source: str) -> None:
    """The stop is at the node that the tensor has after its last change.

    A view that was changed has none: its change belongs to the tensor that it is a view of.
    """
    events = plain(source)
    views = {out.tensor for e in events if isinstance(e, ev.OpApplied) for out in e.outputs if out.base is not None}
    changed = {e.tensor for e in events if isinstance(e, ev.TensorMutated | ev.GraphRebased)}
    for tensor in changed:
        node, started = None, 0
        for e in events:
            if isinstance(e, ev.OpApplied) and tensor in [out.tensor for out in e.outputs]:
                node = None if e.node is None else e.node.node
            elif isinstance(e, ev.GraphRebased) and e.tensor == tensor:
                node = e.node.node
            elif isinstance(e, ev.NodeStarted) and e.node == node:
                started += 1
        expected = 0 if tensor in views else started
        assert node is None or len(stops(source, on="tensor", tensor=tensor, when="gradient")) == expected, tensor
