"""The names of `torch.nn.modules.lazy`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.module.lazy_module import LazyModuleMixin
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "LazyModuleMixin",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.modules.lazy", name, globals())
