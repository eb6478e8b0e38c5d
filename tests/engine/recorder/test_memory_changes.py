"""Protects what is recorded of in-place changes: views, tensors that share memory, and new grad_fns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from backscope.protocol import events as ev


def test_views_share_a_storage(record: Callable[..., Any]) -> None:
    """A view has the storage and the version of its base, and names the base."""
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


def test_a_change_is_recorded_for_all_that_share_it(record: Callable[..., Any]) -> None:
    """A change through .data, detach() or a view has an event for the whole tensor, with its own version."""
    run = record(
        "x = torch.ones(2, requires_grad=True)\nx.data.mul_(3)\ny = torch.zeros(2, 2)\ny[1] = 7\nrow = y[0]\n"
        "y[:, 0].add_(1)\nother = y[1]\nrow.detach().fill_(5)\n"
    )
    last = {e.tensor: (e.version, e.value.values) for e in run.of(ev.TensorMutated)}
    assert last[run.named("x")] == (0, [3.0, 3.0])
    assert last[run.named("y")] == (3, [5.0, 5.0, 8.0, 7.0])
    assert last[run.named("row")] == (3, [5.0, 5.0])
    assert run.named("other") not in last


def test_a_change_is_not_recorded_for_unchanged_elements(record: Callable[..., Any]) -> None:
    """A change of one column of a matrix is not recorded for another, though their memory interleaves."""
    run = record("x = torch.zeros(4, 2)\na = x[:, 0]\nb = x[:, 1]\na.add_(1)\n")
    own, whole = run.of(ev.TensorMutated)
    assert (own.tensor, own.through) == (run.named("a"), None)
    assert (whole.tensor, whole.through) == (run.named("x"), run.named("a"))


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("views = [x[i] for i in range(40)]\nx.add_(1)\n", 1),
        ("for row in list(x):\n    row.add_(1)\n", 80),
        ("for i in range(40):\n    row = x[i]\nx.add_(1)\n", 2),
    ],
)
def test_a_change_is_recorded_for_tensors_with_names(record: Callable[..., Any], body: str, count: int) -> None:
    """It is not recorded for every other view that exists: each would add an event to each change."""
    run = record(f"x = torch.zeros(40, 2)\n{body}")
    assert len(run.of(ev.TensorMutated)) == count


def test_an_optimizer_changes_what_shares_its_parameters_memory(record: Callable[..., Any]) -> None:
    """A step of an optimizer is recorded for a view of its parameter too, with the new values."""
    run = record(
        "w = torch.ones(2, requires_grad=True)\nd = w.detach()\nopt = torch.optim.SGD([w], lr=1.0)\n"
        "w.sum().backward()\nopt.step()\n"
    )
    last = {e.tensor: e.value.values for e in run.of(ev.TensorMutated)}
    assert last[run.named("d")] == [0.0, 0.0]


def test_in_place_on_a_view_rebases(record: Callable[..., Any]) -> None:
    """The base gets CopySlices, the view AsStrided, and their edges lead to nodes that have events."""
    run = record("x = torch.ones(3, requires_grad=True)\ny = x * 1\nv = y[:2]\nv.mul_(2)\nv.sum().backward()\n")
    rebased = [(e.tensor, e.node.name) for e in run.of(ev.GraphRebased)]
    assert sorted(rebased) == sorted([(run.named("y"), "CopySlices"), (run.named("v"), "AsStridedBackward0")])
    known = {e.node for e in run.of(ev.NodeCreated)} | {e.node.node for e in run.of(ev.OpApplied) if e.node}
    known |= {e.node.node for e in run.of(ev.GraphRebased)}
    assert {e.node for e in run.of(ev.NodeStarted)} <= known
