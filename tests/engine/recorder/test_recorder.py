"""What a recording tells of small programs: which events, about whom, in which order."""

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


def test_scalar_pass_and_array_pass_tell_the_same_story(record: Callable[..., Any]) -> None:
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
    """The same program with and without a recorder ends with the same numbers."""

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


@pytest.mark.parametrize(
    ("expression", "slots"),
    [
        ("x * 3", [("_saved_other", None, 8, False)]),
        ("x.exp()", [("_saved_result", "y", 12, True)]),
        ("x * c", [("_saved_other", "c", 12, False)]),
        ("c * x", [("_saved_self", "c", 12, False)]),
        ("x + c", []),
        ("x.sin()", [("_saved_self", "x", 12, False)]),
    ],
)
def test_saved_slots(record: Callable[..., Any], expression: str, slots: list[Any]) -> None:
    """Which slots a node has: whose tensor, how many bytes, whether it is the op's result; freed one by one."""
    run = record(f"x = torch.ones(3, requires_grad=True)\nc = torch.ones(3)\ny = {expression}\ny.sum().backward()\n")
    saved = run.of(ev.OpApplied)[0].node.saved
    assert [(s.slot, s.tensor, s.nbytes, s.is_output) for s in saved] == [
        (slot, name and run.named(name), nbytes, is_output) for slot, name, nbytes, is_output in slots
    ]
    assert [(f.slot, f.storage, f.nbytes) for f in run.of(ev.BufferFreed)] == [
        (s.slot, s.storage, s.nbytes) for s in saved
    ]


def test_saved_storages_are_those_of_the_tensors(record: Callable[..., Any]) -> None:
    """What a node keeps of a tensor lives in that tensor's storage."""
    run = record("x = torch.ones(3, requires_grad=True)\ny = x.exp()\n")
    (made,) = run.one(ev.OpApplied).outputs
    assert run.one(ev.OpApplied).node.saved[0].storage == made.storage


def test_retain_graph_frees_nothing(record: Callable[..., Any]) -> None:
    """Without a freed buffer there is no event of one."""
    run = record("x = torch.tensor(2.0, requires_grad=True)\ny = x * x\ny.backward(retain_graph=True)\n")
    assert run.one(ev.BackwardStarted).retain_graph
    assert run.of(ev.BufferFreed) == []


def test_views_share_a_storage(record: Callable[..., Any]) -> None:
    """A view names its base, has its storage and its version."""
    run = record("x = torch.zeros(2, 3)\nv = x[0]\nv.add_(1)\nd = x.detach()\np = x.data\n")
    x = run.one(ev.TensorCreated) if len(run.of(ev.TensorCreated)) == 1 else run.of(ev.TensorCreated)[0]
    view = run.of(ev.OpApplied)[0]
    assert view.is_view and (view.outputs[0].base, view.outputs[0].storage) == (x.info.tensor, x.info.storage)
    mutated, whole = run.of(ev.TensorMutated)
    assert (whole.tensor, whole.storage, whole.version) == (x.info.tensor, x.info.storage, 1)
    assert whole.value.values == [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    assert (mutated.tensor, mutated.storage, mutated.version) == (run.named("v"), x.info.storage, 1)
    assert mutated.value.values == [1.0, 1.0, 1.0]
    detached = next(e for e in run.of(ev.OpApplied) if e.op == "detach").outputs[0]
    assert (detached.storage, detached.version) == (x.info.storage, 1)
    assert run.of(ev.TensorCreated)[-1].info.storage == x.info.storage


def test_a_change_is_told_of_all_that_see_it(record: Callable[..., Any]) -> None:
    """Through .data, detach() or a view: the tensor behind it has other elements too, and its own version."""
    run = record(
        "x = torch.ones(2, requires_grad=True)\nx.data.mul_(3)\ny = torch.zeros(2, 2)\ny[1] = 7\nrow = y[0]\n"
        "y[:, 0].add_(1)\nother = y[1]\nrow.detach().fill_(5)\n"
    )
    last = {e.tensor: (e.version, e.value.values) for e in run.of(ev.TensorMutated)}
    assert last[run.named("x")] == (0, [3.0, 3.0])
    assert last[run.named("y")] == (3, [5.0, 5.0, 8.0, 7.0])
    assert last[run.named("row")] == (3, [5.0, 5.0])
    assert run.named("other") not in last


def test_a_change_is_told_of_none_that_kept_its_elements(record: Callable[..., Any]) -> None:
    """Columns of one matrix lie in the same memory, one between the elements of the other."""
    run = record("x = torch.zeros(4, 2)\na = x[:, 0]\nb = x[:, 1]\na.add_(1)\n")
    own, whole = run.of(ev.TensorMutated)
    assert (own.tensor, own.through) == (run.named("a"), None)
    assert (whole.tensor, whole.through) == (run.named("x"), run.named("a"))


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("views = [x[i] for i in range(40)]\nx.add_(1)\n", 1),
        ("for row in list(x):\n    row.add_(1)\n", 80),
        ("for i in range(40):\n    row = x[i]\nx.add_(1)\n", 2),
    ],
)
def test_a_change_is_told_of_as_many_as_have_names(record: Callable[..., Any], body: str, told: int) -> None:
    """Not of every view that is alive: a log would grow by each of them with each change."""
    run = record(f"x = torch.zeros(40, 2)\n{body}")
    assert len(run.of(ev.TensorMutated)) == told


