"""Protects traces of gradients: compared with Jacobians, and through hooks, fan-in and several passes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from backscope.protocol import commands as c, events as ev

FUNCTIONS = {
    "exp": "x.exp()",
    "broadcasting": "x + torch.ones(2, 2, 3)",
    "product broadcast": "x[0] * (torch.arange(6.0).reshape(2, 3) - 2)",
    "matmul": "x @ (torch.arange(6.0).reshape(3, 2) - 1.5)",
    "linear": "torch.nn.functional.linear(x, torch.arange(12.0).reshape(4, 3) / 7, torch.ones(4))",
    "softmax": "x.softmax(1)",
    "log_softmax": "x.log_softmax(0)",
    "layer_norm": "torch.nn.functional.layer_norm(x, (3,))",
    "conv": "torch.nn.functional.conv2d(x.reshape(1, 1, 2, 3), torch.arange(8.0).reshape(2, 1, 2, 2) - 3, padding=1)",
    "max": "x.max(1).values",
    "ties": "torch.cat([x, x]).amax(0)",
    "indexing": "x[torch.tensor([0, 1, 0])]",
    "slice": "x[:, 1:]",
    "cumsum": "x.cumsum(1)",
    "norm": "x.norm()",
    "transposed": "x.t()",
    "where": "torch.where(x > 0, x * 2, x.exp())",
    "relu": "x.relu()",
    "prod": "x.prod(1)",
    "cat": "torch.cat([x, x * 3], 1)",
    "sum": "x.sum(0)",
    "sorted": "x.sort(1).values",
    "max_pool": "torch.nn.functional.max_pool2d(x.reshape(1, 1, 2, 3), 2, 1)",
    "mse": "torch.nn.functional.mse_loss(x, torch.zeros(2, 3), reduction='none')",
}
X = "torch.tensor([[0.5, -1.25, 2.0], [-0.75, 1.5, 0.25]], requires_grad=True)"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_contributions_are_those_of_the_jacobian(traced: Callable[[str], Any], torch: Any, name: str) -> None:
    """Traced back to the root, each of its elements contributes its entry of the Jacobian times itself.

    At each step the shares add up to what arrived.
    """
    given = "torch.arange(1.0, y.numel() + 1).reshape(y.shape) * 0.5 - 1"
    body = f"x = {X}\ny = {FUNCTIONS[name]}\ng = {given}\ny.backward(g)\n"
    made: dict[str, Any] = {"torch": torch}
    exec(body, made)
    jacobian = torch.autograd.functional.jacobian(eval(f"lambda x: {FUNCTIONS[name]}", made), made["x"].detach())
    run = traced(body)
    leaf = run.leaf("x")
    for at in ((0, 0), (1, 2)):
        command = c.TraceGradient(id=3, node=leaf, element=list(at), most=100, depth=0)
        (first,) = run.at_pass(command)
        assert first.path[0].value == pytest.approx(made["x"].grad[at].item(), abs=1e-6)
        found = contributions(run, first.path[0])
        expected = (jacobian[(..., *at)] * made["g"]).reshape(-1).tolist()
        assert [found.get(k, 0.0) for k in range(len(expected))] == pytest.approx(expected, rel=1e-4, abs=1e-5)


def contributions(run: Any, traced: Any) -> dict[int, float]:
    """Return what each element of the root's gradient contributes to a traced one, by flat index."""
    found: dict[int, float] = {}
    stack = [(traced, 1.0)]
    while stack:
        at, times = stack.pop()
        rows = [(arrival, share) for arrival in at.arrivals for share in arrival.shares]
        for arrival in at.arrivals:
            assert arrival.adds_up and arrival.why is None and arrival.more == 0
            if arrival.node is None:
                place = 0
                for k, n in zip(at.element, at.shape, strict=True):
                    place = place * n + k
                found[place] = found.get(place, 0.0) + times * arrival.sent
            else:
                assert math.fsum(s.amount for s in arrival.shares) == pytest.approx(arrival.sent, rel=1e-4, abs=1e-5)
        commands = [
            c.TraceGradient(id=3, node=arrival.node, output_nr=s.output_nr, element=s.element, most=100, depth=0)
            for arrival, s in rows
        ]
        if commands:
            for answer, (_, share) in zip(run.at_pass(*commands), rows, strict=True):
                stack.append((answer.path[0], times * share.factor))
    return found


