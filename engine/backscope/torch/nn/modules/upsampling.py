"""The names of `torch.nn.modules.upsampling`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.layers.upsampling import Upsample, UpsamplingBilinear2d, UpsamplingNearest2d
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "Upsample",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.modules.upsampling", name, globals())
