"""The names of `torch.nn.utils.stateless`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.stateless import (
    functional_call,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "functional_call",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.utils.stateless", name, globals())
