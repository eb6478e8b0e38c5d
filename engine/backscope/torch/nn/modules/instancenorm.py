"""The names of `torch.nn.modules.instancenorm`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.layers.batch_normalization import (
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
    _InstanceNorm as _InstanceNorm,
)
from backscope.nn.layers.lazy_layers import LazyInstanceNorm1d, LazyInstanceNorm2d, LazyInstanceNorm3d
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.modules.instancenorm", name, globals())