def test_an_optimizer_changes_what_shares_its_parameters_memory(record: Callable[..., Any]) -> None:
    """A view of a parameter is told of when the parameter has moved."""
    run = record(
        "w = torch.ones(2, requires_grad=True)\nd = w.detach()\nopt = torch.optim.SGD([w], lr=1.0)\n"
        "w.sum().backward()\nopt.step()\n"
    )
    last = {e.tensor: e.value.values for e in run.of(ev.TensorMutated)}
    assert last[run.named("d")] == [0.0, 0.0]


def test_in_place_on_a_view_rebases(record: Callable[..., Any]) -> None:
    """The base gets CopySlices, the view AsStrided, each with edges to what is known."""
    run = record("x = torch.ones(3, requires_grad=True)\ny = x * 1\nv = y[:2]\nv.mul_(2)\nv.sum().backward()\n")
    rebased = [(e.tensor, e.node.name) for e in run.of(ev.GraphRebased)]
    assert sorted(rebased) == sorted([(run.named("y"), "CopySlices"), (run.named("v"), "AsStridedBackward0")])
    known = {e.node for e in run.of(ev.NodeCreated)} | {e.node.node for e in run.of(ev.OpApplied) if e.node}
    known |= {e.node.node for e in run.of(ev.GraphRebased)}
    assert {e.node for e in run.of(ev.NodeStarted)} <= known


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


def test_hooks(record: Callable[..., Any]) -> None:
    """Each hook tells where it hung, its name, and the gradient before and after."""
    run = record(
        "x = torch.tensor(1.0, requires_grad=True)\n"
        "def double(g): return g * 2\n"
        "def look(g): pass\n"
        "def leaf_done(p): pass\n"
        "y = x * 3\n"
        "y.register_hook(double)\ny.register_hook(look)\n"
        "y.grad_fn.register_hook(lambda i, o: None)\n"
        "x.register_post_accumulate_grad_hook(leaf_done)\n"
        "y.backward()\n"
    )
    told = [
        (e.where, e.hook, e.before and e.before.values, e.after and e.after.values, e.tensor)
        for e in run.of(ev.HookRan)
    ]
    assert told == [
        ("tensor", "double", [1.0], [2.0], None),
        ("tensor", "look", [2.0], None, None),
        ("node post", "<lambda>", [6.0], None, None),
        ("post accumulate", "leaf_done", [6.0], None, run.named("x")),
    ]


def test_hooks_come_and_go(record: Callable[..., Any]) -> None:
    """Where each hook was hung: on a tensor with its grad_fn, on a leaf without one, on a node; and its removal."""
    run = record(
        "x = torch.tensor([1.0, 2.0], requires_grad=True)\n"
        "x.register_post_accumulate_grad_hook(print)\n"
        "h = x * 3\n"
        "handle = h.register_hook(abs)\n"
        "h.grad_fn.register_prehook(len)\n"
        "h.grad_fn.register_hook(max)\n"
        "handle.remove()\n"
        "handle.remove()\n"
    )
    x, h, node = run.named("x"), run.named("h"), run.one(ev.OpApplied).node.node
    hung = [(e.where, e.hook, e.tensor, e.node) for e in run.of(ev.HookRegistered)]
    assert hung == [
        ("post accumulate", "print", x, None),
        ("tensor", "abs", h, node),
        ("node pre", "len", None, node),
        ("node post", "max", None, node),
    ]
    removed = run.one(ev.HookRemoved)
    assert (removed.where, removed.hook, removed.tensor, removed.node) == ("tensor", "abs", h, node)


def test_grad_modes(record: Callable[..., Any]) -> None:
    """A mode is told right before the first op under it, and only where it is another than before."""
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
    told = run.of(ev.GradModeChanged)
    assert [(e.mode, e.line) for e in told] == [("no_grad", 7), ("grad", 9), ("inference", 13)]
    assert all(isinstance(run.events[e.seq + 1], ev.OpApplied) for e in told)


