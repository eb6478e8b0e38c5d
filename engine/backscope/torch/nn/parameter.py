"""The names of `torch.nn.parameter`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.module.uninitialized_parameter import (
    Buffer,
    Parameter,
    UninitializedBuffer,
    UninitializedParameter,
    UninitializedTensorMixin,
    is_lazy,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "UninitializedTensorMixin",
    "is_lazy",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.parameter", name, globals())
