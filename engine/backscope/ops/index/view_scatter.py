"""Copies of a tensor with another one written over a view of it: select_scatter, slice_scatter, diagonal_scatter."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.arguments.dims import wrap_dim
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export
from backscope.ops.core.writing import castable
from backscope.ops.index.slicing import END
from backscope.tensor.tensor import Tensor


@op(
    symbol="[i] ←",
    latex={"self": r"g\ \text{elsewhere}", "src": r"g[i]"},
    summary={
        "self": "passes the incoming gradient on except at index {index} of dim {dim}",
        "src": "reads the incoming gradient at index {index} of dim {dim}",
    },
)
class select_scatter:
    """self with src at one index of a dim."""

    def forward(self: A, src: A, dim: int, index: int) -> A:
        out = np.array(self)
        np.moveaxis(out, dim, 0)[index] = castable(src, out.dtype)
        return out

    def grad_self(g: V, src: V, dim: V, index: V) -> V:
        return xp.select_scatter(g, xp.zeros_like(src), dim, index)

    def grad_src(g: V, dim: V, index: V) -> V:
        return xp.select(g, dim, index)


@op(
    symbol="[a:b] ←",
    latex={"self": r"g\ \text{elsewhere}", "src": r"g[a:b]"},
    summary={
        "self": "passes the incoming gradient on except where src was written",
        "src": "reads the incoming gradient where it was written",
    },
)
class slice_scatter:
    """self with src in a slice of a dim."""

    def forward(self: A, src: A, dim: int, start: int, end: int, step: int) -> A:
        out = np.array(self)
        np.moveaxis(out, dim, 0)[start : end if end < END else None : step] = np.moveaxis(
            castable(src, out.dtype), dim, 0
        )
        return out

    def grad_self(g: V, src: V, dim: V, start: V, end: V, step: V) -> V:
        return xp.slice_scatter(g, xp.zeros_like(src), dim, start, end, step)

    def grad_src(g: V, dim: V, start: V, end: V, step: V) -> V:
        return xp.slice(g, dim, start, end, step)


@op(
    symbol="diag ←",
    latex={"self": r"g\ \text{off the diagonal}", "src": r"\text{diagonal}(g)"},
    summary={
        "self": "passes the incoming gradient on except on the diagonal",
        "src": "reads the diagonal of the incoming gradient",
    },
)
class diagonal_scatter:
    """self with src on a diagonal of two dims."""

    def forward(self: A, src: A, offset: int, dim1: int, dim2: int) -> A:
        out = np.array(self)
        line = np.diagonal(out, offset, dim1, dim2)
        line.flags.writeable = True
        line[...] = castable(src, out.dtype)
        return out

    def grad_self(g: V, src: V, offset: V, dim1: V, dim2: V) -> V:
        return xp.diagonal_scatter(g, xp.zeros_like(src), offset, dim1, dim2)

    def grad_src(g: V, offset: V, dim1: V, dim2: V) -> V:
        return xp.diagonal(g, offset, dim1, dim2)


def _check_part(src: Tensor, shape: list[int]) -> None:
    if list(src._data.shape) != shape:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src._data.shape)}, slice size = "
            f"{shape}"
        )


@export("select_scatter")
def _select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Any:  # noqa: A002
    """A copy with src at one index of a dim."""
    if not input._data.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    d = wrap_dim(dim, input.ndim)
    n = input._data.shape[d]
    if not -n <= index < n:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(input._data.shape)} at dimension {dim}"
        )
    _check_part(src, [n for i, n in enumerate(input._data.shape) if i != d])
    return apply(primitives["select_scatter"], input, src, d, index)


@export("slice_scatter")
def _slice_scatter(
    input: Tensor,  # noqa: A002
    src: Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Any:
    """A copy with src in a slice of a dim."""
    if not input._data.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    d = wrap_dim(dim, input.ndim)
    length = len(range(*slice(start, end, step).indices(input._data.shape[d])))
    _check_part(src, [*input._data.shape[:d], length, *input._data.shape[d + 1 :]])
    return apply(primitives["slice_scatter"], input, src, d, start or 0, END if end is None else end, step)


@export("diagonal_scatter")
def _diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:  # noqa: A002
    """A copy with src on a diagonal of two dims."""
    _check_part(src, list(input.detach().diagonal(offset, dim1, dim2).shape))  # type: ignore[attr-defined]
    return apply(primitives["diagonal_scatter"], input, src, offset, dim1, dim2)
