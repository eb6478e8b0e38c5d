"""Decompositions of matrices of low rank, with a random basis of their range."""

from __future__ import annotations

from typing import Any

from backscope.ops.core.namespace import export, linalg, torch_functions as f
from backscope.runtime.given import Value, Values
from backscope.tensor.tensor import Tensor


def _basis(a: Value, q: int, niter: int, less: Any) -> Any:
    """q orthonormal columns that nearly span those of `a - less`, sharpened `niter` times."""

    def times(x: Value, turned: bool) -> Any:
        found = f["matmul"](a.mH if turned else a, x)
        return found if less is None else found - f["matmul"](less.mH if turned else less, x)

    columns = linalg["qr"](times(f["randn"](a.shape[-1], q, dtype=a.dtype), False)).Q
    for _ in range(niter):
        columns = linalg["qr"](times(columns, True)).Q
        columns = linalg["qr"](times(columns, False)).Q
    return columns


def _check_rank(q: Value, rows: int, columns: int) -> None:
    if not 0 <= q <= min(rows, columns):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(rows, columns)}")


@export("svd_lowrank", method=False)
def svd_lowrank(A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None) -> Values:
    """The largest q singular values of A - M with their vectors, nearly: U, S and V."""
    a: Any = A
    less: Any = None if M is None else f["broadcast_to"](M, tuple(a.shape))
    wide = a.shape[-2] < a.shape[-1]
    if wide:
        a, less = a.mH, None if less is None else less.mH
    columns = _basis(a, 6 if q is None else q, 2 if niter is None else niter, less)
    inner = f["matmul"](columns.mH, a)
    if less is not None:
        inner = inner - f["matmul"](columns.mH, less)
    u, s, vh = linalg["svd"](inner, full_matrices=False)
    u, v = f["matmul"](columns, u), vh.mH
    return (v, s, u) if wide else (u, s, v)


@export("pca_lowrank", method=False)
def pca_lowrank(A: Tensor, q: int | None = None, center: bool = True, niter: int = 2) -> Values:
    """The q principal components of the rows of A, nearly: U, S and V; ValueError for a q that can't be."""
    a: Any = A
    rows, columns = a.shape[-2:]
    rank = min(6, rows, columns) if q is None else q
    _check_rank(rank, rows, columns)
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(a - a.mean(-2, keepdim=True) if center else a, rank, niter)