def test_the_path_follows_the_largest_share(traced: Callable[[str], Any]) -> None:
    """It ends at the root or after `depth` steps; shares beyond `most` are one sum."""
    run = traced(f"x = {X}\nw = torch.tensor([[1.0], [9.0], [2.0]])\n((x * 3) @ w).sum().backward()\n")
    whole = run.trace(run.leaf("x"), 1, 1)
    names = [run.node("MulBackward0"), run.node("MmBackward0"), run.node("SumBackward0")]
    assert [e.node for e in whole.path] == [run.leaf("x"), *names]
    assert [(e.element, e.value) for e in whole.path] == [([1, 1], 27.0), ([1, 1], 9.0), ([1, 0], 1.0), ([], 1.0)]
    assert not whole.more
    assert whole.path[-1].arrivals[0].node is None
    short = run.trace(run.leaf("x"), 1, 1, depth=1)
    assert len(short.path) == 2
    assert short.more
    run = traced("x = torch.ones(4, 1, requires_grad=True)\n(x @ torch.arange(1.0, 6.0)[None]).sum().backward()\n")
    (arrival,) = run.trace(run.leaf("x"), 0, 0, most=2).path[0].arrivals
    assert [(s.element, s.factor, s.amount) for s in arrival.shares] == [([0, 4], 5.0, 5.0), ([0, 3], 4.0, 4.0)]
    assert (arrival.more, arrival.rest, arrival.sent) == (3, 6.0, 15.0)


def test_fan_in_and_several_passes(traced: Callable[[str], Any]) -> None:
    """Each edge has an arrival of its own; each pass is traced by itself."""
    run = traced("x = torch.tensor(2.0, requires_grad=True)\nfor k in (1, 2):\n    (x * x + k * x).backward()\n")
    leaves = [e.node for e in run.of(ev.GradAccumulated)]
    for which, parts in ((0, [2.0, 2.0, 1.0]), (1, [2.0, 2.0, 2.0])):
        traced_element = run.trace(leaves[which], which=which).path[0]
        assert sorted(a.sent for a in traced_element.arrivals) == sorted(parts)
        assert traced_element.value == sum(parts)


def test_gradients_of_tensors_that_are_no_leaves(traced: Callable[[str], Any]) -> None:
    """Each output of an op has its own; so have tensors that autograd.grad() captures."""
    run = traced("x = torch.arange(6.0, requires_grad=True)\na, b = x.split(3)\n(a * 2 + b * 5).sum().backward()\n")
    split = run.node("SplitBackward0")
    assert [run.trace(split, 1, output_nr=nr).path[0].value for nr in (0, 1)] == [2.0, 5.0]
    run = traced("x = torch.ones(2, requires_grad=True)\ny = x - 3\ntorch.autograd.grad((y * y).sum(), y)\n")
    (element,) = run.trace(run.node("SubBackward0"), 1, depth=0).path
    assert element.value == -4.0


def test_hooks_that_change_gradients(traced: Callable[[str], Any]) -> None:
    """Before a node and at a leaf they turn `arrived` into `value`; after a node, `made` into `sent`."""
    run = traced(
        "x = torch.tensor([1.0, 2.0], requires_grad=True)\n"
        "x.register_hook(lambda g: g + 1)\n"
        "y = x * 3\n"
        "def tenfold(g):\n    return g * 10\n"
        "y.register_hook(tenfold)\n"
        "def after(sent, came):\n    return (sent[0] * 2, *sent[1:])\n"
        "y.grad_fn.register_hook(after)\n"
        "y.sum().backward()\n"
    )
    leaf, mul, _ = run.trace(run.leaf("x"), 0).path
    assert (leaf.arrived, leaf.value, leaf.hooks) == (60.0, 61.0, ["<lambda>"])
    assert (leaf.arrivals[0].made, leaf.arrivals[0].sent) == (30.0, 60.0)
    assert (mul.arrived, mul.value) == (1.0, 10.0)
    assert "tenfold" in mul.hooks


CUSTOM = """\
class Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        {}
x = torch.tensor([1.0, 2.0], requires_grad=True)
(Function.apply(x) * torch.tensor([3.0, -4.0])).sum().backward()
"""


@pytest.mark.parametrize(
    ("backward", "factor", "amounts"),
    [
        ("return g * 2", 2.0, [6.0]),
        ("return (g * 2).detach()", None, [6.0]),
        ("return torch.tensor(g.numpy()[::-1].copy())", None, [-4.0]),
        ("return g.sum().expand(2) * 2", 2.0, [-8.0, 6.0]),
    ],
)
def test_custom_functions(traced: Callable[[str], Any], backward: str, factor: Any, amounts: list[float]) -> None:
    """Their shares have factors where backward() stays on the tape; else it runs for each element."""
    run = traced(CUSTOM.format(backward))
    (arrival,) = run.trace(run.leaf("x"), 0).path[0].arrivals
    assert [s.amount for s in arrival.shares] == amounts
    assert {s.factor for s in arrival.shares} == {factor}
    assert arrival.adds_up


def test_a_backward_that_is_not_linear_is_reported(traced: Callable[[str], Any]) -> None:
    """The shares of a backward() that squares do not add up."""
    run = traced(CUSTOM.format("return (g.sum() ** 2).expand(2)"))
    (arrival,) = run.trace(run.leaf("x"), 0).path[0].arrivals
    assert arrival.sent == 1.0
    assert not arrival.adds_up
    assert "not linear" in arrival.why


