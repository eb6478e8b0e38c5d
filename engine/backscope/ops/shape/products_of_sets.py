"""Tensors put together from several: products of sets, combinations, block diagonals, Kronecker and Vandermonde."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.mixed_types import in_own, mixed
from backscope.ops.core.namespace import export, linalg, torch_functions as f
from backscope.ops.create.creation import born
from backscope.runtime.given import Device, Dtype, MemoryFormat, Shape, Value
from backscope.tensor import dtype as types
from backscope.tensor.tensor import Tensor, of_raw


def _given(tensors: tuple[Any, ...]) -> list[Any]:
    return list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else list(tensors)


@export(method=False)
def cartesian_prod(*tensors: Value) -> Value:
    """Return all tuples with one element of each vector."""
    given = _given(tensors)
    for t in given:
        if t.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(t.shape)}")
    if len(given) == 1:
        return given[0]
    grids = f["meshgrid"](given, indexing="ij")
    return f["stack"]([g.flatten() for g in grids], 1)


@export(method=False)
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Value:  # noqa: A002
    """Return all choices of r elements of a vector, in order."""
    if input.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return f["empty"]((0,), dtype=input.dtype)
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = np.array(list(choose(range(len(input)), r)), np.int64).reshape(-1, r)
    mask = np.zeros((len(input),) * r, bool)
    mask[tuple(places.T)] = True
    chosen = of_raw(mask)
    grids = f["meshgrid"]([input] * r, indexing="ij")
    return f["stack"]([g.masked_select(chosen) for g in grids], 1)


def _corners(shapes: Shape) -> list[tuple[int, int, int, int]]:
    """First row, first column, rows and columns of each block."""
    found, row, column = [], 0, 0
    for shape in shapes:
        rows, columns = (1, *shape)[-2:] if len(shape) else (1, 1)
        found.append((row, column, rows, columns))
        row, column = row + rows, column + columns
    return found


@op(
    symbol="block_diag",
    latex={"tensors": r"g[\ldots]"},
    summary={"tensors": "cuts the blocks on the diagonal out of the incoming gradient"},
)
class block_diag:
    """Matrices along the diagonal of a large one, zeros elsewhere."""

    def forward(tensors: list[A], dtype: Dtype = None) -> A:  # type: ignore[misc]
        corners = _corners([x.shape for x in tensors])
        kind = tensors[0].dtype if dtype is None else dtype.np
        out = np.zeros([sum(c[2] for c in corners), sum(c[3] for c in corners)], kind)
        for block, (row, column, rows, columns) in zip(tensors, corners, strict=True):
            out[row : row + rows, column : column + columns] = block
        return out

    def grad(g: V, tensors_shape: V, tensors_dtype: V) -> V:
        return [
            in_own(xp.reshape(xp.narrow(xp.narrow(g, 0, row, rows), 1, column, columns), shape), kind)
            for shape, kind, (row, column, rows, columns) in zip(
                tensors_shape, tensors_dtype, _corners(tensors_shape), strict=True
            )
        ]


@export("block_diag", method=False)
def _block_diag(*tensors: Any) -> Any:
    """Matrices along the diagonal of a large one, zeros elsewhere; RuntimeError for more dims."""
    given = _given(tensors)
    for i, b in enumerate(given):
        if b.ndim > 2:
            raise RuntimeError(
                f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {i} has {b.ndim} dimensions"
            )
    if not given:
        return f["empty"]((1, 0))
    return apply(primitives["block_diag"], given, mixed(given))


@export()
def kron(input: Tensor, other: Tensor) -> Value:  # noqa: A002
    """The Kronecker product."""
    a: Any = input
    b: Any = other
    ndim = max(a.ndim, b.ndim)
    left, right = [1] * (ndim - a.ndim) + list(a.shape), [1] * (ndim - b.ndim) + list(b.shape)
    wide = [n for pair in zip(left, [1] * ndim, strict=True) for n in pair]
    tall = [n for pair in zip([1] * ndim, right, strict=True) for n in pair]
    parts = [apply(primitives["unsafe_view"], a, tuple(wide)), apply(primitives["unsafe_view"], b, tuple(tall))]
    return apply(
        primitives["unsafe_view"], parts[0] * parts[1], tuple([m * n for m, n in zip(left, right, strict=True)])
    )


@export(method=False)
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Value:
    """The powers of a vector as columns."""
    if x._data.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    count = x.shape[-1] if N is None else N
    if not count:
        return f["empty"](x.shape[-1], 0, dtype=x._dtype)
    powers = [x**i for i in range(count)]  # type: ignore[operator]
    return f["stack"](powers if increasing else powers[::-1], -1)


def _triangle(name: str, keep: Any) -> None:
    def indices(
        row: int,
        col: int,
        offset: int = 0,
        *,
        dtype: Dtype = types.int64,
        device: Device = None,
        layout: MemoryFormat = None,
        requires_grad: bool = False,
    ) -> Any:
        places = np.stack(np.nonzero(keep(np.ones((row, col), bool), offset)))
        return born(places.astype(dtype.np), dtype, name, requires_grad, device)

    indices.__name__, indices.__doc__ = name, "The indices of a triangle, rows first."
    export(name, method=False)(indices)


_triangle("tril_indices", np.tril)
_triangle("triu_indices", np.triu)


@export(method=False)
def chain_matmul(*matrices: Value) -> Value:
    """The product of several matrices."""
    from backscope.runtime.warning import warn_once

    warn_once(
        "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use torch.linalg.multi_dot "
        "instead, which accepts a list of two or more tensors rather than multiple parameters."
    )
    given = _given(matrices)
    for m in given:
        if m._data.ndim != 2:
            raise RuntimeError(f"Tensor dimension is {m._data.ndim}, expected 2 instead.")
    return linalg["multi_dot"](given) if len(given) > 1 else given[0].clone()
