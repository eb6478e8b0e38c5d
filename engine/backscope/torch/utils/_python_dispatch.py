"""The names of `torch.utils._python_dispatch`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.torch.missing import missing_name as _missing_name
from backscope.torch_dispatch.mode_stack import (
    TorchDispatchMode,
    current_mode as _get_current_dispatch_mode,
    current_modes as _get_current_dispatch_mode_stack,
    without_modes as _disable_current_modes,
)

__all__ = [
    "TorchDispatchMode",
    "_disable_current_modes",
    "_get_current_dispatch_mode",
    "_get_current_dispatch_mode_stack",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.utils._python_dispatch", name, globals())
