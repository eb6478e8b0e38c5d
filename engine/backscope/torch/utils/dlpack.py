"""The names of `torch.utils.dlpack`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.ops.create.buffers import from_dlpack, to_dlpack
from backscope.torch.missing import missing_name as _missing_name

__all__ = ["from_dlpack", "to_dlpack"]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.utils.dlpack", name, globals())
