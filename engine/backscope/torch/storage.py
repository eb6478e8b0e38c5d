"""The names of `torch.storage`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.tensor.storage import TypedStorage, UntypedStorage
from backscope.torch.missing import missing_name as _missing_name

__all__ = ["TypedStorage", "UntypedStorage"]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.storage", name, globals())
