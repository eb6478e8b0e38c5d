"""The names of `torch.nn.utils.clip_grad`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.clipping import (
    clip_grad_norm,
    clip_grad_norm_,
    clip_grad_value_,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.utils.clip_grad", name, globals())
