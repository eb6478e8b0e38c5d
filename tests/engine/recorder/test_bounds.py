"""Protects long programs: what the recorder keeps by tensor or storage does not grow with those that are gone."""

from __future__ import annotations

from typing import Any

import pytest

from backscope.recorder.recorder import Recorder
from backscope.recorder.sweep import FEWEST_SWEPT

ROUNDS = 2500


def test_changes_of_tensors_that_are_gone(recorder: Recorder, ours: Any) -> None:
    """In-place changes leave nothing of storages that no longer exist; those of the others stay known."""
    kept = ours.ones(2)
    kept.add_(1)
    for _ in range(ROUNDS):
        ours.ones(2).add_(1)
    changes = recorder.changes
    assert len(changes.recorded_version) <= FEWEST_SWEPT
    assert len(changes.changed_at) <= FEWEST_SWEPT
    storage = kept._token.storage
    assert changes.recorded_version[storage] == 1
    assert recorder.history.changed_at(storage) is not None


def test_changes_of_what_a_node_saved(recorder: Recorder, ours: Any) -> None:
    """A storage is known as long as a node has saved it, which says where it changed if that fails."""
    x = ours.ones(2, requires_grad=True)
    y = x.exp()
    node = y.grad_fn
    storage = y._token.storage
    y.add_(1)
    end = y.sum()
    del y
    for _ in range(ROUNDS):
        ours.ones(2).add_(1)
    assert recorder.history.changed_at(storage) is not None
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        end.backward()
    assert node is not None


def test_parameters_of_optimizers_that_are_gone(recorder: Recorder, ours: Any) -> None:
    """Steps leave nothing of parameters that no longer exist, and a step of an optimizer that exists is known."""
    kept = ours.nn.Parameter(ours.ones(2))
    for i in range(ROUNDS):
        parameter = ours.nn.Parameter(ours.ones(2)) if i else kept
        parameter.grad = ours.ones(2)
        ours.optim.SGD([parameter], lr=0.1).step()
    changes = recorder.changes
    for entries in (changes.recorded_version, changes.parameter_values, changes.changed_at, changes.stepped):
        assert 0 < len(entries) <= FEWEST_SWEPT + 1
    assert recorder.history.stepped(kept._token.storage) == "SGD"


def test_names_of_tensors_that_are_gone(recorder: Recorder, ours: Any) -> None:
    """Names leave nothing of tensors that no longer exist; those of the others stay known."""
    kept = ours.ones(2)
    recorder.named("kept", kept, 1)
    for i in range(ROUNDS):
        recorder.named("cache", {i: ours.ones(2)}, 2)
    assert len(recorder.names.bound) <= FEWEST_SWEPT
    assert recorder.names.bound["kept"] == kept._token.tensor
    recorder.drain()
    assert len(recorder.names.by_tensor) <= 2


def test_modules_that_are_gone(recorder: Recorder, ours: Any) -> None:
    """The parameters of modules that no longer exist leave nothing, held by a variable or called only."""
    for i in range(ROUNDS // 2):
        module = ours.nn.Linear(1, 1)
        if i % 2:
            recorder.named("module", module, 1)
        module(ours.ones(1))
    assert len(recorder.names.placed) <= FEWEST_SWEPT
    assert len(recorder.names.bound) <= FEWEST_SWEPT


def test_more_tensors_than_are_swept_from_on(recorder: Recorder, ours: Any) -> None:
    """Entries of tensors that exist are never removed, however many there are."""
    held = [ours.ones(1) for _ in range(3 * FEWEST_SWEPT)]
    for i, tensor in enumerate(held):
        tensor.add_(1)
        recorder.named(f"t{i}", tensor, 1)
    assert all(tensor._token.storage in recorder.changes.changed_at for tensor in held)
    assert len(recorder.names.bound) == len(held)
