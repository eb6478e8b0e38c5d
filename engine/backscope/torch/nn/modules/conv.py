"""The names of `torch.nn.modules.conv`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.convolution import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.modules.conv", name, globals())
