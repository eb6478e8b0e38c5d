"""Hooks of modules: their order, the values that they may change, and their events in a recording."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from backscope.protocol import events as ev


def test_order_of_all_kinds(torch: Any) -> None:
    """Before and after forward, before and after backward; prepended ones first, removed ones not at all."""
    seen: list[str] = []
    module = torch.nn.Linear(1, 1)
    module.register_forward_hook(lambda *a: seen.append("post"))
    module.register_forward_pre_hook(lambda *a: seen.append("pre"))
    module.register_forward_pre_hook(lambda *a: seen.append("first"), prepend=True)
    module.register_full_backward_hook(lambda *a: seen.append("backward"))
    module.register_full_backward_pre_hook(lambda *a: seen.append("before backward"))
    module.register_forward_hook(lambda *a: seen.append("gone")).remove()
    module(torch.ones(1, 1, requires_grad=True)).sum().backward()
    assert seen == ["first", "pre", "post", "before backward", "backward"]


def test_backward_hooks_replace_gradients(torch: Any) -> None:
    """What a pre-hook returns goes into the module, what a hook returns comes out of it."""
    module, x = torch.nn.Sigmoid(), torch.zeros(1, requires_grad=True)
    module.register_full_backward_pre_hook(lambda m, grad_output: (grad_output[0] * 10,))
    module.register_full_backward_hook(lambda m, grad_input, grad_output: (grad_input[0] + grad_output[0],))
    module(x).backward()
    assert x.grad.item() == 12.5
    module.register_full_backward_hook(lambda m, grad_input, grad_output: ())
    with pytest.raises(RuntimeError, match="invalid number of grad_input, got 0, but expected 1"):
        module(x).backward()


def test_the_identities_around_a_hooked_module_are_views(torch: Any) -> None:
    """Inputs and outputs pass a BackwardHookFunction; changing them in place is refused."""
    module = torch.nn.Identity()
    module.register_full_backward_hook(lambda *a: None)
    out = module(torch.ones(2, requires_grad=True) * 1)
    assert out.grad_fn.name() == "BackwardHookFunctionBackward"
    with pytest.raises(RuntimeError, match="is a view and is being modified inplace"):
        out.add_(1)


def test_a_hook_that_is_always_called_sees_errors_pass(torch: Any) -> None:
    """always_call runs a forward hook despite an exception, whose own is only warned of."""
    seen: list[Any] = []
    module = torch.nn.Linear(1, 1)
    module.register_forward_hook(lambda m, args, out: seen.append(out), always_call=True)

    def fail(*args: Any) -> None:
        raise ValueError("mine")

    module.register_forward_hook(fail, always_call=True)
    with pytest.raises(RuntimeError, match="mat1 and mat2"), pytest.warns(UserWarning, match="silenced .*: mine"):
        module(torch.ones(1, 2))
    assert seen == [None]


def test_a_recording_tells_where_each_hook_ran(record: Callable[..., Any]) -> None:
    """hook_ran names the place, the hook and the module, and what it changed."""
    run = record(
        "net = torch.nn.Linear(1, 1)\n"
        "def double(module, args, out): return out * 2\n"
        "def look(module, grad_input, grad_output): pass\n"
        "net.register_forward_hook(double)\n"
        "net.register_full_backward_hook(look)\n"
        "net(torch.ones(1, 1, requires_grad=True)).sum().backward()\n"
    )
    assert [(e.where, e.hook, e.module) for e in run.of(ev.HookRan)] == [
        ("module forward", "double", "net"),
        ("module backward", "look", "net"),
    ]
    forward, backward = run.of(ev.HookRan)
    assert forward.after.values == pytest.approx([2 * forward.before.values[0]])
    assert backward.after is None


def test_layers_are_recorded_with_their_first_values(record: Callable[..., Any]) -> None:
    """Making a layer tells of its parameters once, as they are after initialisation."""
    run = record("torch.manual_seed(0)\nnet = torch.nn.Linear(2, 1)\nprint(net.weight)\n")
    made = run.of(ev.TensorCreated)
    assert [(e.origin, e.info.value.shape, e.info.requires_grad) for e in made] == [
        ("Parameter", [1, 2], True),
        ("Parameter", [1], True),
    ]
    assert made[0].info.value.values == pytest.approx([-0.005293981, 0.37932295], rel=1e-5)
    assert not run.of(ev.TensorMutated, ev.OpApplied)
