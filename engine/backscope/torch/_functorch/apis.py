"""The names of `torch._functorch.apis`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.func.reverse_transforms import grad, grad_and_value
from backscope.func.vmap import chunk_vmap, vmap
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "chunk_vmap",
    "grad",
    "grad_and_value",
    "vmap",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch._functorch.apis", name, globals())
