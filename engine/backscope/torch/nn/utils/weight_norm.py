"""The names of `torch.nn.utils.weight_norm`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.parametrization.weight_norm import WeightNorm, remove_weight_norm, weight_norm
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "WeightNorm",
    "remove_weight_norm",
    "weight_norm",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.utils.weight_norm", name, globals())
