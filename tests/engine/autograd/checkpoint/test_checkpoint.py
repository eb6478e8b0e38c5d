"""torch.utils.checkpoint: the same gradients with what was not saved computed again, once for each backward pass."""

import contextlib
import gc
import json
import weakref

import pytest

from backscope import torch
from backscope.program.runner import run
from backscope.protocol import events as ev
from backscope.torch.utils.checkpoint import (
    CheckpointError,
    GraphExecGroup,
    checkpoint,
    checkpoint_sequential,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
)

BOTH = pytest.mark.parametrize("reentrant", [True, False])


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


def gradient(function, *args, **options):
    x = leaf(0.5, 1.0)
    checkpoint(function, x, *args, **options).sum().backward()
    return x.grad.tolist()


class Counted:
    """sin(exp(x)), counting how far each run comes."""

    def __init__(self):
        self.steps = []

    def __call__(self, x):
        y = x.exp()
        self.steps.append("exp")
        z = y.sin()
        self.steps.append("sin")
        w = z + 1
        self.steps.append("add")
        return w


@BOTH
def test_gradients_are_those_of_the_plain_function(reentrant):
    x = leaf(0.5, 1.0)
    Counted()(x).sum().backward()
    assert gradient(Counted(), use_reentrant=reentrant) == x.grad.tolist()


def test_recomputation_stops_where_nothing_more_is_needed():
    function = Counted()
    gradient(function, use_reentrant=False)
    assert function.steps == ["exp", "sin", "add", "exp"]
    function = Counted()
    gradient(function, use_reentrant=False, early_stop=False)
    assert function.steps == ["exp", "sin", "add"] * 2
    function = Counted()
    with set_checkpoint_early_stop(False):
        y = checkpoint(function, leaf(1.0), use_reentrant=False)
    y.backward()
    assert function.steps == ["exp", "sin", "add"] * 2


def test_saved_tensors_are_not_kept_between_the_passes():
    alive = []

    def function(x):
        y = x.exp()
        alive.append(weakref.ref(y))
        return y.sin().cos()

    x = leaf(1.0)
    y = checkpoint(function, x, use_reentrant=False)
    gc.collect()
    assert alive[0]() is None
    y.backward()
    assert x.grad is not None


def test_each_backward_pass_computes_once():
    function = Counted()
    x = leaf(1.0)
    y = checkpoint(function, x, use_reentrant=False)
    y.backward(retain_graph=True)
    y.backward()
    assert function.steps.count("exp") == 3
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward()


def test_a_group_shares_one_recomputation():
    function = Counted()
    x = leaf(1.0)

    def two(x):
        return function(x), x.cos()

    a, b = checkpoint(two, x, use_reentrant=False)
    with GraphExecGroup():
        a.backward()
        b.backward()
    assert function.steps.count("exp") == 2


@pytest.mark.parametrize(
    ("first", "again", "options", "text"),
    [
        (
            lambda x: x.exp().sin(),
            lambda x: x.exp(),
            {},
            "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
            "recomputation.\nNumber of tensors saved during forward: 2\nNumber of tensors saved during recomputation: "
            "1.\n",
        ),
        (
            lambda x: x.exp(),
            lambda x: x.exp().sin(),
            {"early_stop": False},
            "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original forward "
            "pass.\n",
        ),
        (
            lambda x: x.exp().sum(),
            lambda x: x[:1].exp().sum(),
            {},
            "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than during "
            "the forward pass.\ntensor at position 0:\nsaved metadata: {'shape': torch.Size([2]), 'dtype': "
            "torch.float32, 'device': device(type='cpu')}\nrecomputed metadata: {'shape': torch.Size([1]), 'dtype': "
            "torch.float32, 'device': device(type='cpu')}\n.\n",
        ),
    ],
)
def test_refuses_a_second_run_that_differs(first, again, options, text):
    calls = iter([first, again])
    with pytest.raises(CheckpointError) as caught:
        gradient(lambda x: next(calls)(x), use_reentrant=False, **options)
    assert str(caught.value).startswith(text)


def test_debug_tells_the_ops_of_both_runs():
    calls = iter([lambda x: x.exp().sin(), lambda x: x.exp()])
    with set_checkpoint_debug_enabled(True), pytest.raises(CheckpointError) as caught:
        gradient(lambda x: next(calls)(x), use_reentrant=False)
    text = str(caught.value)
    assert text.startswith(" An error happened while unpacking tensors; dumping logs of latest computation\n")
    assert '$2: "f32[2]" = torch._ops.aten.sin.default($1)' in text
    assert "(1 of 1 in recompute)" in text


