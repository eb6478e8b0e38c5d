"""What torch.cuda answers in a build without CUDA."""

from __future__ import annotations

from typing import Any


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
    """What is accepted and has no effect without CUDA, such as seeding or emptying the cache."""


def refuse(*args: Any, **kwargs: Any) -> Any:
    """PyTorch's error for all that needs a device."""
    raise AssertionError("Torch not compiled with CUDA enabled")


def no_memory(*args: Any, **kwargs: Any) -> int:
    """0 bytes are allocated on a device that isn't there."""
    return 0
