"""The names of `torch.types`."""

from typing import Any, TypeAlias

from backscope.tensor.device import device as _device
from backscope.tensor.size import Size as _Size

Device: TypeAlias = _device | str | int | None
Number: TypeAlias = int | float | bool
_size: TypeAlias = _Size | list[int] | tuple[int, ...]
_dtype = Any

__all__ = [
    "Device",
    "Number",
]
