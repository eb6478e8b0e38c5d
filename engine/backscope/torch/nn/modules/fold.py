"""The names of `torch.nn.modules.fold`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.layers.upsampling import Fold, Unfold
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "Fold",
    "Unfold",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.modules.fold", name, globals())
