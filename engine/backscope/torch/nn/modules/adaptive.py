"""The names of `torch.nn.modules.adaptive`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.layers.adaptive import AdaptiveLogSoftmaxWithLoss
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "AdaptiveLogSoftmaxWithLoss",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.modules.adaptive", name, globals())
