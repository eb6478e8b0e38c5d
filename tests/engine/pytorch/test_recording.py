"""A training step on PyTorch is recorded into the events that the engine gives, and everything is put back."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from backscope.protocol import events as ev, trace as traces

TRAINING = """
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(16, 4)
y = torch.randn(16, 1)
---
for step in range(2):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
print("loss", loss.item())
"""


@pytest.fixture
def training(recorded: Callable[..., Any]) -> Any:
    """Two steps of training."""
    return recorded(TRAINING)


def test_a_training_step_has_its_events(training: Any) -> None:
    ops = [(e.op, e.node.name if e.node else None, e.module_path) for e in training.of(ev.OpApplied)]
    step = [
        ("t", "TBackward0", "model.0"), ("addmm", "AddmmBackward0", "model.0"), ("relu", "ReluBackward0", "model.1"),
        ("t", "TBackward0", "model.2"), ("addmm", "AddmmBackward0", "model.2"), ("mse_loss", "MseLossBackward0", None),
    ]  # fmt: skip
    assert ops == [*step, *step]
    names = training.names()
    accumulated = [names[e.tensor] for e in training.of(ev.GradAccumulated)]
    parameters = ["model.2.bias", "model.2.weight", "model.0.bias", "model.0.weight"]
    assert sorted(accumulated) == sorted(parameters * 2)
    assert {e.rounds for e in training.of(ev.LoopFinished)} == {2}
    assert [e.text for e in training.of(ev.OutputPrinted)] == [f"loss {training.space['loss'].item()}\n"]
    first, second = training.of(ev.OptimizerStepped)
    assert (first.optimizer, first.number, second.number) == ("SGD", 1, 2)
    assert [u.name for u in first.updates] == ["model.0.weight", "model.0.bias", "model.2.weight", "model.2.bias"]
    assert training.trace.status == "ok"


def test_the_events_have_the_values_of_the_program(training: Any) -> None:
    (last,) = [e for e in training.of(ev.OpApplied) if e.op == "mse_loss"][1:]
    assert math.isclose(last.outputs[0].value.values[0], training.space["loss"].item(), rel_tol=1e-6)
    weight = training.space["model"][0].weight
    update = training.of(ev.OptimizerStepped)[1].updates[0]
    assert update.after.values == pytest.approx(weight.flatten().tolist(), rel=1e-6)
    assert update.grad.values == pytest.approx(weight.grad.flatten().tolist(), rel=1e-6)


def test_every_freed_tensor_is_one_that_was_saved(training: Any) -> None:
    saved = [(e.node.node, s.slot, s.nbytes) for e in training.of(ev.OpApplied) if e.node for s in e.node.saved]
    assert [(e.node, e.slot, e.nbytes) for e in training.of(ev.BufferFreed)] != []
    assert sorted((e.node, e.slot, e.nbytes) for e in training.of(ev.BufferFreed)) == sorted(saved)


def test_a_trace_comes_of_it(training: Any, tmp_path: Path) -> None:
    path = training.trace.save(tmp_path / "run.backscope")
    lines = list(traces.read(path))
    assert [ev.decode(line) for line in lines] == training.trace.events
    assert [e.seq for e in training.trace.events] == list(range(len(lines)))


def test_it_says_why(training: Any) -> None:
    assert "AddmmBackward0 of line" in training.trace.why("model.0.weight")
    assert training.trace.why(training.space["model"][0].weight) == training.trace.why("model.0.weight")
    with pytest.raises(ValueError, match="took no part"):
        training.trace.why(training.space["torch"].ones(1))


UNUSED = """
---
model = torch.nn.ModuleDict({"used": torch.nn.Linear(2, 2), "unused": torch.nn.Linear(2, 2)})
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model["used"](torch.ones(1, 2)).sum().backward()
optimizer.step()
"""


def test_it_says_why_a_parameter_does_not_change(recorded: Callable[..., Any]) -> None:
    """What initializes a parameter on PyTorch is no use of it."""
    said = recorded(UNUSED).trace.why()
    assert "Why did model.unused.weight not change?" in said
    assert "No op used model.unused.weight, made at line" in said


def test_an_exception_is_recorded_and_goes_on(recorded: Callable[..., Any]) -> None:
    run = recorded("w = torch.ones(2, requires_grad=True)\n---\n(w * 2).backward()")
    assert "grad can be implicitly created" in str(run.space["error"])
    last = run.of(ev.ErrorRaised)[-1]
    assert last.stage == "program"
    assert (last.type, last.message, last.line) == ("RuntimeError", str(run.space["error"]), 5)
    assert run.trace.status == "error"


@pytest.mark.parametrize("error", ["ValueError()", "KeyboardInterrupt()", None])
def test_everything_is_put_back(room: ModuleType, error: str | None) -> None:
    import torch
    from torch.nn.modules import module
    from torch.optim import optimizer
    from torch.utils.hooks import RemovableHandle

    def state() -> list[Any]:
        hooks = torch.autograd.graph.saved_tensors_hooks
        return [
            vars(torch.autograd)["backward"], vars(torch.autograd.Function)["apply"], vars(hooks)["__enter__"],
            vars(hooks)["__exit__"], vars(RemovableHandle)["remove"], len(module._global_forward_hooks),
            len(module._global_forward_pre_hooks), len(optimizer._global_optimizer_pre_hooks),
            len(optimizer._global_optimizer_post_hooks), torch._C._len_torch_dispatch_stack(),
            torch._C._len_torch_function_stack(), torch.is_grad_enabled(),
        ]  # fmt: skip

    before = state()
    w = torch.ones(2, requires_grad=True)
    hook = lambda g: g  # noqa: E731
    try:
        with room.record():
            assert state() != before
            w.register_hook(hook)
            (w * 2).sum().backward()
            if error is not None:
                raise eval(error)
    except (ValueError, KeyboardInterrupt):
        pass
    assert state() == before
    assert list(w._backward_hooks.values()) == [hook]


def test_an_error_of_the_recording_ends_it_alone(
    recorded: Callable[..., Any], room: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from backscope.pytorch.identities import Identities

    def fails(*given: Any) -> None:
        raise LookupError("a defect")

    monkeypatch.setattr(Identities, "edges", fails)
    run = recorded(TRAINING)
    assert run.space["error"] is None
    assert run.space["step"] == 1
    assert run.trace.status == "cut"
    assert "LookupError in test_recording.py" in capsys.readouterr().err
    assert "a defect" in run.of(ev.WarningRaised)[-1].message
    assert run.trace.events[-1].status == "cut"


def test_one_at_a_time(room: ModuleType) -> None:
    with room.record() as trace, pytest.raises(RuntimeError, match="under way already"), room.record():
        pass
    with pytest.raises(RuntimeError, match="made already"), trace:
        pass
    with pytest.raises(ValueError, match='"norms"'):
        room.record(values="some")


def test_a_view_whose_base_was_changed_since_is_told(recorded: Callable[..., Any]) -> None:
    run = recorded("torch.manual_seed(0)\n---\ntable = torch.nn.Embedding(4, 2, padding_idx=0)\nout = table.weight * 2")
    assert run.trace.status == "ok"
    assert [e.op for e in run.of(ev.OpApplied)] == ["normal_", "select", "fill_", "mul"]


def test_ops_and_their_arguments_have_the_names_of_the_engine(recorded: Callable[..., Any]) -> None:
    made = recorded("""
