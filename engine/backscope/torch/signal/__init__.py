"""The names of `torch.signal`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.torch.missing import missing_name as _missing_name
from backscope.torch.signal import windows

__all__ = ["windows"]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.signal", name, globals())
