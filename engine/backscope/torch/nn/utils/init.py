"""The names of `torch.nn.utils.init`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.skip_init import (
    skip_init,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "skip_init",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.utils.init", name, globals())
