"""The names of `torch.ops`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.torch.missing import missing_name as _missing_name
from backscope.torch.ops import aten

__all__ = ["aten"]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.ops", name, globals())