x = torch.zeros(2, 3, requires_grad=True)
---
y = x.log_softmax(1).softmax(1).double().clone(memory_format=torch.contiguous_format)
torch.nn.functional.nll_loss(y, torch.tensor([0, 2])).backward()
""").of(ev.OpApplied)
    assert [e.op for e in made] == ["log_softmax", "softmax", "to_copy", "clone", "nll_loss"]
    (layout,) = [i.text for e in made for i in e.inputs if i.name == "memory_format"]
    assert layout == "torch.contiguous_format"


def test_a_change_is_told_of_all_that_share_the_memory(recorded: Callable[..., Any]) -> None:
    run = recorded("""
x = torch.zeros(4, requires_grad=True)
---
x.data.add_(1)
half, last = x.detach()[:2], x.detach()[3:]
half.mul_(3)
""")
    names = run.names()
    told = [(names.get(e.tensor), e.through is not None, e.value.values) for e in run.of(ev.TensorMutated)]
    assert told == [
        (None, False, [1.0] * 4), ("x", True, [1.0] * 4),
        ("half", False, [3.0, 3.0]), ("x", True, [3.0, 3.0, 1.0, 1.0]),
    ]  # fmt: skip
    assert [e.origin for e in run.of(ev.TensorCreated)][-1] == "data"


def test_what_an_op_writes_into_a_list_is_told(recorded: Callable[..., Any]) -> None:
    run = recorded("a, b = torch.ones(2), torch.zeros(3)\n---\ntorch._foreach_add_([a, b], 2.0)")
    changed = [(e.value.values[0], e.version) for e in run.of(ev.TensorMutated)]
    assert changed == [(3.0, 1), (2.0, 1)]


@pytest.mark.filterwarnings("always")
def test_a_warning_names_the_line_of_the_program(recorded: Callable[..., Any]) -> None:
    with pytest.warns(UserWarning, match="degrees of freedom") as shown:
        run = recorded(
            """
            w = torch.ones(1, requires_grad=True)
            ---
            for _ in range(2):
                torch.std(torch.ones(1))
            def hook(g):
                torch.std(torch.ones(1))
            w.register_hook(hook)
            w.sum().backward()
            """
        )
    assert [e.line for e in run.of(ev.WarningRaised)] == [6, 6, 8]
    assert {warning.filename.startswith("<program") for warning in shown} == {True}


@pytest.mark.filterwarnings("always")
def test_a_warning_that_counts_frames_names_the_line_of_the_program(recorded: Callable[..., Any]) -> None:
    with pytest.warns(UserWarning, match="Implicit dimension") as shown:
        run = recorded("m = torch.nn.Softmax()\n---\nm(torch.ones(2, 3))")
    assert [e.line for e in run.of(ev.WarningRaised)] == [run.of(ev.OpApplied)[-1].line]
    assert {warning.filename.startswith("<program") for warning in shown} == {True}


def test_values_are_read_where_they_lie(recorded: Callable[..., Any]) -> None:
    run = recorded(
        """
        a = torch.arange(6.0).reshape(2, 3)
        emptied = torch.ones(3)
        emptied.untyped_storage().resize_(0)
        ---
        b = a.t().bfloat16()
        c = a[0].expand(2, 3) + 0
        d = torch.complex(a, a).conj()
        e = torch.full((2,), 1e-25) * 1
        f = emptied.view(3)
        """
    )
    made = {e.op: e.outputs[0].value for e in run.of(ev.OpApplied)}
    assert (made["to_copy"].values, made["to_copy"].strides) == ([0.0, 3.0, 1.0, 4.0, 2.0, 5.0], [1, 3])
    assert (made["expand"].values, made["expand"].strides) == ([0.0, 1.0, 2.0] * 2, [0, 1])
    assert made["conj"].values[1] == [1.0, -1.0]
    assert made["mul"].norm == pytest.approx(1e-25 * math.sqrt(2))
    assert (made["view"].shape, made["view"].values) == ([3], [])
    assert run.trace.status == "ok"


@pytest.mark.parametrize("most", [0, -1])
def test_bounds_below_one_are_refused(room: ModuleType, most: int) -> None:
    with pytest.raises(ValueError, match="most_bytes is a number of bytes from 1 on"):
        room.record(most_bytes=most)
