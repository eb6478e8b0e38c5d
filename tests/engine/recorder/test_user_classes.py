"""Protects programs with classes of their own: recording calls no special method of a tensor, module or exception."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from backscope.recorder.recorder import Recorder
from backscope.runtime.error_facts import is_recorded

ROOMS = ("backscope.recorder", "backscope.program")


def spied(kind: Any, seen: list[str]) -> Any:
    """A subclass that notes the attributes which the recorder reads and sets by the subclass's own methods."""

    def note(what: str) -> None:
        if sys._getframe(2).f_globals.get("__name__", "").startswith(ROOMS):
            seen.append(what)

    class Spied(kind):  # type: ignore[misc]
        def __getattribute__(self, name: str) -> Any:
            note(name)
            return super().__getattribute__(name)

        def __setattr__(self, name: str, value: Any) -> None:
            note(f"{name} =")
            super().__setattr__(name, value)

        @property  # type: ignore[misc]
        def __class__(self) -> Any:
            note("__class__")
            return Spied

    return Spied


def test_the_spy_sees_a_reader_in_these_rooms(ours: Any) -> None:
    """A read by code of the rooms is noted, one by other code is not."""
    seen: list[str] = []
    tensor = ours.ones(2).as_subclass(spied(ours.Tensor, seen))
    assert tensor._data is not None and seen == []
    exec("tensor._data", {"tensor": tensor, "__name__": "backscope.recorder.reader"})
    assert seen == ["_data"]


def test_tensors(recorder: Recorder, ours: Any) -> None:
    """Ops, views, in-place changes, hooks, backward passes and names of a subclass's tensors."""
    seen: list[str] = []
    kind = spied(ours.Tensor, seen)
    x = ours.tensor([1.0, 2.0]).as_subclass(kind)
    w = ours.tensor([1.0, 2.0]).as_subclass(kind).requires_grad_()
    z = (x * w + x).exp()
    total = z.sum() + ours.cat([x, w]).sum() + ours.matmul(x, w)
    changed = ours.tensor([1.0, 2.0]).as_subclass(kind)
    view = changed.view(2, 1)
    view.add_(1)
    changed.mul_(2)
    changed.data.zero_()
    w.register_hook(lambda gradient: gradient)
    copy = w.clone()
    copy.retain_grad()
    (total + copy.sum()).backward()
    w.grad = None
    w.grad = ours.ones(2).as_subclass(kind)
    (w * 2).sum().backward()
    ours.autograd.grad((w * w).sum(), w, create_graph=True)
    with ours.autograd.graph.saved_tensors_hooks(lambda saved: saved, lambda packed: packed):
        (w * w).sum().backward()
    recorder.named("x", x, 1)
    recorder.named("both", [z, w], 1)
    recorder.kept("kept", [z], 1)
    recorder.drain()
    assert recorder.history.born_at(z) is not None
    assert recorder.journal.losses == set()
    assert seen == []


def test_functions(recorder: Recorder, ours: Any) -> None:
    """Custom Functions that save and return a subclass's tensors."""
    seen: list[str] = []

    class Double(ours.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    w = ours.tensor([1.0, 2.0]).as_subclass(spied(ours.Tensor, seen)).requires_grad_()
    Double.apply(w).sum().backward()
    recorder.drain()
    assert recorder.journal.losses == set()
    assert seen == []


def test_parameters_and_modules(recorder: Recorder, ours: Any) -> None:
    """Steps of optimizers, and calls of modules, with parameters and modules of subclasses."""
    seen: list[str] = []
    kind = spied(ours.nn.Parameter, seen)
    module = spied(ours.nn.Linear, seen)(2, 1)
    module.weight = kind(ours.ones(1, 2))
    optimizer = ours.optim.SGD([module.weight], lr=0.1, momentum=0.9)
    module(ours.ones(2)).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    recorder.named("module", module, 1)
    recorder.drain()
    assert recorder.journal.losses == set()
    assert seen == []


def test_exceptions(recorder: Recorder, ours: Any) -> None:
    """An exception of a subclass that ends a backward pass."""
    seen: list[str] = []
    kind = spied(ValueError, seen)

    def refuse(gradient: Any) -> None:
        raise kind("no")

    x = ours.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(refuse)
    with pytest.raises(kind) as raised:
        y.sum().backward()
    recorder.drain()
    assert is_recorded(raised.value)
    assert recorder.journal.losses == set()
    assert seen == []
