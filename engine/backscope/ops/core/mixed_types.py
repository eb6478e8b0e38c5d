"""Tensors of several types that are joined in one, and their gradients in their own."""

from __future__ import annotations

from typing import Any

from backscope.ops.core.declaration import A, V
from backscope.ops.core.elementwise import common_dtype
from backscope.tensor.dtype import cast, dtype
from backscope.tensor.tensor import Tensor


def mixed(tensors: list[Any]) -> dtype | None:
    """The type that tensors of several types are joined in; None where all have the same."""
    first = tensors[0]._dtype
    return None if all(x._dtype is first for x in tensors) else common_dtype(tensors)


def in_common(parts: list[A], kind: dtype | None) -> list[A]:
    """Raw values in the type they are joined in."""
    return parts if kind is None else [cast(x, kind) for x in parts]


def in_own(g: V, kind: dtype) -> V:
    """The gradient of one of several joined tensors, in the type that it has."""
    if not isinstance(g, Tensor):
        return cast(g, kind)
    if g._dtype is kind:
        return g
    part: Any = g
    return (part.real if g._dtype.is_complex and not kind.is_complex else part).to(kind)
