"""The names of `torch.nn.modules.normalization`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.layers.layer_normalization import CrossMapLRN2d, GroupNorm, LayerNorm, LocalResponseNorm, RMSNorm
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "CrossMapLRN2d",
    "GroupNorm",
    "LayerNorm",
    "LocalResponseNorm",
    "RMSNorm",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.modules.normalization", name, globals())
