"""The names of `torch._utils`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.vectors import (
    flatten_dense_tensors as _flatten_dense_tensors,
    unflatten_dense_tensors as _unflatten_dense_tensors,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = ["_flatten_dense_tensors", "_unflatten_dense_tensors"]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch._utils", name, globals())
