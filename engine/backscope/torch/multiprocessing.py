"""The names of `torch.multiprocessing`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.tensor.single_process import (
    do_nothing as freeze_support,
    do_nothing as set_sharing_strategy,
    do_nothing as set_start_method,
    reject_other_processes as Pool,
    reject_other_processes as Process,
    reject_other_processes as spawn,
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
