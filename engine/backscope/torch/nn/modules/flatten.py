"""The names of `torch.nn.modules.flatten`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.layers.flatten import Flatten, Unflatten
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "Flatten",
    "Unflatten",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.modules.flatten", name, globals())
