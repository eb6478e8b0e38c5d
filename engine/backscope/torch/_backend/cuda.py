"""torch.cuda of a build without CUDA."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from backscope.runtime.process import process_wide
from backscope.runtime.warning import warn
from backscope.tensor.device import without_cuda

_kernels: dict[str, bool] = process_wide(dict.fromkeys(("flash", "mem_efficient", "math", "cudnn"), True))
"""The attention kernels that are enabled; the setting has no effect, as there is one way to compute attention here."""


def is_available() -> bool:
    """False: there is no CUDA device."""
    return False


def device_count() -> int:
    """No device."""
    return 0


def is_initialized() -> bool:
    """False: CUDA is never set up."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """False: there is no CUDA device."""
    return False


def nothing(*args: Any, **kwargs: Any) -> None:
    """Do nothing: seeding, emptying the cache and the like have no effect without CUDA."""


def refuse(*args: Any, **kwargs: Any) -> Any:
    """PyTorch's error for all that needs a device."""
    raise without_cuda()


def no_memory(*args: Any, **kwargs: Any) -> int:
    """0 bytes are allocated on a device that isn't there."""
    return 0


@contextmanager
def sdp_kernel(
    enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True
) -> Iterator[None]:
    """Inside, attention may use these kernels only; deprecated, and without effect."""
    warn(
        "torch.backends.cuda.sdp_kernel() is deprecated. In the future, this context manager will be removed. Please "
        "see `torch.nn.attention.sdpa_kernel()` for the new context manager, with updated signature.",
        FutureWarning,
    )
    before = dict(_kernels)
    _kernels.update(flash=enable_flash, math=enable_math, mem_efficient=enable_mem_efficient, cudnn=enable_cudnn)
    try:
        yield
    finally:
        _kernels.update(before)


def enable_flash_sdp(enabled: bool) -> None:
    """Note whether attention may use the kernel."""
    _kernels["flash"] = bool(enabled)


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Note whether attention may use the kernel."""
    _kernels["mem_efficient"] = bool(enabled)


def enable_math_sdp(enabled: bool) -> None:
    """Note whether attention may use the kernel."""
    _kernels["math"] = bool(enabled)


def enable_cudnn_sdp(enabled: bool) -> None:
    """Note whether attention may use the kernel."""
    _kernels["cudnn"] = bool(enabled)


def flash_sdp_enabled() -> bool:
    """Return True when attention may use the kernel."""
    return _kernels["flash"]


def mem_efficient_sdp_enabled() -> bool:
    """Return True when attention may use the kernel."""
    return _kernels["mem_efficient"]


def math_sdp_enabled() -> bool:
    """Return True when attention may use the kernel."""
    return _kernels["math"]


def cudnn_sdp_enabled() -> bool:
    """Return True when attention may use the kernel."""
    return _kernels["cudnn"]
