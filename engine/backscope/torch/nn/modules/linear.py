"""The names of `torch.nn.modules.linear`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.layers.linear import (
    Bilinear,
    Identity,
    LazyLinear,
    Linear,
    NonDynamicallyQuantizableLinear as NonDynamicallyQuantizableLinear,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = ["Bilinear", "Identity", "LazyLinear", "Linear"]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.modules.linear", name, globals())
