"""Splits whose pieces share memory but are no views: no version counter in common, and in-place changes are allowed."""

from __future__ import annotations

from typing import Any

from backscope.autograd.modes.grad_mode import mode
from backscope.ops.core.declaration import Op, primitives
from backscope.ops.core.namespace import export
from backscope.ops.shape.splitting import _split, _split_with_sizes, chunk
from backscope.runtime.given import Shape, Values
from backscope.tensor.tensor import Tensor


def _apart(pieces: Values) -> Any:
    """In inference mode the pieces are views, with version counters of their own."""
    for piece in pieces:
        if mode.inference and piece._view is not None:
            piece._shared = [0]
    return pieces


def _kind() -> str:
    return "{}" if mode.inference else "unsafe_{}"


def _unsafe(name: str) -> None:
    """Declare the form of a split that makes no views."""
    op = primitives[name]
    body = {"forward": op.forward, **{f"grad_{k}": f for k, f in op.formulas.items()}}
    options = {"outputs": op.outputs, "symbol": op.symbol, "latex": op.latex, "summary": op.summary}
    primitives[f"unsafe_{name}"] = Op(f"unsafe_{name}", type(f"unsafe_{name}", (), body), options)


_unsafe("split")
_unsafe("split_with_sizes")


@export()
def unsafe_split(tensor: Tensor, split_size: int, dim: int = 0) -> Any:
    """Pieces of one length along `dim`, which autograd does not know to share memory."""
    return _apart(_split(tensor, split_size, dim, kind=_kind()))


@export()
def unsafe_split_with_sizes(input: Tensor, split_sizes: Shape, dim: int = 0) -> Any:  # noqa: A002
    """Pieces of the lengths given along `dim`, which autograd does not know to share memory."""
    return _apart(_split_with_sizes(input, split_sizes, dim, kind=_kind()))


@export()
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> Any:  # noqa: A002
    """At most `chunks` pieces of equal length along `dim`, which autograd does not know to share memory."""
    return _apart(chunk(input, chunks, dim, kind=_kind()))
