"""The names of `torch._functorch.python_key`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.func.uncompiled import uncompiled as _uncompiled
from backscope.torch.missing import missing_name as _missing_name

make_fx = _uncompiled("make_fx")

__all__ = [
    "make_fx",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch._functorch.python_key", name, globals())
