"""The shapes that new tensors can have."""

from __future__ import annotations

import math
from typing import Any

from backscope.ops.core.arguments.dims import sizes
from backscope.tensor.dtype import dtype


def shape_of(size: tuple[Any, ...], kind: dtype, name: str = "") -> tuple[int, ...]:
    """The shape of a new tensor; RuntimeError for one that no memory can have."""
    shape = sizes(size)
    if name == "zeros" and any(n < 0 for n in shape):
        raise RuntimeError("zeros: Dimension size must be non-negative.")
    check_shape(shape)
    check_storage(shape, kind)
    return shape


def check_storage(shape: tuple[int, ...], kind: dtype) -> None:
    """Raise RuntimeError for a shape with more bytes than can be counted."""
    count = math.prod(shape)
    if count * kind.itemsize >= 1 << 63:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}")
    if not count and math.prod([n or 1 for n in shape[1:]]) >= 1 << 63:
        raise RuntimeError("Stride calculation overflowed")


def check_shape(shape: tuple[int, ...]) -> None:
    """Raise RuntimeError for a negative length."""
    if any(n < 0 for n in shape):
        bad = next(n for n in shape if n < 0)
        raise RuntimeError(f"Trying to create tensor with negative dimension {bad}: {list(shape)}")
