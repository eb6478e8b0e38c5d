"""The names of `torch._functorch.vmap`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.func.interpreter import restore_vmap
from backscope.func.vmap import vmap
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "restore_vmap",
    "vmap",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch._functorch.vmap", name, globals())
