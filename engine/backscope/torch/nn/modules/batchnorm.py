"""The names of `torch.nn.modules.batchnorm`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.layers.batch_normalization import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    SyncBatchNorm,
    _BatchNorm as _BatchNorm,
    _NormBase as _NormBase,
)
from backscope.nn.layers.lazy_layers import LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "SyncBatchNorm",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.modules.batchnorm", name, globals())
