"""The names of `torch.amp`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.autograd.modes.autocast import autocast, custom_bwd, custom_fwd, is_autocast_available
from backscope.optim.grad_scaler import GradScaler
from backscope.torch.amp import autocast_mode, grad_scaler
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "GradScaler",
    "autocast",
    "autocast_mode",
    "custom_bwd",
    "custom_fwd",
    "grad_scaler",
    "is_autocast_available",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.amp", name, globals())
