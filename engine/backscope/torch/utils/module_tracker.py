"""The names of `torch.utils.module_tracker`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.module.module_tracker import ModuleTracker
from backscope.torch.missing import missing_name as _missing_name

__all__ = ["ModuleTracker"]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.utils.module_tracker", name, globals())