@BOTH
@pytest.mark.parametrize("preserve", [True, False])
def test_random_numbers_are_the_same_again(reentrant, preserve):
    torch.manual_seed(0)
    x = leaf(1.0, 1.0)
    y = checkpoint(lambda x: x * torch.rand(2), x, use_reentrant=reentrant, preserve_rng_state=preserve)
    y.sum().backward()
    assert (x.grad.tolist() == y.tolist()) is preserve
    follows = torch.rand(1).item()
    torch.manual_seed(0)
    torch.rand(2 if preserve else 4)
    assert torch.rand(1).item() == follows


def test_checkpoints_nest():
    steps = []

    def inner(x):
        steps.append("inner")
        return x.sin().exp()

    def outer(x):
        steps.append("outer")
        return checkpoint(inner, x.exp(), use_reentrant=False).sin()

    x = leaf(0.5, 1.0)
    outer(x).sum().backward()
    steps.clear()
    assert gradient(outer, use_reentrant=False) == x.grad.tolist()
    assert steps == ["outer", "inner", "outer", "inner", "inner"]


def test_backward_inside_a_checkpoint():
    def function(x):
        y = x.sin()
        (inner,) = torch.autograd.grad(y.cos().sum(), x)
        return x.cos() * inner

    plain = leaf(0.5, 1.0)
    function(plain).sum().backward()
    for options in ({}, {"early_stop": False}):
        assert gradient(function, use_reentrant=False, **options) == plain.grad.tolist()


def test_contexts_surround_both_runs():
    told = []

    @contextlib.contextmanager
    def telling(name):
        told.append(name)
        yield

    gradient(Counted(), use_reentrant=False, context_fn=lambda: (telling("forward"), telling("again")))
    assert told == ["forward", "again"]


def test_inputs_must_not_change_in_between():
    z = leaf(1.0) * 1
    y = checkpoint(Counted(), z, use_reentrant=False)
    z.add_(1)
    with pytest.raises(RuntimeError, match="which is output 0 of Add, is at version 1; expected version 0 instead"):
        y.backward()


def test_the_reentrant_kind_needs_the_whole_pass():
    x = leaf(1.0)
    for call in (lambda y: torch.autograd.grad(y, x), lambda y: y.backward(inputs=[x])):
        with pytest.raises(RuntimeError, match="When use_reentrant=True, "):
            call(checkpoint(Counted(), x, use_reentrant=True))
    with pytest.raises(
        RuntimeError, match=r"none of output has requires_grad=True, this checkpoint\(\) is not necessary"
    ):
        checkpoint(lambda x: x.detach(), x, use_reentrant=True).sum().backward()


def test_warns_where_the_kind_is_left_open_or_nothing_is_tracked():
    with pytest.warns(UserWarning, match="the use_reentrant parameter should be passed explicitly"):
        checkpoint(Counted(), leaf(1.0))
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True. Gradients will be None"):
        assert not checkpoint(Counted(), torch.ones(1), use_reentrant=True).requires_grad


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"use_reentrant": True, "foo": 1, "bar": 2}, "Unexpected keyword arguments: foo,bar"),
        (
            {"use_reentrant": True, "debug": True},
            "Passing `context_fn` or `debug` is only supported when use_reentrant=False.",
        ),
        (
            {"use_reentrant": False, "determinism_check": "foo"},
            "determinism_check should be one of ['default', 'none'], but got foo",
        ),
        (
            {"use_reentrant": False, "debug": True, "context_fn": lambda: None},
            "debug=True is incompatible with non-default context_fn",
        ),
    ],
)
def test_refuses_options_that_do_not_go_together(options, text):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        checkpoint(Counted(), leaf(1.0), **options)
    assert str(caught.value) == text


@BOTH
@pytest.mark.parametrize("segments", [1, 2, 3])
def test_sequences_in_segments(reentrant, segments):
    functions = [torch.exp, torch.sin, torch.tanh]
    x, plain = leaf(0.5), leaf(0.5)
    checkpoint_sequential(functions, segments, x, use_reentrant=reentrant).backward()
    torch.tanh(torch.sin(torch.exp(plain))).backward()
    assert x.grad.item() == plain.grad.item()


