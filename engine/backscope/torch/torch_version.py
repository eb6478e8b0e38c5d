"""The names of `torch.torch_version`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.torch.missing import missing_name as _missing_name
from backscope.version import TorchVersion

__all__ = ["TorchVersion"]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.torch_version", name, globals())
