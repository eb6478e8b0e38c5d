"""Splits into pieces that share memory without being views: version counters are separate, in-place changes allowed."""

from __future__ import annotations

from typing import Any

from backscope.autograd.modes.grad_mode import mode
from backscope.ops.core.declaration import Op, primitives
from backscope.ops.core.namespace import export
from backscope.ops.shape.splitting import _split, _split_with_sizes, chunk
from backscope.runtime.given import Shape, Values
from backscope.tensor.tensor import Tensor


def _apart(pieces: Values) -> Any:
    """Give the pieces version counters of their own in inference mode, where they are views."""
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
def unsafe_split(tensor: Tensor, split_size: int, dim: int = 0) -> Values:
    """Split into pieces of one length along `dim`; autograd treats their memory as separate."""
    return _apart(_split(tensor, split_size, dim, kind=_kind()))


@export()
def unsafe_split_with_sizes(input: Tensor, split_sizes: Shape, dim: int = 0) -> Values:  # noqa: A002
    """Split into pieces of the given lengths along `dim`; autograd treats their memory as separate."""
    return _apart(_split_with_sizes(input, split_sizes, dim, kind=_kind()))


@export()
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> Values:  # noqa: A002
    """Split into at most `chunks` pieces of equal length along `dim`; autograd treats their memory as separate."""
    return _apart(chunk(input, chunks, dim, kind=_kind()))
