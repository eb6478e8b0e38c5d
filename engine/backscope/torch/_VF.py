"""The names of `torch._VF`: the functions of torch without their Python wrappers."""

from __future__ import annotations

from typing import Any as _Any

from backscope.ops.core.namespace import torch_functions as _functions
from backscope.ops.reduce.counting import unique_dim
from backscope.torch.missing import missing_name as _missing_name

__all__ = ["unique_dim"]


def __getattr__(name: str) -> _Any:
    found = _functions.get(name)
    if found is None:
        raise _missing_name("torch._VF", name, _functions)
    return found
