"""The names of `torch.cpu`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.single_process import nothing as synchronize
from backscope.torch.cpu import amp
from backscope.torch.missing import missing_name as _missing_name

__all__ = ["amp", "synchronize"]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.cpu", name, globals())
