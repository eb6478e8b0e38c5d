"""The names of `torch.nn.modules.conv`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.layers.convolution import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
    _ConvNd as _ConvNd,
    _ConvTransposeNd as _ConvTransposeNd,
)
from backscope.nn.layers.lazy_layers import (
    LazyConv1d,
    LazyConv2d,
    LazyConv3d,
    LazyConvTranspose1d,
    LazyConvTranspose2d,
    LazyConvTranspose3d,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.modules.conv", name, globals())
