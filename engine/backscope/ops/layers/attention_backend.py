"""The kernels that scaled_dot_product_attention may use, and their order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any

from backscope.runtime.given import Option
from backscope.runtime.process import process_wide


class SDPBackend(Enum):
    """A kernel for attention; on a CPU there are FLASH_ATTENTION and MATH."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __int__(self) -> int:
        return int(self.value)


SDPBackend.__module__ = "torch.nn.attention"
_ALL = [SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH,
        SDPBackend.OVERRIDEABLE]  # fmt: skip

enabled: list[SDPBackend] = process_wide([*_ALL])
"""The kernels that are allowed."""


@contextmanager
def sdpa_kernel(backends: Option, set_priority: bool = False) -> Iterator[dict[str, Any]]:
    """Allow only some kernels within a context; AssertionError for anything but an SDPBackend or a list of them."""
    if not isinstance(backends, (list, SDPBackend)):
        raise AssertionError(
            "Backend must be an instance of SDPBackend or a list of SDPBackend instances, got "
            f"{type(backends).__name__}"
        )
    before = [*enabled]
    enabled[:] = [backends] if isinstance(backends, SDPBackend) else dict.fromkeys(backends)
    try:
        yield {}
    finally:
        enabled[:] = before
