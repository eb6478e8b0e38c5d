"""Views of the pieces of a tensor along a dim: split, split_with_sizes, chunk, unbind."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.arguments.argument_types import type_name
from backscope.ops.core.arguments.dims import Dims, sizes, wrap_dim
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply, to_array
from backscope.ops.core.namespace import export
from backscope.runtime.given import Shape, Value, Values
from backscope.tensor.dtype import INTEGER
from backscope.tensor.tensor import Tensor


def _along(dim: int, part: Value) -> tuple[Any, ...]:
    return (*(slice(None),) * dim, part)


@op(
    view=True,
    outputs=None,
    symbol="unbind",
    latex={"self": r"\text{stack}(g)"},
    summary={"self": "stacks the incoming gradients along dim {dim}"},
)
class unbind:
    """The slices along a dim."""

    def forward(self: A, dim: int) -> A:
        array = to_array(self)
        return [array[(*_along(dim, i), ...)] for i in range(array.shape[dim])]

    def grad_self(g: V, dim: V, self_shape: V) -> V:
        return xp.stack(_complete(g, [self_shape[:dim] + self_shape[dim + 1 :]] * len(g)), dim)


def _complete(g: V, shapes: Shape) -> V:
    """Return the gradients of several outputs, zeros for those without one."""
    like = next(x for x in g if x is not None)
    return [xp.zeros_of(like, shape) if x is None else x for x, shape in zip(g, shapes, strict=True)]


def _pieces(array: A, lengths: Dims, dim: int) -> list[A]:
    at, parts = 0, []
    for n in lengths:
        parts.append(array[_along(dim, slice(at, at + n))])
        at += n
    return parts


def _joined(g: V, shape: Shape, lengths: Dims, dim: int) -> V:
    if not any(x is None for x in g):
        # Gradients of images may be channels last.
        return np.concatenate(g, axis=dim) if g[0].__class__ is np.ndarray and len(shape) < 4 else xp.cat(g, dim)
    return xp.cat(_complete(g, [(*shape[:dim], n, *shape[dim + 1 :]) for n in lengths]), dim)


def _even(length: int, piece: int) -> Dims:
    return tuple([min(piece, length - i) for i in range(0, length, piece)]) if length else (0,)


@op(
    view=True,
    outputs=None,
    symbol="split",
    latex={"self": r"\text{cat}(g)"},
    summary={"self": "joins the incoming gradients along dim {dim}"},
)
class split:
    """Pieces of one length along a dim."""

    def forward(self: A, split_size: int, dim: int) -> A:
        return _pieces(to_array(self), _even(self.shape[dim], split_size), dim)

    def grad_self(g: V, self_shape: V, split_size: V, dim: V) -> V:
        return _joined(g, self_shape, _even(self_shape[dim], split_size), dim)


@op(
    view=True,
    outputs=None,
    symbol="split",
    latex={"self": r"\text{cat}(g)"},
    summary={"self": "joins the incoming gradients along dim {dim}"},
)
class split_with_sizes:
    """Pieces of given lengths along a dim."""

    def forward(self: A, split_sizes: Dims, dim: int) -> A:
        return _pieces(to_array(self), split_sizes, dim)

    def grad_self(g: V, self_shape: V, split_sizes: V, dim: V) -> V:
        return _joined(g, self_shape, split_sizes, dim)


@export("unbind")
def _unbind(input: Tensor, dim: int = 0, *, copied: str = "") -> Any:  # noqa: A002
    """The slices along `dim` as a tuple."""
    if not input._data.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    d = wrap_dim(dim, input._data.ndim)
    return apply(primitives["unbind" + copied], input, d) if input._data.shape[d] else ()


@export("split")
def _split(
    tensor: Tensor, split_size_or_sections: Shape = None, dim: int = 0, *, split_size: Shape = None, kind: str = "{}"
) -> Any:
    """Pieces along `dim`, of one length or of the lengths given."""
    pieces = split_size_or_sections if split_size is None else split_size
    if isinstance(pieces, Tensor) and not pieces._data.ndim and pieces._dtype.category == INTEGER:
        pieces = pieces.item()
    if isinstance(pieces, (float, complex, str, Tensor)):
        kind_given = type_name(pieces)
        raise TypeError(
            f"split_with_sizes(): argument 'split_sizes' (position 2) must be tuple of ints, not {kind_given}"
        )
    if not isinstance(pieces, int):
        return _split_with_sizes(tensor, pieces, dim, kind=kind)
    if not tensor._data.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    d = wrap_dim(dim, tensor._data.ndim)
    n = tensor._data.shape[d]
    if pieces < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={pieces}")
    if pieces == 0 and n:
        raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}")
    return apply(primitives[kind.format("split")], tensor, pieces, d)


@export("split_with_sizes")
def _split_with_sizes(input: Tensor, split_sizes: Shape, dim: int = 0, *, kind: str = "{}") -> Any:  # noqa: A002
    """Pieces along `dim`, of the lengths given."""
    d = wrap_dim(dim, input._data.ndim)
    n = input._data.shape[d]
    lengths = sizes((tuple(split_sizes),))
    if any(length < 0 for length in lengths):
        raise RuntimeError(
            f"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={list(lengths)}"
        )
    if sum(lengths) != n:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at dimension {dim}), but "
            f"got split_sizes={list(lengths)}"
        )
    return apply(primitives[kind.format("split_with_sizes")], input, lengths, d)


@export()
def chunk(input: Tensor, chunks: int, dim: int = 0, *, kind: str = "{}") -> Values:  # noqa: A002
    """Split into at most `chunks` pieces of equal length along `dim`, the last one shorter."""
    if not input._data.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    n = input._data.shape[wrap_dim(dim, input._data.ndim)]
    if not n:
        return _split_with_sizes(input, (0,) * chunks, dim, kind=kind)
    return _split(input, max(1, -(-n // chunks)), dim, kind=kind)