def test_complex_gradients_are_split_by_running_the_node(traced: Callable[[str], Any]) -> None:
    """Each share is a complex number."""
    run = traced("x = torch.tensor([1 + 2j, 3j], requires_grad=True)\n(x * (2 - 1j)).abs().sum().backward()\n")
    first = run.trace(run.leaf("x"), 0).path[0]
    (share,) = first.arrivals[0].shares
    assert share.factor is None
    assert share.amount == first.value


@pytest.mark.parametrize(
    ("body", "factor", "incoming"),
    [
        ("y = torch.where(x > 0, x.sqrt(), x)", "Infinity", 0.0),
        ("y = (x.sqrt() * 0)", "Infinity", 0.0),
        ("y = torch.where(x > 1, 1 / x, x) * 2", "-Infinity", 0.0),
    ],
)
def test_the_path_of_a_nan_leads_to_where_it_was_made(
    traced: Callable[[str], Any], body: str, factor: str, incoming: float
) -> None:
    """It is zero times infinity at that element alone."""
    run = traced(f"x = torch.tensor([0.0, 4.0], requires_grad=True)\n{body}\ny.sum().backward()\n")
    first = run.trace(run.leaf("x"), 0).path[0]
    assert first.value == "NaN"
    made = [s for a in first.arrivals for s in a.shares if s.amount == "NaN"]
    assert [(s.factor, s.incoming, s.element) for s in made] == [(factor, incoming, [0])]
    assert math.isfinite(run.trace(run.leaf("x"), 1).path[0].value)


def test_an_incoming_nan_is_followed_to_its_origin(traced: Callable[[str], Any]) -> None:
    """The path leads through a product of matrices with a single NaN."""
    run = traced(
        "x = torch.ones(2, 3, requires_grad=True)\n"
        "y = x @ torch.eye(3)\n"
        "z = torch.zeros(2, 3)\nz[1, 2] = 1\n"
        "((y * z - 1).clamp(min=0)[1:] .sqrt() * 0).sum().backward()\n"
    )
    path = run.trace(run.leaf("x"), 1, 2).path
    assert [e.value for e in path[:4]] == ["NaN"] * 4
    assert [e.element for e in path[:3]] == [[1, 2]] * 3
    last = next(e for e in path if e.value != "NaN")
    assert (last.node, last.element, last.value) == (run.node("SqrtBackward0"), [0, 2], 0.0)
    assert run.trace(run.leaf("x"), 0, 2).path[0].value == 0.0


def test_a_rehearsal_changes_nothing(traced: Callable[[str], Any]) -> None:
    """`.grad`, the graph and random numbers are as before; output of hooks is dropped."""
    run = traced(
        "x = torch.ones(2, requires_grad=True)\n"
        "x.grad = torch.tensor([5.0, 5.0])\n"
        "y = (x * 2).exp()\ny.retain_grad()\n"
        "y.register_hook(lambda g: print('hook'))\n"
        "y.sum().backward()\n"
    )
    seen = c.Evaluate(id=4, expression="(x.grad, y.grad, torch.rand(1))")
    command = c.TraceGradient(id=3, node=run.leaf("x"), element=[0])
    before, answer, after = run.at_pass(seen, command, seen)
    assert answer.path[0].value == pytest.approx(2 * math.exp(2))
    assert before.look == after.look
    assert "tensor([5., 5.]), None" in before.look.text


def test_what_cannot_be_traced(traced: Callable[[str], Any]) -> None:
    """Unknown nodes and elements, and a wrong moment, are refused with the reason."""
    run = traced(
        "x = torch.ones(2, requires_grad=True)\nz = torch.ones(1, requires_grad=True)\nw = z * 2\nx.sum().backward()\n"
    )
    assert run.trace(run.leaf("z"), 0).reason.startswith("No gradient arrives at node")
    assert "no element [2]" in run.trace(run.leaf("x"), 2).reason
    assert "no element []" in run.trace(run.leaf("x")).reason
    step = c.Step(id=4, to="moment")
    *_, refused = run.at_pass(step, c.TraceGradient(id=3, node=run.leaf("x"), element=[0]))
    assert "about to run" in refused.reason
    run = traced(
        "x = torch.ones(2, requires_grad=True)\ny = x.exp()\ny.mul_(2)\ntry:\n    y.sum().backward()\n"
        "except RuntimeError:\n    pass\n"
    )
    assert run.trace(run.leaf("x"), 0).reason.endswith("It ends with RuntimeError before.")


def test_checkpoints_and_packed_tensors(traced: Callable[[str], Any]) -> None:
    """The formulas get the tensors that the rehearsal recomputed or unpacked."""
    run = traced(
        "from torch.utils.checkpoint import checkpoint\n"
        "x = torch.tensor([1.0, 2.0], requires_grad=True)\n"
        "y = checkpoint(lambda v: (v * v).exp(), x, use_reentrant=False)\n"
        "with torch.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), lambda p: torch.tensor(p)):\n"
        "    z = y * y\n"
        "z.sum().backward()\n"
    )
    first = run.trace(run.leaf("x"), 1).path[0]
    assert first.value == pytest.approx(8 * math.exp(8), rel=1e-5)
    assert all(a.adds_up for a in first.arrivals)
