"""The names of `torch.multiprocessing`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.tensor.single_process import (
    nothing as freeze_support,
    nothing as set_sharing_strategy,
    nothing as set_start_method,
    one_process as Pool,
    one_process as Process,
    one_process as spawn,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "Pool",
    "Process",
    "freeze_support",
    "set_sharing_strategy",
    "set_start_method",
    "spawn",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.multiprocessing", name, globals())
