"""Joining tensors of several types to one, and their gradients in each tensor's type."""

from __future__ import annotations

from typing import Any

from backscope.ops.core.declaration import A, V
from backscope.ops.core.elementwise import common_dtype
from backscope.tensor.dtype import cast, dtype
from backscope.tensor.tensor import Tensor


def mixed(tensors: list[Any]) -> dtype | None:
    """Return the common type of tensors with several types; None where all have one."""
    first = tensors[0]._dtype
    return None if all(x._dtype is first for x in tensors) else common_dtype(tensors)


def in_common(parts: list[A], kind: dtype | None) -> list[A]:
    """Convert raw values to their common type."""
    return parts if kind is None else [cast(x, kind) for x in parts]


def in_own(g: V, kind: dtype) -> V:
    """Convert the gradient of one of several joined tensors to its type."""
    if not isinstance(g, Tensor):
        return cast(g, kind)
    if g._dtype is kind:
        return g
    part: Any = g
    return (part.real if g._dtype.is_complex and not kind.is_complex else part).to(kind)
