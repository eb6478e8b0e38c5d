"""The names of `torch.nn.modules.pixelshuffle`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.layers.upsampling import PixelShuffle, PixelUnshuffle
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "PixelShuffle",
    "PixelUnshuffle",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.modules.pixelshuffle", name, globals())
