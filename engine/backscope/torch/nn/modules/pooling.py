"""The names of `torch.nn.modules.pooling`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.layers.pooling import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AdaptiveMaxPool3d,
    AvgPool1d,
    AvgPool2d,
    AvgPool3d,
    FractionalMaxPool2d,
    FractionalMaxPool3d,
    LPPool1d,
    LPPool2d,
    LPPool3d,
    MaxPool1d,
    MaxPool2d,
    MaxPool3d,
    MaxUnpool1d,
    MaxUnpool2d,
    MaxUnpool3d,
    _AdaptiveAvgPoolNd as _AdaptiveAvgPoolNd,
    _AdaptiveMaxPoolNd as _AdaptiveMaxPoolNd,
    _AvgPoolNd as _AvgPoolNd,
    _LPPoolNd as _LPPoolNd,
    _MaxPoolNd as _MaxPoolNd,
    _MaxUnpoolNd as _MaxUnpoolNd,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.modules.pooling", name, globals())
