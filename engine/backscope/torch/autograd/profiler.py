"""The names of `torch.autograd.profiler`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.torch._backend.profile_events import FunctionEvent, FunctionEventAvg
from backscope.torch._backend.profiling import (
    EventList,
    ProfilerActivity,
    emit_nvtx,
    emit_nvtx as emit_itt,
    profile,
    record_function,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "EventList",
    "FunctionEvent",
    "FunctionEventAvg",
    "ProfilerActivity",
    "emit_itt",
    "emit_nvtx",
    "profile",
    "record_function",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.autograd.profiler", name, globals())
