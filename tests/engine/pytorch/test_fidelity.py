"""A program computes the same, bit by bit, whether it is recorded or not, in each detail."""

from __future__ import annotations

import importlib
import sys
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

NAMES = (
    "accumulation", "attention", "autocast", "checkpoints", "compiled", "convolution", "custom_functions",
    "data_parallel", "double_backward", "foreach_optimizer", "fused_optimizer", "hooks", "in_place", "in_place_error",
    "packing", "plain_optimizer", "random_numbers", "recurrent", "sparse_and_complex", "subclass", "transformer",
    "transforms",
)  # fmt: skip


@pytest.fixture(scope="module")
def programs() -> ModuleType:
    """The module of the programs."""
    name = "programs_on_pytorch"
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name("programs.py"))
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert sorted(module.PROGRAMS) == sorted(NAMES)
    return module


def facts(found: list[Any]) -> list[Any]:
    """The bits, strides and versions of tensors."""
    import torch

    told: list[Any] = []
    for t in found:
        if not isinstance(t, torch.Tensor):
            told.append(t)
            continue
        version = t._version
        t = t.detach().resolve_conj()
        bits = t.contiguous().clone().flatten().view(torch.uint8).tolist()
        told.append((bits, tuple(t.shape), t.stride(), t.dtype, version, t.storage_offset()))
    return told


def outcome(program: Any, block: Any) -> list[Any]:
    """What a program computes, and the state of the random generator after it."""
    import torch

    torch.manual_seed(0)
    found = facts(program(block))
    return [*found, torch.get_rng_state().tolist()]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_the_same_bits(programs: ModuleType, room: ModuleType, name: str) -> None:
    program = programs.PROGRAMS[name]
    plain = outcome(program, nullcontext)
    for values in ("all", "norms", "none"):
        traces = []

        def block(values: str = values, traces: list[Any] = traces) -> Any:
            traces.append(room.record(values=values))
            return traces[-1]

        assert outcome(program, block) == plain, values
        for trace in traces:
            assert [e for e in trace.events if type(e).__name__ == "WarningRaised" and "Backscope" in e.message] == []
            assert trace.status == "ok"
            assert len(trace.events) > 5
