"""The names of `torch.autograd.variable`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.autograd.variable import Variable
from backscope.torch.missing import missing_name as _missing_name

__all__ = ["Variable"]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.autograd.variable", name, globals())
