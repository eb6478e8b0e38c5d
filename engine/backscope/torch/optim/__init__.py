"""The names of `torch.optim`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.optim import SGD, Optimizer
from backscope.torch.missing import missing_name as _missing_name

__all__ = ["SGD", "Optimizer"]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.optim", name, globals())
