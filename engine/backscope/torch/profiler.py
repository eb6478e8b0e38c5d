"""The names of `torch.profiler`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.torch._backend.profiling import (
    ProfilerAction,
    ProfilerActivity,
    profile,
    record_function,
    schedule,
    tensorboard_trace_handler,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "ProfilerAction",
    "ProfilerActivity",
    "profile",
    "record_function",
    "schedule",
    "tensorboard_trace_handler",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.profiler", name, globals())
