"""Protects what is recorded of hooks on tensors, nodes and modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.protocol import events as ev


def test_hooks(record: Callable[..., Any]) -> None:
    """Each hook that ran is recorded with its place, its name, and the gradient before and after."""
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
    ran = [
        (e.where, e.hook, e.before and e.before.values, e.after and e.after.values, e.tensor)
        for e in run.of(ev.HookRan)
    ]
    assert ran == [
        ("tensor", "double", [1.0], [2.0], None),
        ("tensor", "look", [2.0], None, None),
        ("node post", "<lambda>", [6.0], None, None),
        ("post accumulate", "leaf_done", [6.0], None, run.named("x")),
    ]


def test_hooks_come_and_go(record: Callable[..., Any]) -> None:
    """A hook's registration has its tensor and grad_fn, or its node; its removal has the same."""
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


def test_hooks_of_modules(record: Callable[..., Any]) -> None:
    """A forward hook's event has the tensor that it got, a backward hook's the node of BackwardHookFunction."""
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
