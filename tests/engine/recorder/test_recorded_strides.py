"""Protects the strides in events: they are those of `.stride()`, also of values that are copied to be written later."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from backscope.protocol import events as ev

LEAF = "leaf = torch.ones(1, 4, requires_grad=True); "


@pytest.mark.parametrize(
    ("made", "strides"),
    [
        ("x = torch.ones(1, 2).t()", [1, 2]),
        ("x = torch.ones(1, 2).t().detach()", [1, 2]),
        ("x = torch.randn(1, 2).t().clone()", [1, 2]),
        ("x = torch.ones(1, 2, dtype=torch.bfloat16).t()", [1, 2]),
        ("x = torch.ones(1, 2, dtype=torch.complex64).t()", [1, 2]),
        ("x = torch.empty(1, 2, device='meta').t()", [1, 2]),
        ("x = torch.ones(1, 5000).t()", [1, 5000]),
        ("x = torch.empty(2, 0, 3)", [3, 3, 1]),
        ("x = torch.empty(2, 0, 3).transpose(0, 2)", [1, 3, 3]),
        ("x = torch.ones(4, 5)[1:1, ::2]", [5, 2]),
        ("x = torch.ones(1).expand(3, 4)", [0, 0]),
        ("x = torch.ones(3, 1).expand(3, 4)", [1, 0]),
        ("x = torch.arange(6.).as_strided((1, 2), (7, 3))", [7, 3]),
        ("x = torch.ones(1, 1, 3).narrow(2, 0, 1)", [3, 3, 1]),
        ("x = torch.ones(3, 3).diagonal()", [4]),
        (LEAF + "leaf.t().sum().backward(); x = leaf.grad", [4, 1]),
        (LEAF + "x, = torch.autograd.grad(leaf.sum(), leaf)", [0, 0]),
        (LEAF + "x, = torch.autograd.grad(leaf.t().sum(), leaf)", [0, 0]),
    ],
)
def test_strides(made: str, strides: list[int], record: Callable[..., Any]) -> None:
    """The recorded value of a tensor has PyTorch's strides."""
    found = record(f"import torch\n{made}\nprint(list(x.stride()))\n")
    number = found.named("x")
    infos = [info for e in found.of(ev.OpApplied) for info in e.outputs] + [e.info for e in found.of(ev.TensorCreated)]
    assert [info.value.strides for info in infos if info.tensor == number] == [strides]
    assert found.stdout == f"{strides}\n"


def test_gradients_on_their_way(record: Callable[..., Any]) -> None:
    """That of a sum is one number, which every element shares."""
    found = record("import torch\nx = torch.ones(2, 3, requires_grad=True)\n(x * 2).sum().backward()\n")
    assert [e.value.strides for e in found.of(ev.GradientSent)] == [[0, 0], [3, 1]]
