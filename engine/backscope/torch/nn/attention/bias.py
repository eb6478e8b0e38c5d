"""The names of `torch.nn.attention.bias`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.ops.layers.causal_bias import CausalBias, CausalVariant, causal_lower_right, causal_upper_left
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "CausalBias",
    "CausalVariant",
    "causal_lower_right",
    "causal_upper_left",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.attention.bias", name, globals())
