"""Protects what is recorded of small programs: which events, about which tensors and nodes, in which order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from backscope.protocol import events as ev
from backscope.recorder.recorder import Recorder
from backscope.runtime.listening import hub

GRAPH = (ev.NodeStarted, ev.GradientSent, ev.BufferFreed, ev.GradAccumulated, ev.NodeFinished)


def kinds(recording: Any) -> list[str]:
    """The kinds of all events between the first and the last."""
    return [type(e).__name__ for e in recording.events[1:-1]]


def test_forward_and_backward_in_full(record: Callable[..., Any]) -> None:
    """One product and its backward pass: every event, in order."""
    run = record("x = torch.tensor(2.0, requires_grad=True)\ny = x * x\ny.backward()\n")
    assert kinds(run) == [
        *("TensorCreated", "TensorNamed", "NodeCreated", "OpApplied", "TensorNamed"),
        *(
            "BackwardStarted",
            "NodeStarted",
            "GradientSent",
            "GradientSent",
            "BufferFreed",
            "BufferFreed",
            "NodeFinished",
        ),
        *("NodeStarted", "TensorCreated", "GradAccumulated", "NodeFinished", "BackwardFinished"),
    ]
    assert [e.line for e in run.of(ev.TensorCreated, ev.OpApplied, ev.BackwardStarted)] == [2, 3, 4, None]
    op = run.one(ev.OpApplied)
    x = run.named("x")
    leaf = run.one(ev.NodeCreated)
    assert (leaf.tensor, leaf.name) == (x, "AccumulateGrad")
    assert [(a.name, a.tensor) for a in op.inputs] == [("self", x), ("other", x)]
    assert [(e.node, e.output_nr) for e in op.node.next_functions] == [(leaf.node, 0)] * 2
    start = run.one(ev.BackwardStarted)
    assert (start.api, start.roots, start.root_nodes) == ("backward", [op.outputs[0].tensor], [op.node.node])
    added = run.one(ev.GradAccumulated)
    assert (added.tensor, added.before, added.after.values, added.in_place) == (x, None, [4.0], False)


def test_seq_is_gapless_and_identities_are_new(record: Callable[..., Any]) -> None:
    """seq counts 0, 1, 2, ...; no identity names two things."""
    run = record(
        "x = torch.ones(3, requires_grad=True)\nfor i in range(3):\n    y = (x * 2).exp().sum()\n    y.backward()\n"
        "y = x.detach()[0]\n"
    )
    assert [e.seq for e in run.events] == list(range(len(run.events)))
    tensors = [e.info.tensor for e in run.of(ev.TensorCreated)]
    tensors += [o.tensor for e in run.of(ev.OpApplied) if not e.in_place for o in e.outputs]
    nodes = [e.node for e in run.of(ev.NodeCreated)] + [e.node.node for e in run.of(ev.OpApplied) if e.node]
    calls = [e.call for e in run.of(ev.BackwardStarted)]
    storages = {s.storage for e in run.of(ev.OpApplied) if e.node for s in e.node.saved if s.tensor is None}
    every = [*tensors, *nodes, *calls, *storages]
    assert len(every) == len(set(every))


def test_fan_in_totals(record: Callable[..., Any]) -> None:
    """From the second contribution on, the total says what waits at the receiver."""
    run = record("x = torch.tensor(3.0, requires_grad=True)\ny = x * 1\n(y * y + y).backward()\n")
    below = run.node("MulBackward0").node
    sent = [(e.value.values, e.total and e.total.values) for e in run.of(ev.GradientSent) if e.to_node == below]
    assert sent == [([1.0], None), ([3.0], [4.0]), ([3.0], [7.0])]
    started = next(e for e in run.of(ev.NodeStarted) if e.node == below)
    assert started.gradients[0].values == [7.0]


def test_scalar_pass_and_array_pass_have_the_same_events(record: Callable[..., Any]) -> None:
    """The short way for scalars and the long way for arrays give the same events about the same things."""
    body = "x = torch.full({0}, 0.5, requires_grad=True)\ny = x * 1\nz = (y * y + y).tanh() * 3\nz.sum().backward()\n"
    scalar, array = record(body.format("()")), record(body.format("(1,)"))
    assert kinds(scalar) == kinds(array)

    def story(run: Any) -> list[Any]:
        return [
            (type(e).__name__, e.line, *(getattr(e, f, None) for f in ("node", "to_node", "tensor", "slot")))
            for e in run.of(*GRAPH)
        ]

    assert story(scalar) == story(array)
    values = [[e.value.values for e in run.of(ev.GradientSent)] for run in (scalar, array)]
    assert values[0] == values[1]


def test_listening_changes_no_result(ours: Any) -> None:
    """A program has the same results with and without a recorder."""

    def compute() -> list[Any]:
        ours.manual_seed(3)
        x = ours.randn(4, 3, requires_grad=True)
        w = ours.randn(3, 2, requires_grad=True)
        y = (x @ w).relu() * 1
        y[0] = y[1] * 2
        (g,) = ours.autograd.grad(y.exp().sum(), w, create_graph=True)
        (g * g).sum().backward()
        return [x.grad.tolist(), w.grad.tolist(), g.tolist()]

    silent = compute()
    hub.listener = Recorder(lambda batch: None, globals())
    try:
        heard = compute()
    finally:
        hub.listener = None
    assert silent == heard


def test_recorded_pass_says_during_which_node(record: Callable[..., Any]) -> None:
    """Ops that a formula applies with create_graph name the node that is running."""
    run = record(
        "x = torch.tensor(2.0, requires_grad=True)\ny = x**3\n(g,) = torch.autograd.grad(y, x, create_graph=True)\n"
    )
    node = run.node("PowBackward0").node
    inside = [e for e in run.of(ev.OpApplied) if e.during is not None]
    assert inside and {e.during for e in inside} == {node}
    start, captured = run.one(ev.BackwardStarted), run.one(ev.GradientCaptured)
    assert (start.api, start.create_graph, start.inputs) == ("grad", True, [run.named("x")])
    assert (captured.into, captured.tensor, captured.value.values) == ("result", run.named("x"), [12.0])


def test_grad_modes(record: Callable[..., Any]) -> None:
    """A mode is recorded right before the first op under it, and only if it has changed."""
    run = record(
        "x = torch.tensor(2.0, requires_grad=True)\n"
        "y = x * x\n"
        "with torch.no_grad():\n"
        "    pass\n"
        "with torch.no_grad():\n"
        "    a = x * 2\n"
        "    b = x * 3\n"
        "z = y * 4\n"
        "z.backward()\n"
        "c = a * b\n"
        "with torch.inference_mode():\n"
        "    d = a * b\n"
    )
    changes = run.of(ev.GradModeChanged)
    assert [(e.mode, e.line) for e in changes] == [("no_grad", 7), ("grad", 9), ("inference", 13)]
    assert all(isinstance(run.events[e.seq + 1], ev.OpApplied) for e in changes)


def test_nested_backward_names_its_parent(record: Callable[..., Any]) -> None:
    """A pass that a hook starts has the pass around it as parent; events of the outer one continue after it."""
    run = record(
        "x = torch.tensor(2.0, requires_grad=True)\nz = torch.tensor(5.0, requires_grad=True)\ny = x * x\nw = y * 3\n"
        "def inner(i, o):\n    with torch.enable_grad():\n        (z * z).backward()\n"
        "w.grad_fn.register_hook(inner)\nw.backward()\n"
    )
    outer, nested = run.of(ev.BackwardStarted)
    assert (outer.parent, nested.parent) == (None, outer.call)
    assert run.status == "ok"
    assert [e.call for e in run.of(ev.BackwardFinished)] == [nested.call, outer.call]
    assert {e.tensor: e.after.values for e in run.of(ev.GradAccumulated)} == {
        run.named("z"): [10.0],
        run.named("x"): [12.0],
    }


def test_retain_grad_is_a_capture(record: Callable[..., Any]) -> None:
    """A retained gradient is recorded once, without the op that copies it."""
    run = record("x = torch.ones(2, requires_grad=True)\ny = x * 2\ny.retain_grad()\ny.sum().backward()\n")
    captured = run.one(ev.GradientCaptured)
    assert (captured.into, captured.tensor, captured.value.values) == ("grad", run.named("y"), [1.0, 1.0])
    assert [e.op for e in run.of(ev.OpApplied)] == ["mul", "sum"]


def test_accumulation_in_place_and_clearing(record: Callable[..., Any]) -> None:
    """The second pass changes the same `.grad` tensor; emptying it says how and by whom."""
    run = record(
        "x = torch.tensor(1.0, requires_grad=True)\nopt = torch.optim.SGD([x], lr=0.1)\n"
        "(x * 2).backward()\n(x * 2).backward()\nopt.zero_grad()\n(x * 2).backward()\nx.grad = None\n"
        "x.grad = torch.tensor(9.0)\n"
    )
    first, second, third = run.of(ev.GradAccumulated)
    assert (first.in_place, second.in_place, first.grad == second.grad) == (False, True, True)
    assert (second.before.values, second.added.values, second.after.values) == ([2.0], [2.0], [4.0])
    assert third.grad != first.grad
    assert [(e.how, e.by) for e in run.of(ev.GradCleared)] == [
        ("none", "optimizer"),
        ("none", "user"),
        ("assigned", "user"),
    ]


def test_optimizer_step(record: Callable[..., Any]) -> None:
    """A step has each parameter before and after, and counts as a change in place."""
    run = record(
        "x = torch.tensor(1.0, requires_grad=True)\nopt = torch.optim.SGD([x], lr=0.5)\n(x * 2).backward()\n"
        "opt.step()\n"
    )
    step = run.one(ev.OptimizerStepped)
    (update,) = step.updates
    assert (step.optimizer, step.line, update.tensor) == ("SGD", 5, run.named("x"))
    assert (update.before.values, update.grad.values, update.after.values) == ([1.0], [2.0], [0.0])
    mutated = run.one(ev.TensorMutated)
    assert (mutated.op, mutated.version, mutated.tensor) == ("SGD.step", 1, run.named("x"))


def test_releases(record: Callable[..., Any]) -> None:
    """A tensor is released with its last reference, its node with the last that needs it."""
    run = record(
        "x = torch.ones(2, requires_grad=True)\ny = (x * 2).exp()\nhere = y.grad_fn\ndel y\n"
        "print('gone')\ndel here\nprint()\n"
    )
    inner, outer = (e.outputs[0].tensor for e in run.of(ev.OpApplied))
    assert [e.tensor for e in run.of(ev.TensorReleased)] == [inner, outer]
    print_at = next(i for i, e in enumerate(run.events) if isinstance(e, ev.OutputPrinted))
    nodes = [i for i, e in enumerate(run.events) if isinstance(e, ev.NodeReleased)]
    assert len(nodes) >= 2 and all(i > print_at for i in nodes)


def test_requires_grad_changes(record: Callable[..., Any]) -> None:
    """Only real changes are recorded."""
    run = record("x = torch.ones(2)\nx.requires_grad_()\nx.requires_grad_()\nx.requires_grad = False\n")
    assert [(e.tensor, e.requires_grad, e.line) for e in run.of(ev.RequiresGradChanged)] == [
        (run.named("x"), True, 3),
        (run.named("x"), False, 5),
    ]


def test_caught_error_is_recorded_once(record: Callable[..., Any]) -> None:
    """An error of a backward pass that the program catches: one event, of stage engine, with its node."""
    run = record(
        "x = torch.tensor(1.0, requires_grad=True)\ny = x * x\ny.backward()\ntry:\n    y.backward()\n"
        "except RuntimeError as e:\n"
        "    print('caught')\n"
    )
    error = run.one(ev.ErrorRaised)
    assert (error.stage, error.type, error.line, error.node) == (
        "engine",
        "RuntimeError",
        6,
        run.node("MulBackward0").node,
    )
    assert [e.failed for e in run.of(ev.BackwardFinished)] == [False, True]
    assert (run.status, run.stdout) == ("ok", "caught\n")


def test_uncaught_error_ends_the_program(record: Callable[..., Any]) -> None:
    """An uncaught error is recorded by the engine, then as the end of the program."""
    run = record("x = torch.tensor(1.0, requires_grad=True)\ny = x * x\ny.backward()\ny.backward()\nprint('never')\n")
    first, last = run.of(ev.ErrorRaised)
    assert (first.stage, last.stage) == ("engine", "program")
    assert [(t.line, t.function, t.text) for t in last.traceback] == [(5, "<module>", "y.backward()")]
    assert (run.status, run.stdout) == ("error", "")
    assert last.diagnosis == first.diagnosis is not None


def test_large_values_are_digested(record: Callable[..., Any]) -> None:
    """All values up to 256 elements, then the first 16; statistics up to 4,096 elements, the norm always."""
    run = record("a = torch.ones(256)\nb = torch.ones(257)\nc = torch.ones(4097)\n")
    a, b, c = (e.info.value for e in run.of(ev.TensorCreated))
    assert [len(v.values) for v in (a, b, c)] == [256, 16, 16]
    assert [v.mean for v in (a, b, c)] == [1.0, 1.0, None]
    assert c.norm == pytest.approx(4097**0.5)


def test_non_finite_values(record: Callable[..., Any]) -> None:
    """NaN and infinities are words, counted; complex numbers are pairs."""
    run = record("a = torch.tensor([float('nan'), float('inf'), -float('inf'), 1.0])\nz = torch.tensor([1 + 2j])\n")
    a, z = (e.info.value for e in run.of(ev.TensorCreated))
    assert a.values == ["NaN", "Infinity", "-Infinity", 1.0]
    assert (a.nan_count, a.inf_count, a.min, a.norm) == (1, 2, None, "NaN")
    assert (z.values, z.min) == ([[1.0, 2.0]], None)


def test_tensors_made_before_the_recorder(ours: Any) -> None:
    """Leaves from before the recording are introduced when they first take part."""
    written: list[bytes] = []
    x = ours.tensor(2.0, requires_grad=True)
    recorder = Recorder(written.append, globals())
    hub.listener = recorder
    try:
        (x * x).backward()
    finally:
        hub.listener = None
    recorder.drain()
    events = [ev.decode(line) for line in b"".join(written).splitlines()]
    assert [type(e).__name__ for e in events[:3]] == ["TensorCreated", "NodeCreated", "OpApplied"]
    assert sum(isinstance(e, ev.GradAccumulated) for e in events) == 1


def test_parameters_of_a_module_get_its_name(record: Callable[..., Any]) -> None:
    """`layer.weight` for the parameters of a module that a variable holds; a name that they have stays."""
    run = record(
        "w = torch.nn.Parameter(torch.ones(1))\nlayer = torch.nn.Linear(2, 1)\nlayer.other = w\nagain = layer\n"
    )
    assert [e.name for e in run.of(ev.TensorNamed)] == ["w", "layer.weight", "layer.bias"]


def test_sparse_gradients_are_recorded_dense(record: Callable[..., Any]) -> None:
    """The rows that an embedding looked up, zeros elsewhere."""
    run = record(
        "table = torch.nn.Embedding(3, 2, sparse=True)\n"
        "table(torch.tensor([2, 2])).sum().backward()\n"
        "print(table.weight.grad.is_sparse)\n"
    )
    added = run.one(ev.GradAccumulated)
    assert (added.after.shape, added.after.values) == ([3, 2], [0.0, 0.0, 0.0, 0.0, 2.0, 2.0])
    assert run.of(ev.ProgramFinished)[0].status == "ok"


def test_place_of_a_node_that_runs_at_once(record: Callable[..., Any]) -> None:
    """A node that refuses a second derivative has the highest number, whatever ran before in the process."""
    run = record(
        "from torch.autograd.function import once_differentiable\n"
        "class F(torch.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, x):\n"
        "        return x * 2\n"
        "    @staticmethod\n"
        "    @once_differentiable\n"
        "    def backward(ctx, g):\n"
        "        return g * 2\n"
        "x = torch.ones(2, requires_grad=True)\n"
        "torch.autograd.grad((F.apply(x) ** 2).sum(), x, create_graph=True)\n"
    )
    nodes = [e.node for e in run.of(ev.OpApplied) if e.op == "once_differentiable"]
    assert [node.sequence_nr for node in nodes] == [2**64 - 1]


def test_a_method_can_be_put_in_place_of_a_part_and_taken_away() -> None:
    """As a debugger does: the other moments are recorded as ever, and all of them afterwards."""
    recorder = Recorder(lambda batch: None, globals())
    seen: list[tuple[Any, ...]] = []
    recorder.replace({"printed": lambda *given: seen.append(given)})
    recorder.printed("stdout", "a")
    recorder.warned("UserWarning", "w", None)
    assert seen == [("stdout", "a")] and len(recorder.journal.moments) == 1
    recorder.replace({})
    recorder.printed("stdout", "b")
    assert len(seen) == 1 and len(recorder.journal.moments) == 2
