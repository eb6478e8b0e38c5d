"""The names of `torch.nn.utils.memory_format`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.memory_format import convert_conv2d_weight_memory_format, convert_conv3d_weight_memory_format
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "convert_conv2d_weight_memory_format",
    "convert_conv3d_weight_memory_format",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.utils.memory_format", name, globals())
