"""Triangles, diagonals and traces of matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.ops.core.arguments.dims import wrap_dim
from backscope.ops.core.channels_last import row_major
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply, to_array
from backscope.ops.core.namespace import export, linalg
from backscope.runtime.given import Shape, Value
from backscope.tensor.tensor import Tensor


def _triangle(name: str, function: Callable[..., Any], word: str) -> None:
    def forward(self: A, diagonal: int) -> A:
        if np.ndim(self) < 2:  # Only here: for vectors that a vmap maps over, the batch is a matrix.
            raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
        return row_major(function(self, diagonal))

    def grad_self(g: V, diagonal: V) -> V:
        return getattr(xp, name)(g, diagonal)

    forward.__annotations__ = {"self": "A", "diagonal": "int"}
    op(
        name=name,
        symbol=name,
        latex={"self": rf"\text{{{name}}}(g)"},
        summary={"self": f"keeps the {word} triangle of the incoming gradient"},
    )(type(name, (), {"forward": forward, "grad_self": grad_self}))

    def triangle(input: Tensor, diagonal: int = 0) -> Any:  # noqa: A002
        return apply(primitives[name], input, diagonal)

    triangle.__doc__ = f"The {word} triangle of the last two dims, 0 elsewhere."
    export(name)(triangle)


_triangle("tril", np.tril, "lower")
_triangle("triu", np.triu, "upper")


@op(
    view=True,
    symbol="diagonal",
    latex={"self": r"\text{diag}(g)"},
    summary={"self": "puts the incoming gradient on the diagonal, 0 elsewhere"},
)
class diagonal:
    """The diagonal of two dims as the last dim."""

    def forward(self: A, offset: int, dim1: int, dim2: int) -> A:
        array = to_array(self)
        found = np.diagonal(array, offset, dim1, dim2)
        found.flags.writeable = True
        return found

    def grad_self(g: V, self_shape: V, offset: V, dim1: V, dim2: V) -> V:
        return xp.diagonal_backward(g, self_shape, offset, dim1, dim2)


@op(
    grad_fn="DiagonalBackward0_copy",
    symbol="diagonal",
    latex={"self": r"\text{diag}(g)"},
    summary={"self": "puts the incoming gradient on the diagonal, 0 elsewhere"},
)
class diagonal_copy:
    """The diagonal of two dims as the last dim, in memory of its own."""

    def forward(self: A, offset: int, dim1: int, dim2: int) -> A:
        return np.diagonal(to_array(self), offset, dim1, dim2).copy()

    def grad_self(g: V, self_shape: V, offset: V, dim1: V, dim2: V) -> V:
        return xp.diagonal_backward(g, self_shape, offset, dim1, dim2)


@op(
    grad_fn="DiagonalBackwardBackward0",
    symbol="diag",
    latex={"self": r"\text{diagonal}(g)"},
    summary={"self": "reads the diagonal of the incoming gradient"},
)
class diagonal_backward:
    """Zeros of `shape` with self on the diagonal of two dims."""

    def forward(self: A, shape: Shape, offset: int, dim1: int, dim2: int) -> A:
        out = np.zeros(shape, self.dtype)
        line = np.diagonal(out, offset, dim1, dim2)
        line.flags.writeable = True
        line[...] = self
        return out

    def grad_self(g: V, offset: V, dim1: V, dim2: V) -> V:
        return xp.diagonal(g, offset, dim1, dim2)


@op(
    symbol="diag",
    latex={"self": r"\text{diagonal}(g)"},
    summary={"self": "reads the diagonal of the incoming gradient"},
)
class diag_embed:
    """Matrices in two dims with the last dim of self on their diagonals."""

    def forward(self: A, offset: int, dim1: int, dim2: int) -> A:
        n = self.shape[-1] + abs(offset)
        ndim = self.ndim + 1
        d1, d2 = dim1 % ndim, dim2 % ndim
        shape = list(self.shape[:-1])
        for d in sorted((d1, d2)):
            shape.insert(d, n)
        out = np.zeros(shape, self.dtype)
        line = np.diagonal(out, offset, d1, d2)
        line.flags.writeable = True
        line[...] = self
        return out

    def grad_self(g: V, offset: V, dim1: V, dim2: V) -> V:
        return xp.diagonal(g, offset, dim1, dim2)


@op(
    symbol="tr",
    latex={"self": r"g \cdot I"},
    summary={"self": "puts the incoming {g} on the diagonal, 0 elsewhere"},
)
class trace:
    """The sum of a matrix's diagonal."""

    def forward(self: A) -> A:
        return np.trace(self, dtype=np.int64 if self.dtype.kind in "iu" else self.dtype)

    def grad_self(g: V, self_shape: V) -> V:
        n = min(self_shape)
        return xp.diagonal_backward(xp.expand(xp.reshape(g, (1,)), (n,)), self_shape, 0, 0, 1)


@export("diagonal")
def _diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1, *, copied: str = "") -> Any:  # noqa: A002
    """The diagonal of two dims as a view; RuntimeError where the dims are the same."""
    ndim = input._data.ndim
    if wrap_dim(dim1, ndim) == wrap_dim(dim2, ndim):
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return apply(primitives["diagonal" + copied], input, offset, dim1, dim2)


@export("diag_embed")
def _diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:  # noqa: A002
    """Matrices with the last dim of input on their diagonals."""
    ndim = input._data.ndim + 1
    if wrap_dim(dim1, ndim) == wrap_dim(dim2, ndim):
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return apply(primitives["diag_embed"], input, offset, dim1, dim2)


@export()
def diag(input: Tensor, diagonal: int = 0) -> Value:  # noqa: A002
    """A matrix with a vector on its diagonal, or the diagonal of a matrix."""
    if input._data.ndim == 1:
        return _diag_embed(input, diagonal)
    if input._data.ndim == 2:
        return apply(primitives["diagonal_copy"], input, diagonal, 0, 1)
    raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input._data.ndim}D")


@export()
def diagflat(input: Tensor, offset: int = 0) -> Value:  # noqa: A002
    """A matrix with all elements of input on its diagonal."""
    return diag(input.contiguous().view(-1), offset)  # type: ignore[attr-defined]


@export("trace")
def _trace(input: Tensor) -> Any:  # noqa: A002
    """The sum of a matrix's diagonal."""
    if input._data.ndim != 2:
        raise RuntimeError("trace: expected a matrix, but got tensor with dim " + str(input._data.ndim))
    return apply(primitives["trace"], input)


def _last_diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """The diagonal of the last two dims."""
    return _diagonal(A, offset, dim1, dim2)


linalg["diagonal"] = _last_diagonal