def test_nested_backward_names_its_parent(record: Callable[..., Any]) -> None:
    """A pass that a hook starts knows the pass that it is in; the outer one goes on being told."""
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
    """A retained gradient is told once, without the copy that it takes."""
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
    """A step tells each parameter before and after, and counts as a change in place."""
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
    """Only real changes are told."""
    run = record("x = torch.ones(2)\nx.requires_grad_()\nx.requires_grad_()\nx.requires_grad = False\n")
    assert [(e.tensor, e.requires_grad, e.line) for e in run.of(ev.RequiresGradChanged)] == [
        (run.named("x"), True, 3),
        (run.named("x"), False, 5),
    ]


def test_caught_error_is_told_once(record: Callable[..., Any]) -> None:
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
    """The same error uncaught: told by the engine, then as what ended the program."""
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


def test_a_recorder_meets_tensors_made_before_it(ours: Any) -> None:
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


def test_in_place_op_saves_a_clone(record: Callable[..., Any]) -> None:
    """An in-place op that needs what it overwrites saves a clone, which is an op of its own, as in PyTorch."""
    run = record(
        "x = torch.ones(2, requires_grad=True)\ny = x * 1\ny.sin_()\n"
        "(g,) = torch.autograd.grad(y.sum(), x, create_graph=True)\ng.sum().backward()\n"
    )
    assert run.status == "ok"
    clone = next(e for e in run.of(ev.OpApplied) if e.op == "clone").outputs[0]
    change = next(e for e in run.of(ev.OpApplied) if e.in_place)
    (saved,) = change.node.saved
    assert (change.op, saved.slot, saved.tensor, saved.storage) == ("sin_", "_saved_self", clone.tensor, clone.storage)


def test_hooks_of_modules(record: Callable[..., Any]) -> None:
    """Those of the forward pass name the tensor that they saw, those of the backward pass the node of the identity."""
    run = record(
        "layer = torch.nn.Linear(2, 1)\n"
        "def seen(*args): return None\n"
        "def doubled(module, inputs, output): return output * 2\n"
        "layer.register_forward_pre_hook(seen)\n"
        "layer.register_forward_hook(doubled)\n"
        "layer.register_full_backward_pre_hook(seen)\n"
        "layer.register_full_backward_hook(seen)\n"
        "x = torch.ones(1, 2, requires_grad=True)\n"
        "layer(x).sum().backward()\n"
    )
    ran = run.of(ev.HookRan)
    assert [(e.where, e.hook, e.module) for e in ran] == [
        ("module forward pre", "seen", "layer"),
        ("module forward", "doubled", "layer"),
        ("module backward pre", "seen", "layer"),
        ("module backward", "seen", "layer"),
    ]
    assert ran[0].tensor == run.named("x") and ran[1].after is not None
    identities = [e.node.node for e in run.of(ev.OpApplied) if e.op == "BackwardHookFunction"]
    assert [e.node for e in ran[2:]] == identities[::-1]
    hung = [(e.where, e.hook, e.node) for e in run.of(ev.HookRegistered)]
    assert hung == [("module backward", "seen", identities[0]), ("module backward pre", "seen", identities[1])]


def test_parameters_of_a_module_get_its_name(record: Callable[..., Any]) -> None:
    """`layer.weight` for the parameters of a module that a variable holds; a name that they have stays."""
    run = record(
        "w = torch.nn.Parameter(torch.ones(1))\nlayer = torch.nn.Linear(2, 1)\nlayer.other = w\nagain = layer\n"
    )
    assert [e.name for e in run.of(ev.TensorNamed)] == ["w", "layer.weight", "layer.bias"]


def test_sparse_gradients_are_told_as_what_they_hold(record: Callable[..., Any]) -> None:
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
    told = [e.node for e in run.of(ev.OpApplied) if e.op == "once_differentiable"]
    assert [node.sequence_nr for node in told] == [2**64 - 1]


def test_an_untracked_op_with_packed_tensors_pending(record: Callable[..., Any]) -> None:
    """What a checkpoint saved is told with the next op, also where that op has no node."""
    run = record(
        "from torch.utils.checkpoint import checkpoint\n"
        "def f(t): return (t * 2).sin() * torch.nn.functional.dropout(t)\n"
        "x = torch.ones(3, requires_grad=True)\n"
        "checkpoint(f, x, use_reentrant=False).sum().backward()\n"
        "checkpoint(f, x, use_reentrant=True).sum().backward()\n"
    )
    assert run.status == "ok" and run.of(ev.ErrorRaised) == []


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
