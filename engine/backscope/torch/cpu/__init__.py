"""The names of `torch.cpu`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.tensor.single_process import (
    Stream,
    always_available as is_available,
    always_available as is_initialized,
    cpu_device_count as device_count,
    current_device_name as current_device,
    current_stream,
    do_nothing as set_device,
    do_nothing as synchronize,
    stream,
)
from backscope.torch.cpu import amp
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "Stream",
    "amp",
    "current_device",
    "current_stream",
    "device_count",
    "is_available",
    "is_initialized",
    "set_device",
    "stream",
    "synchronize",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.cpu", name, globals())
