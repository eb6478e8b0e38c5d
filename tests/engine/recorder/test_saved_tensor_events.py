"""Protects what is recorded of saved tensors: slots, storages, what is freed, clones and packed tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from backscope.protocol import events as ev


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
    """Each slot has its tensor, its bytes and whether it is the op's result; backward frees the slots in order."""
    run = record(f"x = torch.ones(3, requires_grad=True)\nc = torch.ones(3)\ny = {expression}\ny.sum().backward()\n")
    saved = run.of(ev.OpApplied)[0].node.saved
    assert [(s.slot, s.tensor, s.nbytes, s.is_output) for s in saved] == [
        (slot, name and run.named(name), nbytes, is_output) for slot, name, nbytes, is_output in slots
    ]
    assert [(f.slot, f.storage, f.nbytes) for f in run.of(ev.BufferFreed)] == [
        (s.slot, s.storage, s.nbytes) for s in saved
    ]


def test_saved_storages_are_those_of_the_tensors(record: Callable[..., Any]) -> None:
    """A saved tensor has the storage of the tensor that it was saved from."""
    run = record("x = torch.ones(3, requires_grad=True)\ny = x.exp()\n")
    (made,) = run.one(ev.OpApplied).outputs
    assert run.one(ev.OpApplied).node.saved[0].storage == made.storage


def test_retain_graph_frees_nothing(record: Callable[..., Any]) -> None:
    """A pass with retain_graph=True has no buffer_freed."""
    run = record("x = torch.tensor(2.0, requires_grad=True)\ny = x * x\ny.backward(retain_graph=True)\n")
    assert run.one(ev.BackwardStarted).retain_graph
    assert run.of(ev.BufferFreed) == []


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


def test_an_untracked_op_with_packed_tensors_pending(record: Callable[..., Any]) -> None:
    """A packed tensor is recorded with the next op, also if that op has no node."""
    run = record(
        "from torch.utils.checkpoint import checkpoint\n"
        "def f(t): return (t * 2).sin() * torch.nn.functional.dropout(t)\n"
        "x = torch.ones(3, requires_grad=True)\n"
        "checkpoint(f, x, use_reentrant=False).sum().backward()\n"
        "checkpoint(f, x, use_reentrant=True).sum().backward()\n"
    )
    assert run.status == "ok" and run.of(ev.ErrorRaised) == []
