"""The names of `torch.nn.attention`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.ops.layers.attention_backend import SDPBackend, sdpa_kernel
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "SDPBackend",
    "sdpa_kernel",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.attention", name, globals())
