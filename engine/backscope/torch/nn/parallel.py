"""The names of `torch.nn.parallel`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.data_parallel import DataParallel, DistributedDataParallel, data_parallel
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "DataParallel",
    "DistributedDataParallel",
    "data_parallel",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.parallel", name, globals())