@BOTH
def test_a_recorded_run_tells_of_the_recomputation(reentrant):
    told = []
    run(
        "import torch\n"
        "from torch.utils.checkpoint import checkpoint\n"
        "def f(x):\n"
        "    return x.exp().sin()\n"
        "x = torch.ones(2, requires_grad=True)\n"
        f"checkpoint(f, x, use_reentrant={reentrant}).sum().backward()\n",
        told.append,
    )
    events = [json.loads(line) for batch in told for line in batch.splitlines()]
    kinds = [e["kind"] for e in events if e["kind"].startswith(("checkpoint_", "recomputation_"))]
    assert kinds == ["checkpoint_entered", "checkpoint_left", "recomputation_started", "recomputation_finished"]
    entered = next(e for e in events if e["kind"] == "checkpoint_entered")
    assert (entered["function"], entered["reentrant"]) == ("f", reentrant)
    started = next(e for e in events if e["kind"] == "recomputation_started")
    nodes = {e["node"]["node"]: e["node"]["name"] for e in events if e["kind"] == "op_applied" and e["node"]}
    assert nodes[started["node"]] == ("CheckpointFunctionBackward" if reentrant else "SinBackward0")
    at = {kind: [e["kind"] for e in events].index(kind) for kind in kinds}
    inside = events[at["recomputation_started"] : at["recomputation_finished"]]
    assert "exp" in [e["op"] for e in inside if e["kind"] == "op_applied"]


def test_untracked_saved_tensors_come_back_as_themselves():
    seen = []

    class Keeps(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(y)
            return x * 1

        @staticmethod
        def backward(ctx, g):
            seen.extend(ctx.saved_tensors)
            return g, None

    y = torch.ones(1)
    checkpoint(Keeps.apply, leaf(1.0), y, use_reentrant=False).backward()
    assert seen[0] is y


def test_warnings_are_at_the_line_of_the_call() -> None:
    """Whatever function of the engine gives them."""
    from backscope import torch as ours

    lin = ours.nn.Linear(2, 2)
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True") as caught:
        ours.utils.checkpoint.checkpoint(lin, ours.ones(1, 2), use_reentrant=True)
    assert caught[0].filename == __file__


def test_a_selective_checkpoint_tells_what_its_policy_keeps(record) -> None:
    """The tensors of the first run by their identities; that the checkpoint detaches them is no step of the program."""
    source = (
        "from functools import partial\n"
        "from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts, CheckpointPolicy\n"
        "def policy(ctx, op, *args, **kwargs):\n"
        "    first = op == torch.ops.aten.sin.default and not seen\n    seen.append(op)\n"
        "    return CheckpointPolicy.MUST_SAVE if first else CheckpointPolicy.PREFER_RECOMPUTE\n"
        "seen = []\nw = torch.ones(3, requires_grad=True)\n"
        "def block(x):\n    a = x.sin()\n    b = a.sin()\n    return b.exp()\n"
        "context = partial(create_selective_checkpoint_contexts, policy)\n"
        "y = checkpoint(block, w, use_reentrant=False, context_fn=context)\n"
        "z = checkpoint(block, w, use_reentrant=False)\n(y + z).sum().backward()\nprint(w.grad)\n"
    )
    run = record(source)
    selective, plain = run.of(ev.CheckpointEntered)
    assert (selective.selective, plain.selective) == (True, False)
    kept, nothing = [e.kept for e in run.of(ev.CheckpointLeft)]
    names = {e.tensor: e.name for e in reversed(run.of(ev.TensorNamed))}
    assert [names[tensor] for tensor in kept] == ["a"] and nothing == []
    assert [e.op for e in run.of(ev.OpApplied) if e.op == "detach"] == []
    assert {e.origin for e in run.of(ev.TensorCreated)} <= {"ones", "grad"}
    assert run.of(ev.GradModeChanged) == []
    assert run.stdout == "tensor([1.5178, 1.5178, 1.5178])\n"


def test_a_checkpoint_uses_no_sequence_number_of_its_own(torch):
    from importlib import import_module

    x = torch.ones(2, requires_grad=True)
    before = (x * 2).grad_fn._sequence_nr()
    run_again = import_module(f"{torch.__name__}.utils.checkpoint").checkpoint
    assert run_again(torch.exp, x, use_reentrant=False).grad_fn._sequence_nr() == before + 1
