"""Hooks, checkpoints, custom Functions, errors and in-place changes on PyTorch have their events."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from backscope.protocol import events as ev

Record = Callable[..., Any]


def test_hooks_of_all_kinds(recorded: Record) -> None:
    run = recorded("""
        model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
        x = torch.ones(1, 2, requires_grad=True)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        def doubled(module, given, out): return out * 2
        def seen(*given): pass
        ---
        handle = model[0].register_forward_hook(doubled)
        model.register_full_backward_hook(seen)
        optimizer.register_step_post_hook(seen)
        torch.autograd.graph.register_multi_grad_hook(list(model.parameters()), seen)
        x.register_hook(seen)
        x.register_post_accumulate_grad_hook(seen)
        model(x).sum().backward()
        optimizer.step()
        handle.remove()
    """)
    ran = [(e.where, e.hook, e.module) for e in run.of(ev.HookRan)]
    assert sorted(ran, key=str) == [
        ("module backward", "seen", "model"), ("module forward", "doubled", "model.0"), ("multi grad", "seen", None),
        ("optimizer step post", "seen", "SGD"), ("post accumulate", "seen", None), ("tensor", "seen", None),
    ]  # fmt: skip
    assert [(e.where, e.module) for e in run.of(ev.ModuleHookRegistered)] == [
        ("module forward", "model.0"), ("module backward", "model"),
    ]  # fmt: skip
    assert [e.where for e in run.of(ev.HookRegistered)] == ["multi grad", "tensor", "post accumulate"]
    model = run.space["model"]
    assert [hook.__name__ for hook in model._backward_hooks.values()] == ["seen"]
    assert run.space["seen"] in model._backward_hooks.values()


@pytest.mark.parametrize("reentrant", [False, True])
def test_checkpoints(recorded: Record, reentrant: bool) -> None:
    run = recorded(f"""
        from torch.utils.checkpoint import checkpoint
        def block(x): return x.exp().sin()
        ---
        x = torch.ones(2, requires_grad=True)
        checkpoint(block, x, use_reentrant={reentrant}).sum().backward()
    """)
    entered = run.one(ev.CheckpointEntered)
    assert (entered.function, entered.reentrant) == ("block", reentrant)
    started = run.one(ev.RecomputationStarted)
    assert started.checkpoint == entered.checkpoint == run.one(ev.RecomputationFinished).checkpoint
    during = [e.op for e in run.of(ev.OpApplied) if e.during is not None]
    assert during == (["exp", "sin"] if reentrant else ["exp"])  # It stops where all that is needed is there.


def test_hooks_that_pack(recorded: Record) -> None:
    run = recorded("""
        def pack(t): return t.numpy(force=True)
        def unpack(a): return torch.from_numpy(a)
        x = torch.ones(2, requires_grad=True)
        ---
        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            y = x.exp() * x
        y.sum().backward()
    """)
    nodes = {e.node.node: e.node.name for e in run.of(ev.OpApplied) if e.node}
    packed = sorted((nodes[e.node], e.slot, e.hook) for e in run.of(ev.SavedTensorPacked))
    assert packed == [
        ("ExpBackward0", "_saved_result", "pack"),
        ("MulBackward0", "_saved_other", "pack"), ("MulBackward0", "_saved_self", "pack"),
    ]  # fmt: skip
    assert len(run.of(ev.SavedTensorUnpacked)) == 3


def test_hooks_that_pack_run_as_often_as_without_a_recording(recorded: Record) -> None:
    run = recorded("""
        calls = []
        def pack(t): calls.append("pack"); return t
        def unpack(t): calls.append("unpack"); return t
        w = torch.ones(2, requires_grad=True)
        pair = torch.autograd.graph.saved_tensors_hooks(pack, unpack)
        around = torch.autograd.graph.saved_tensors_hooks(pack, unpack)
        around.__enter__()
        ---
        y = w.exp()
        around.__exit__()
        with pair: z = w.exp()
        with pair: z = w.exp()
    """)
    assert run.space["calls"] == ["pack"] * 3
    assert len(run.of(ev.SavedTensorPacked)) == 2
    assert run.space["pair"].pack_hook is run.space["pack"]


def test_a_custom_function_is_one_op(recorded: Record) -> None:
    run = recorded("""
        class Scaled(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, by):
                ctx.save_for_backward(x)
                return x * by
            @staticmethod
            def backward(ctx, g):
                (x,) = ctx.saved_tensors
                return g * x, None
        x = torch.ones(2, requires_grad=True)
        ---
        Scaled.apply(x, 3.0).sum().backward()
    """)
    op = next(e for e in run.of(ev.OpApplied) if e.op == "Scaled")
    assert [(a.name, a.text) for a in op.inputs] == [("x", None), ("by", "3.0")]
    assert op.node.name == "ScaledBackward"
    assert [s.slot for s in op.node.saved] == ["saved_tensors[0]"]
    assert {e.mode for e in run.of(ev.GradModeChanged)} == {"function", "grad"}
    assert "mul" in {e.op for e in run.of(ev.OpApplied) if e.during == op.node.node}


def test_an_in_place_error_has_its_cause(recorded: Record) -> None:
    run = recorded("""
        w = torch.ones(3, requires_grad=True)
        ---
        y = w.exp()
        y.mul_(2)
        y.sum().backward()
    """)
    assert "modified by an inplace operation" in str(run.space["error"])
    first, last = run.of(ev.ErrorRaised)
    assert first.diagnosis == last.diagnosis
    assert "ExpBackward0 saved its result y as _saved_result at line 5" in last.diagnosis.cause
    assert "changed it at line 6" in last.diagnosis.cause
    assert run.trace.why().startswith("RuntimeError at line 7")


def test_an_error_that_is_caught(recorded: Record) -> None:
    run = recorded("""
        w = torch.ones(3, requires_grad=True)
        ---
        try:
            w @ torch.ones(4)
        except RuntimeError:
            pass
        try:
            w += 1
        except RuntimeError:
            pass
        y = w + 1
    """)
    first, second = run.of(ev.ErrorRaised)
    assert (first.stage, first.line, second.line) == ("engine", 6, 10)
    assert second.diagnosis.cause.startswith("w is a leaf that requires grad")


def test_a_second_pass_over_a_freed_graph(recorded: Record) -> None:
    run = recorded("""
        w = torch.ones(3, requires_grad=True)
        ---
        y = w.exp().sum()
        y.backward()
        y.backward()
    """)
    assert "let go of its saved tensors" in run.of(ev.ErrorRaised)[-1].diagnosis.cause


def test_memory_as_it_was_found_is_not_told(recorded: Record) -> None:
    run = recorded("""
        ---
        a = torch.empty(3)
        b = a.view(3)
        a.fill_(2.0)
    """)
    created = {e.origin: e.info.value.values for e in run.of(ev.TensorCreated)}
    assert created["empty"] == []
    assert [e.outputs[0].value.values for e in run.of(ev.OpApplied)] == [[], [2.0, 2.0, 2.0]]


def test_in_place_changes_of_views(recorded: Record) -> None:
    run = recorded("""
        w = torch.ones(2, 2, requires_grad=True)
        ---
        y = w * 1
        y[0].mul_(3)
        y.sum().backward()
    """)
    assert [e.through is None for e in run.of(ev.TensorMutated)] == [True, False]
    assert run.of(ev.GraphRebased) != []
    assert run.space["w"].grad.tolist() == [[3.0, 3.0], [1.0, 1.0]]


def test_what_is_freed_is_freed_in_pytorch(recorded: Record) -> None:
    """Reading a slot of a node after the pass says whether it is."""
    run = recorded("""
        w = torch.ones(3, requires_grad=True)
        ---
        a = w.exp()
        b = a * w
        b.sum().backward()
        c = w.sin()
        c.sum().backward(retain_graph=True)
    """)
    made = {e.node.name: e.node.node for e in run.of(ev.OpApplied) if e.node}
    freed = {e.node for e in run.of(ev.BufferFreed)}
    for node, slot in ((run.space["b"].grad_fn, "_saved_self"), (run.space["a"].grad_fn, "_saved_result")):
        with pytest.raises(RuntimeError, match="have already been freed"):
            getattr(node, slot)
        assert made[node.name()] in freed
    assert run.space["c"].grad_fn._saved_self is run.space["w"]
    assert made["SinBackward0"] not in freed


TRAINED = """
model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU(), torch.nn.Linear(2, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.ones(1, 2)
---
for step in range(4):
    optimizer.zero_grad()
    loss = model(x).sum()
    loss.backward()
    optimizer.step()
"""


def test_some_modules_alone(recorded: Record) -> None:
    run = recorded(TRAINED, modules=["model.0", "model.1"])
    assert {e.module_path for e in run.of(ev.OpApplied)} == {"model.0", "model.1"}
    assert len(run.of(ev.OpApplied)) == 12
    assert len(run.of(ev.NodeStarted)) == 10 * 4
    accumulated = {run.names()[e.tensor] for e in run.of(ev.GradAccumulated)}
    assert accumulated == {"model.0.weight", "model.0.bias", "model.2.weight", "model.2.bias"}


def test_some_steps_alone(recorded: Record, room: ModuleType) -> None:
    run = recorded(TRAINED, steps=(2, 3))
    assert len(run.of(ev.BackwardStarted)) == len(run.of(ev.OptimizerStepped)) == 2
    assert len(run.of(ev.OpApplied)) == 12
    assert run.trace.status == "ok"
    with pytest.raises(ValueError, match="from 1 on"):
        room.record(steps=0)


def test_the_programs_own_code_in_a_step_is_recorded(recorded: Record) -> None:
    run = recorded("""
        class Plain(torch.optim.Optimizer):
            def __init__(self, parameters): super().__init__(parameters, {})
            @torch.no_grad()
            def step(self):
                for p in self.param_groups[0]["params"]: p -= p.grad
        w = torch.ones(2, requires_grad=True)
        sgd, plain = torch.optim.SGD([w], lr=0.1), Plain([w])
        def closure():
            sgd.zero_grad()
            loss = w.exp().sum()
            loss.backward()
            return loss
        ---
        sgd.step(closure)
        plain.step()
    """)
    assert [e.op for e in run.of(ev.OpApplied)] == ["exp", "sum", "sub_"]
    assert [e.op for e in run.of(ev.TensorMutated)] == ["SGD.step", "sub_"]
    assert [e.optimizer for e in run.of(ev.OptimizerStepped)] == ["SGD", "Plain"]


def test_what_comes_after_a_step_that_raises_is_recorded(recorded: Record) -> None:
    run = recorded("""
        w = torch.ones(2, requires_grad=True)
        inner, outer = torch.optim.SGD([w], lr=0.1), torch.optim.SGD([w], lr=0.1)
        def fails(): raise ValueError
        def nested():
            try: inner.step(fails)
            except ValueError: pass
            loss = w.sum()
            loss.backward()
            return loss
        ---
        try: outer.step(fails)
        except ValueError: pass
        w.exp()
        outer.step(nested)
    """)
    assert [e.op for e in run.of(ev.OpApplied)] == ["exp", "sum"]
    assert [e.number for e in run.of(ev.OptimizerStepped)] == [1]


def test_norms_alone(recorded: Record) -> None:
    run = recorded(TRAINED, values="norms")
    value = run.of(ev.OpApplied)[0].outputs[0].value
    assert (value.shape, value.values, value.nan_count) == ([2, 2], [], 0)
    assert value.norm > 0


def test_compiled_functions_run_eagerly_and_that_is_said(recorded: Record) -> None:
    run = recorded("""
        f = torch.compile(lambda x: x.sin() * 2, backend="eager")
        x = torch.ones(2, requires_grad=True)
        f(x)
        ---
        f(x).sum().backward()
        g = torch.compile(lambda x: x.cos(), backend="eager")
        g(x)
    """)
    assert [e.op for e in run.of(ev.OpApplied)] == ["sin", "mul", "sum", "cos"]
    assert "no effect in this recording" in run.one(ev.WarningRaised).message


def test_ops_of_imports_are_not_the_programs(recorded: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "imported_late.py").write_text("import torch\nprobe = torch.ones(2) * 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    run = recorded("""
        ---
        import imported_late
        y = imported_late.probe + 1
    """)
    assert [e.op for e in run.of(ev.OpApplied)] == ["add"]
    assert [e.origin for e in run.of(ev.TensorCreated)] == ["tensor"]


KEPT = """
class Log(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.losses = []
    def keep(self, loss):
        self.losses.append(loss)
w = torch.ones(1, requires_grad=True)
log = Log()
---
for step in range(4):
    loss = w * 2
    log.keep(loss)
w.sum()
"""


def test_what_a_method_without_ops_keeps(recorded: Callable[..., Any]) -> None:
    """Also where its object is a module, which keeps it as a plain attribute."""
    run = recorded(KEPT)
    assert [(e.line, e.holder) for e in run.of(ev.TensorKept)] == [(7, "self.losses")] * 4
    assert "self.losses holds 4 tensors with their history at line 7" in run.trace.why()
