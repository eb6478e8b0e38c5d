"""The names of `torch.nn.modules.dropout`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.layers.dropout import (
    AlphaDropout,
    Dropout,
    Dropout1d,
    Dropout2d,
    Dropout3d,
    FeatureAlphaDropout,
    _DropoutNd as _DropoutNd,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "AlphaDropout",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "FeatureAlphaDropout",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.modules.dropout", name, globals())
