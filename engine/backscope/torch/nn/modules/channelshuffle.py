"""The names of `torch.nn.modules.channelshuffle`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.layers.upsampling import ChannelShuffle
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "ChannelShuffle",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.modules.channelshuffle", name, globals())
