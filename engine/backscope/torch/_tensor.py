"""The names of `torch._tensor`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.tensor.tensor import Tensor
from backscope.torch.missing import missing_name as _missing_name

__all__ = ["Tensor"]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch._tensor", name, globals())
