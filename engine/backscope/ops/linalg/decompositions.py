"""Decompositions of matrices: QR, singular values, eigenvalues."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export, linalg
from backscope.ops.core.return_types import return_type
from backscope.ops.linalg.linear_systems import converged, solution_of
from backscope.ops.linalg.matrices import (
    adjoint,
    check_floating,
    check_matrix,
    check_square,
    column_major,
    conjugate,
    diagonal_of,
    identity,
    on_diagonal,
    plus,
    real_of,
    skew,
    upper,
)
from backscope.runtime.given import Value, Values
from backscope.tensor.tensor import Tensor


def _across(values: V) -> V:
    """The values of one dim as a row, to scale columns by."""
    return xp.unsqueeze(values, -2)


def _down(values: V) -> V:
    """The values of one dim as a column, to scale rows by."""
    return xp.unsqueeze(values, -1)


def _gaps(values: V) -> V:
    """values[j] - values[i] for all pairs, 1 on the diagonal."""
    return _across(values) - _down(values) + identity(values, values.shape[-1])


def _off_diagonal(a: V) -> V:
    return a - on_diagonal(diagonal_of(a))


@op(
    name="linalg_qr",
    outputs=2,
    returns=("Q", "R"),
    symbol="qr",
    conjugates=False,
    latex={"A": r"\big(g_Q + Q\,\text{sym}(\text{triu}(g_R R^H - Q^H g_Q))\big)\,R^{-H}"},
    summary={"A": "carries the incoming gradients through the saved Q and R"},
)
class linalg_qr:
    """Q with orthonormal columns and upper triangular R; their product is A."""

    def forward(A: A, mode: str = "reduced") -> A:
        if mode == "r":
            return np.zeros(0, A.dtype), column_major(np.linalg.qr(A, mode="r"))
        q, r = np.linalg.qr(A, mode=mode)  # type: ignore[call-overload]
        return column_major(q), column_major(r)

    def grad_A(g: V, Q: V, R: V, mode: V) -> V:
        g_q, g_r = g
        if mode == "r":
            raise RuntimeError(
                "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use "
                "linalg.qr(A, mode='reduced') if you are going to require gradients from linalg.qr."
            )
        rows, columns = Q.shape[-2], R.shape[-1]
        if mode == "complete" and rows > columns:
            raise RuntimeError("The QR decomposition is not differentiable when mode='complete' and nrows > ncols")
        if g_q is None and g_r is None:
            return None
        if rows >= columns:
            return _qr_gradient(g_q, g_r, Q, R)
        return _wide_qr_gradient(g_q, g_r, Q, R, rows)


def _qr_gradient(g_q: V, g_r: V, q: V, r: V) -> V:
    inner = plus(None if g_r is None else g_r @ adjoint(r), None if g_q is None else -(adjoint(q) @ g_q))
    triangle = upper(inner)
    symmetric = triangle + adjoint(triangle) - on_diagonal(real_of(diagonal_of(triangle)))
    whole = plus(q @ symmetric, g_q)
    return xp.linalg_solve_triangular(adjoint(r), whole, False, False, False)


def _wide_qr_gradient(g_q: V, g_r: V, q: V, r: V, rows: int) -> V:
    """Compute the gradient for more columns than rows: A = [X Y], and Y = Q V."""
    first, rest = xp.slice(r, -1, 0, rows, 1), xp.slice(r, -1, rows, r.shape[-1], 1)
    if g_r is None:
        g_first, g_rest = None, None
    else:
        g_first, g_rest = xp.slice(g_r, -1, 0, rows, 1), xp.slice(g_r, -1, rows, r.shape[-1], 1)
    through_rest = None if g_rest is None else (q @ rest) @ adjoint(g_rest)
    for_first = _qr_gradient(plus(g_q, through_rest), g_first, q, first)
    for_rest = xp.zeros_like(rest) if g_rest is None else q @ g_rest
    return xp.cat([for_first, for_rest], -1)


@op(
    name="linalg_svd",
    outputs=3,
    returns=("U", "S", "Vh"),
    symbol="svd",
    conjugates=False,
    latex={"A": r"U\big(\cdots + \text{diag}(g_S)\big)V^H"},
    summary={"A": "turns the incoming gradients back by the saved singular vectors"},
)
class linalg_svd:
    """U, singular values S and Vh, with A = U diag(S) Vh."""

    def forward(A: A, full_matrices: bool = False, compute_uv: bool = True) -> A:
        u, s, vh = converged("linalg.svd", np.linalg.svd, A, full_matrices=full_matrices)
        return column_major(u), s, column_major(vh)

    def grad_A(g: V, U: V, S: V, Vh: V, full_matrices: V) -> V:
        g_u, g_s, g_vh = g
        k = S.shape[-1]
        if full_matrices:
            U, Vh = xp.slice(U, -1, 0, k, 1), xp.slice(Vh, -2, 0, k, 1)
            g_u = None if g_u is None else xp.slice(g_u, -1, 0, k, 1)
            g_vh = None if g_vh is None else xp.slice(g_vh, -2, 0, k, 1)
        if g_u is None and g_vh is None:
            return None if g_s is None else (U * _across(g_s)) @ Vh
        squares = S * S
        gaps = _gaps(squares)
        u_skew = None if g_u is None else skew(adjoint(U) @ g_u) / gaps
        v_skew = None if g_vh is None else skew(Vh @ adjoint(g_vh)) / gaps
        inner = plus(
            None if u_skew is None else _off_or_all(u_skew, S) * _across(S),
            None if v_skew is None else _down(S) * _off_diagonal(v_skew),
            None if g_s is None else on_diagonal(g_s),
        )
        result = (U @ inner) @ Vh
        if g_u is not None and U.shape[-2] > k:
            scaled = g_u / _across(S)
            result = result + (scaled - U @ (adjoint(U) @ scaled)) @ Vh
        if g_vh is not None and Vh.shape[-1] > k:
            scaled = g_vh / _down(S)
            result = result + U @ (scaled - (scaled @ adjoint(Vh)) @ Vh)
        return result


def _off_or_all(u_skew: V, s: V) -> V:
    """The skew part of U; its imaginary diagonal counts half of the inverse square of S."""
    diagonal = diagonal_of(u_skew)
    kind = u_skew._data.dtype if isinstance(u_skew, Tensor) else u_skew.dtype
    if kind.kind != "c":
        return u_skew
    return _off_diagonal(u_skew) + on_diagonal(diagonal / (2 * s * s))


@op(
    name="linalg_eigh",
    outputs=2,
    returns=("eigenvalues", "eigenvectors"),
    symbol="eigh",
    conjugates=False,
    latex={"A": r"V\big(\text{diag}(g_L) + \tfrac{V^H g_V}{E}\big)V^H"},
    summary={"A": "turns the incoming gradients back by the saved eigenvectors"},
)
class linalg_eigh:
    """Eigenvalues in ascending order and eigenvectors of symmetric matrices, of which one triangle is read."""

    def forward(A: A, UPLO: str = "L") -> A:
        values, vectors = converged("linalg.eigh", np.linalg.eigh, A, UPLO=UPLO)
        return values, column_major(vectors)

    def grad_A(g: V, eigenvalues: V, eigenvectors: V) -> V:
        g_l, g_v = g
        if g_v is None:
            return None if g_l is None else (eigenvectors * _across(g_l)) @ adjoint(eigenvectors)
        inner = _off_diagonal(adjoint(eigenvectors) @ g_v) / _gaps(eigenvalues)
        inner = plus(inner, None if g_l is None else on_diagonal(g_l))
        whole = eigenvectors @ inner @ adjoint(eigenvectors)
        return 0.5 * (whole + adjoint(whole))


@op(
    name="linalg_eig",
    outputs=2,
    returns=("eigenvalues", "eigenvectors"),
    symbol="eig",
    conjugates=False,
    latex={"self": r"V^{-H}\big(\text{diag}(g_L) + \cdots\big)V^H"},
    summary={"self": "carries the incoming gradients through the saved eigenvectors and their inverse"},
)
class linalg_eig:
    """Complex eigenvalues and eigenvectors."""

    def forward(self: A) -> A:
        wide = np.complex64 if self.dtype in (np.float32, np.complex64) else np.complex128
        values, vectors = np.linalg.eig(self)
        return values.astype(wide), column_major(vectors.astype(wide))

    def grad_self(g: V, eigenvalues: V, eigenvectors: V, self_dtype: V) -> V:
        g_l, g_v = g
        v = eigenvectors
        inner = None
        if g_v is not None:
            projected = adjoint(v) @ g_v
            projected = projected - (adjoint(v) @ v) * _across(real_of(diagonal_of(projected)))
            inner = _off_diagonal(projected) / conjugate(_gaps(eigenvalues))
        inner = plus(inner, None if g_l is None else on_diagonal(g_l))
        if inner is None:
            return None
        result = solution_of(adjoint(v), inner @ adjoint(v))
        return result if self_dtype.is_complex else real_of(result)


QR = return_type("linalg_qr", "Q", "R")
SVD = return_type("linalg_svd", "U", "S", "Vh")
OldSVD = return_type("svd", "U", "S", "V")
Eigh = return_type("linalg_eigh", "eigenvalues", "eigenvectors")
Eig = return_type("linalg_eig", "eigenvalues", "eigenvectors")
OldQR = return_type("qr", "Q", "R")


def qr(A: Tensor, mode: str = "reduced") -> Values:
    """The QR decomposition; `mode` is "reduced", "complete" or "r"."""
    check_matrix("linalg.qr", A)
    check_floating("linalg.qr", A)
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    return QR(*apply(primitives["linalg_qr"], A, mode))


def svd(A: Tensor, full_matrices: bool = True, *, driver: Value = None) -> Values:
    """The singular value decomposition."""
    check_matrix("linalg.svd", A)
    check_floating("linalg.svd", A)
    return SVD(*apply(primitives["linalg_svd"], A, full_matrices, True))


def svdvals(A: Tensor, *, driver: Value = None) -> Value:
    """The singular values in descending order."""
    check_matrix("linalg.svdvals", A)
    check_floating("linalg.svdvals", A)
    return apply(primitives["linalg_svd"].giving(1, 1), A, False, True)[1]


@export("svd")
def _svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:  # noqa: A002
    """The singular value decomposition with V instead of its adjoint."""
    check_floating("linalg.svd", input)
    if not compute_uv:
        rows, columns = input._data.shape[-2:]
        zeros: Any = input.new_zeros  # type: ignore[attr-defined]
        batch = input._data.shape[:-2]
        return OldSVD(zeros((*batch, rows, rows)), svdvals(input), zeros((*batch, columns, columns)))
    u, s, vh = apply(primitives["linalg_svd"], input, not some, compute_uv)
    return OldSVD(u, s, vh.mH)


@export("qr")
def _qr(input: Tensor, some: bool = True) -> Any:  # noqa: A002
    """The QR decomposition."""
    return OldQR(*qr(input, "reduced" if some else "complete"))


def eigh(A: Tensor, UPLO: str = "L") -> Values:
    """Eigenvalues and eigenvectors of symmetric matrices."""
    check_square("linalg.eigh", A)
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    return Eigh(*apply(primitives["linalg_eigh"], A, UPLO.upper()))


def eigvalsh(A: Tensor, UPLO: str = "L") -> Value:
    """The eigenvalues of symmetric matrices, in ascending order."""
    check_square("linalg.eigvalsh", A)
    return apply(primitives["linalg_eigh"].giving(1), A, UPLO.upper())[0]


def eig(A: Tensor) -> Values:
    """Eigenvalues and eigenvectors, complex ones."""
    check_square("linalg.eig", A)
    return Eig(*apply(primitives["linalg_eig"], A))


def eigvals(A: Tensor) -> Value:
    """The eigenvalues, complex ones."""
    check_square("linalg.eigvals", A)
    return apply(primitives["linalg_eig"].giving(1), A)[0]


linalg.update(
    eig=eig,
    eigh=eigh,
    eigvals=eigvals,
    eigvalsh=eigvalsh,
    qr=qr,
    svd=svd,
    svdvals=svdvals,
)
