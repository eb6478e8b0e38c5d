"""The names of `torch.cuda`, as in a build without CUDA."""

from __future__ import annotations

from typing import Any as _Any

from backscope.torch._backend.cuda import (
    device_count,
    is_available,
    is_bf16_supported,
    is_initialized,
    no_memory as max_memory_allocated,
    no_memory as memory_allocated,
    no_memory as memory_reserved,
    nothing as empty_cache,
    nothing as ipc_collect,
    nothing as manual_seed,
    nothing as manual_seed_all,
    nothing as reset_peak_memory_stats,
    refuse as current_device,
    refuse as get_device_capability,
    refuse as get_device_name,
    refuse as get_device_properties,
    refuse as init,
    refuse as set_device,
    refuse as synchronize,
)
from backscope.torch.cuda import amp
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "amp",
    "current_device",
    "device_count",
    "empty_cache",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "init",
    "ipc_collect",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "memory_allocated",
    "memory_reserved",
    "reset_peak_memory_stats",
    "set_device",
    "synchronize",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.cuda", name, globals())
