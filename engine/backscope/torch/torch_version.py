"""The names of `torch.torch_version`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.runtime.version import TorchVersion
from backscope.torch.missing import missing_name as _missing_name

__all__ = ["TorchVersion"]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.torch_version", name, globals())
