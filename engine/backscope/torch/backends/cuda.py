"""The names of `torch.backends.cuda`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.torch._backend.cuda import (
    cudnn_sdp_enabled,
    enable_cudnn_sdp,
    enable_flash_sdp,
    enable_math_sdp,
    enable_mem_efficient_sdp,
    flash_sdp_enabled,
    is_available,
    is_available as is_built,
    math_sdp_enabled,
    mem_efficient_sdp_enabled,
    sdp_kernel,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "cudnn_sdp_enabled",
    "enable_cudnn_sdp",
    "enable_flash_sdp",
    "enable_math_sdp",
    "enable_mem_efficient_sdp",
    "flash_sdp_enabled",
    "is_available",
    "is_built",
    "math_sdp_enabled",
    "mem_efficient_sdp_enabled",
    "sdp_kernel",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.backends.cuda", name, globals())
