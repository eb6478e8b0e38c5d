"""torch.finfo and torch.iinfo: what numbers a dtype can hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from backscope.runtime.given import Dtype
from backscope.tensor.dtype import default, dtype

_finfo: Callable[..., Any] = ml_dtypes.finfo
_RESOLUTION = {"float16": 1e-3, "bfloat16": 1e-2, "float32": 1e-6, "float64": 1e-15}
"""By the name of the type; 1 for types of 8 bits."""


class finfo:  # noqa: N801 - PyTorch's own name
    """The range and precision of a floating point type; of its parts for a complex one."""

    def __init__(self, type: Dtype = None) -> None:  # noqa: A002
        kind = default.floating if type is None else type
        if not isinstance(kind, dtype):
            raise TypeError(f"finfo(): argument 'type' (position 1) must be torch.dtype, not {kind.__class__.__name__}")
        kind = kind.to_real()
        if not kind.is_floating_point:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            )
        found = _finfo(kind.np)
        self.bits = kind.itemsize * 8
        self.eps = float(found.eps)
        self.max = float(found.max)
        self.min = float(found.min)
        self.smallest_normal = self.tiny = float(found.smallest_normal)
        self.resolution = _RESOLUTION.get(kind.name, 1.0)
        self.dtype = kind.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, finfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __repr__(self) -> str:
        numbers = {k: getattr(self, k) for k in ("resolution", "min", "max", "eps", "smallest_normal", "tiny")}
        shown = {k: _short(v) if self.dtype != "bfloat16" or k != "eps" else str(v) for k, v in numbers.items()}
        return f"finfo({', '.join(f'{k}={v}' for k, v in shown.items())}, dtype={self.dtype})"


def _short(value: float) -> str:
    return format(value, "g")


class iinfo:  # noqa: N801 - PyTorch's own name
    """The range of an integer type."""

    def __init__(self, type: Dtype) -> None:  # noqa: A002
        if not isinstance(type, dtype):
            raise TypeError(f"iinfo(): argument 'type' (position 1) must be torch.dtype, not {type.__class__.__name__}")
        if type.category == 0:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        if type.category != 1:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        found = np.iinfo(type.np)
        self.bits = int(found.bits)
        self.max = int(found.max)
        self.min = int(found.min)
        self.dtype = type.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, iinfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


finfo.__module__ = iinfo.__module__ = "torch"
