"""The names of `torch.nn.modules.padding`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.layers.padding import (
    CircularPad1d,
    CircularPad2d,
    CircularPad3d,
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    ZeroPad1d,
    ZeroPad2d,
    ZeroPad3d,
    _CircularPadNd as _CircularPadNd,
    _ConstantPadNd as _ConstantPadNd,
    _ReflectionPadNd as _ReflectionPadNd,
    _ReplicationPadNd as _ReplicationPadNd,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.modules.padding", name, globals())
