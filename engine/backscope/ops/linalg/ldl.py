"""LDL decompositions of symmetric matrices, and the solvers based on them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.ops.core.declaration import A, K, op, primitives
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import linalg
from backscope.ops.core.return_types import return_type
from backscope.ops.linalg.linear_systems import first_mark, magnitude
from backscope.ops.linalg.matrices import check_matrix, check_square, column_major
from backscope.runtime.given import Value, Values
from backscope.tensor.tensor import Tensor

LDL = return_type("linalg_ldl_factor", "LD", "pivots")
LDLEx = return_type("linalg_ldl_factor_ex", "LD", "pivots", "info")

_GROWTH = (1 + math.sqrt(17)) / 8
"""The factor by which an entry may exceed the pivot, which minimizes the growth of entries (Bunch and Kaufman)."""


def _factor(matrix: Value, hermitian: bool) -> tuple[Any, Any, int]:
    """L and D of one matrix in one array, the rows that were exchanged, and the first pivot that is 0."""
    a = np.tril(matrix)
    n, k, info = len(a), 0, 0
    pivots = np.zeros(n, np.int32)
    while k < n:
        step, row = _pivot(a, k)
        if a[row if step == 1 else k, k] == 0 and not np.abs(a[k:, k]).any():
            info = info or k + 1
            pivots[k] = k + 1
            k += 1
            continue
        last = k + step - 1
        _exchange(a, k, last, row, hermitian)
        if step == 1:
            _eliminate_one(a, k, hermitian)
            pivots[k] = row + 1
        else:
            _eliminate_two(a, k, hermitian)
            pivots[k : k + 2] = -(row + 1)
        k += step
    return a, pivots, info


def _pivot(matrix: Value, k: int) -> tuple[int, int]:
    """Return whether the next block has one or two rows, and the row that is swapped with its last."""
    n, a = len(matrix), magnitude(matrix)
    own = a[k, k]
    if k == n - 1:
        return 1, k
    most = k + 1 + int(np.argmax(a[k + 1 :, k]))
    column = a[most, k]
    if max(own, column) == 0 or own >= _GROWTH * column:
        return 1, k
    row = max(a[most, k:most].max(), a[most + 1 :, most].max(initial=0))
    if own >= _GROWTH * column * (column / row):
        return 1, k
    return (1, most) if a[most, most] >= _GROWTH * row else (2, most)


def _exchange(a: Value, k: int, last: int, row: int, hermitian: bool) -> None:
    if row == last:
        return
    a[row + 1 :, [last, row]] = a[row + 1 :, [row, last]]
    between = a[last + 1 : row, last].copy()
    a[last + 1 : row, last] = a[row, last + 1 : row].conj() if hermitian else a[row, last + 1 : row]
    a[row, last + 1 : row] = between.conj() if hermitian else between
    if hermitian:
        a[row, last] = a[row, last].conj()
    a[last, last], a[row, row] = a[row, row], a[last, last]
    if last != k:
        a[last, k], a[row, k] = a[row, k], a[last, k]


def _eliminate_one(a: Value, k: int, hermitian: bool) -> None:
    below = a[k + 1 :, k].copy()
    other = below.conj() if hermitian else below
    a[k + 1 :, k + 1 :] -= np.tril(np.outer(below, other) / a[k, k])
    a[k + 1 :, k] = below / a[k, k]


def _eliminate_two(a: Value, k: int, hermitian: bool) -> None:
    below = a[k + 2 :, k : k + 2].copy()
    block = _block(a, k, hermitian)
    weights = np.linalg.solve(block.T, below.T).T
    a[k + 2 :, k + 2 :] -= np.tril(weights @ (below.conj() if hermitian else below).T)
    a[k + 2 :, k : k + 2] = weights


def _block(a: Value, k: int, hermitian: bool) -> Any:
    corner = a[k + 1, k]
    return np.array([[a[k, k], corner.conj() if hermitian else corner], [corner, a[k + 1, k + 1]]])


def _solution(a: Value, pivots: Value, b: Value, hermitian: bool) -> Any:
    x = np.array(b)
    n = len(a)
    blocks = []
    k = 0
    while k < n:
        step = 1 if pivots[k] > 0 else 2
        blocks.append((k, step, abs(int(pivots[k])) - 1))
        k += step
    for k, step, row in blocks:
        last = k + step - 1
        if row != last:
            x[[last, row]] = x[[row, last]]
        x[k + step :] -= a[k + step :, k : k + step] @ x[k : k + step]
    for k, step, _ in blocks:
        x[k : k + step] = (
            x[k : k + 1] / a[k, k] if step == 1 else np.linalg.solve(_block(a, k, hermitian), x[k : k + 2])
        )
    for k, step, row in blocks[::-1]:
        below = a[k + step :, k : k + step].T
        x[k : k + step] -= (below.conj() if hermitian else below) @ x[k + step :]
        last = k + step - 1
        if row != last:
            x[[last, row]] = x[[row, last]]
    return x


@op(
    name="linalg_ldl_factor_ex",
    underivable=True,
    outputs=3,
    differentiable=1,
    returns=("LD", "pivots", "info"),
    symbol="ldl",
)
class linalg_ldl_factor_ex:
    """L and D of symmetric matrices in one, the rows that were exchanged, and the first pivot that is 0."""

    def forward(self: A, hermitian: bool = False) -> A:
        batch = self.shape[:-2]
        out = np.empty_like(self), np.empty(self.shape[:-1], np.int32), np.empty(batch, np.int32)
        for place in np.ndindex(batch):
            out[0][place], out[1][place], out[2][place] = _factor(self[place], hermitian)
        return column_major(out[0]), out[1], out[2][()]


@op(
    name="linalg_ldl_solve",
    symbol="solve",
    underivable=True,
)
class linalg_ldl_solve:
    """The X of A X = B, where A is given by its LDL decomposition."""

    def forward(LD: A, pivots: K, B: A, hermitian: bool = False) -> A:
        batch = np.broadcast_shapes(LD.shape[:-2], B.shape[:-2])
        n = LD.shape[-1]
        a, b = np.broadcast_to(LD, (*batch, n, n)), np.broadcast_to(B, (*batch, *B.shape[-2:]))
        swaps = np.broadcast_to(pivots, (*batch, n))
        out = np.empty(b.shape, b.dtype)
        for place in np.ndindex(batch):
            out[place] = _solution(a[place], swaps[place], b[place], hermitian)
        return column_major(out)


def ldl_factor_ex(
    A: Tensor, *, hermitian: bool = False, check_errors: bool = False, name: str = "torch.linalg.ldl_factor_ex"
) -> Values:
    """L and D in one matrix, the rows that were exchanged and, for each matrix, its first zero pivot."""
    check_square(name, A)
    found = apply(primitives["linalg_ldl_factor_ex"], A, hermitian)
    if check_errors and first_mark(found[2]) is not None:
        raise RuntimeError(f"{name}: the diagonal of D has a zero, and using it on ldl_solve would divide by zero")
    return LDLEx(*found)


def ldl_factor(A: Tensor, *, hermitian: bool = False) -> Values:
    """L and D in one matrix, and the rows that were exchanged."""
    found = ldl_factor_ex(A, hermitian=hermitian, check_errors=True, name="torch.linalg.ldl_factor")
    return LDL(found[0], found[1])


def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False) -> Value:
    """The X of A X = B, where A is given by its LDL decomposition."""
    name = "torch.linalg.ldl_solve"
    check_matrix(name, LD)
    if B._data.ndim < 2:
        raise RuntimeError(f"{name}: Expected B to have at least 2 dimensions, but it has {B._data.ndim} dimensions")
    if pivots._data.shape != LD._data.shape[:-1]:
        raise RuntimeError(
            f"{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots._data.shape)} instead"
        )
    if pivots._dtype.category != 1:
        raise RuntimeError(f"{name}: Expected pivots to be integers. Got {pivots._dtype.type_name}")
    if LD._dtype is not B._dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {B._dtype.type_name} and A of type "
            f"{LD._dtype.type_name} instead."
        )
    n = LD._data.shape[-1]
    rows, columns = B._data.shape[-2:]
    if rows != n:
        raise RuntimeError(
            f"Incompatible matrix sizes for {name}: each A matrix is {n} by {n} but each b matrix is {rows} by "
            f"{columns}"
        )
    return apply(primitives["linalg_ldl_solve"], LD, pivots, B, hermitian)


linalg.update(ldl_factor=ldl_factor, ldl_factor_ex=ldl_factor_ex, ldl_solve=ldl_solve)
