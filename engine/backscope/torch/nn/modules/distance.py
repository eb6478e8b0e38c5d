"""The names of `torch.nn.modules.distance`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.layers.distance import CosineSimilarity, PairwiseDistance
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "CosineSimilarity",
    "PairwiseDistance",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.modules.distance", name, globals())
