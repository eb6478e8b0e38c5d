"""The names of `torch.cuda.amp`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.autograd.modes.autocast import CudaAutocast as autocast, custom_bwd, custom_fwd
from backscope.optim.grad_scaler import CudaGradScaler as GradScaler
from backscope.torch.cuda.amp import grad_scaler
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "GradScaler",
    "autocast",
    "custom_bwd",
    "custom_fwd",
    "grad_scaler",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.cuda.amp", name, globals())
