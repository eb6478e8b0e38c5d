"""Samples of products of matrices, linear algebra and Fourier transforms."""

from __future__ import annotations

import numpy as np
from backscope_op_samples import BATCH, BATCH2, COMPLEX, MATRIX, ROW, SIGNED, WIDE, Sample, quietly, values

SQUARE = values(3, 3, low=-1.0, high=1.0, seed=50) + 2 * np.eye(3)
DEFINITE = SQUARE @ SQUARE.T
SYMMETRIC = SQUARE + SQUARE.T
RIGHT = values(3, 2, low=-1.0, seed=51)
LOWER = np.tril(SQUARE)
VECTORS = values(2, 3, low=-1.0, seed=52)
TALL = values(4, 2, low=-1.0, seed=53)
WIDER = values(2, 4, low=-1.0, seed=57)
FACTORS = values(2, low=1.1, high=1.6, seed=55)


def symmetric(t, a):  # type: ignore[no-untyped-def]
    """A symmetric matrix from any, a Hermitian one from complex numbers."""
    return a + a.mH


def factor(t, a):  # type: ignore[no-untyped-def]
    """A lower triangle with a diagonal of positive numbers from any matrix."""
    return a.tril(-1) + t.diag((a * a.conj()).diagonal())


LINEAR_ALGEBRA = [
    Sample("linalg_inv_ex", lambda t, a: t.linalg.inv(a), (SQUARE,), kinds=WIDE),
    Sample("linalg_det", lambda t, a: t.linalg.det(a), (SQUARE,), kinds=WIDE),
    Sample("linalg_slogdet", lambda t, a: t.linalg.slogdet(a)[1], (SQUARE,), kinds=WIDE),
    Sample("linalg_solve_ex", lambda t, a, b: t.linalg.solve(a, b), (SQUARE, RIGHT), kinds=WIDE),
    Sample(
        "linalg_solve_triangular",
        lambda t, a, b: t.linalg.solve_triangular(a, b, upper=False),
        (LOWER, RIGHT),
        kinds=WIDE,
    ),
    Sample("cholesky", quietly(lambda t, a: t.cholesky(a @ a.mT)), (SQUARE,), kinds=WIDE),
    Sample("linalg_cholesky_ex", lambda t, a: t.linalg.cholesky(a @ a.mH), (SQUARE,), kinds=WIDE),
    Sample("cholesky_solve", lambda t, b, a: t.cholesky_solve(b, factor(t, a)), (RIGHT, SQUARE), kinds=WIDE),
    Sample("cholesky_inverse", lambda t, a: t.cholesky_inverse(factor(t, a)), (SQUARE,), kinds=WIDE),
    Sample("linalg_qr", lambda t, a: t.linalg.qr(a)[1], (SQUARE,), kinds=WIDE),
    Sample("linalg_svd", lambda t, a: t.linalg.svdvals(a), (TALL,), kinds=WIDE),
    Sample("linalg_eigh", lambda t, a: t.linalg.eigvalsh(symmetric(t, a)), (SQUARE,), kinds=WIDE),
    Sample("linalg_eig", lambda t, a: t.linalg.eigvals(symmetric(t, a)), (SQUARE,), kinds=()),
    Sample("linalg_lu_factor_ex", lambda t, a: t.linalg.lu_factor(a)[0], (SQUARE,), kinds=WIDE),
    Sample("linalg_lu", lambda t, a: t.linalg.lu(a)[1], (WIDER,), kinds=WIDE),
    Sample("linalg_lu", lambda t, a: t.linalg.lu(a)[2], (TALL,), kinds=WIDE),
    Sample("lu_unpack", lambda t, a: t.lu_unpack(*t.linalg.lu_factor(a))[2], (TALL,), kinds=WIDE),
    Sample("linalg_lu_solve", lambda t, a, b: t.linalg.lu_solve(*t.linalg.lu_factor(a), b), (SQUARE, RIGHT), WIDE),
    Sample(
        "linalg_lu_solve",
        lambda t, a, b: t.linalg.lu_solve(*t.linalg.lu_factor(a), b.mT, left=False, adjoint=True),
        (SQUARE, RIGHT),
        kinds=WIDE,
    ),
    Sample(
        "triangular_solve", quietly(lambda t, b, a: t.triangular_solve(b, a, transpose=True)[0]), (RIGHT, SQUARE), WIDE
    ),
    Sample("geqrf", lambda t, a: t.geqrf(a)[0], (TALL,), differentiable=False),
    Sample(
        "linalg_householder_product",
        lambda t, a, b: t.linalg.householder_product(a, b),
        (TALL, FACTORS),
        kinds=WIDE,
    ),
    Sample("ormqr", lambda t, a, b, c: t.ormqr(a, b, c), (TALL, FACTORS, values(4, 3, seed=56)), kinds=WIDE),
    Sample("linalg_ldl_factor_ex", lambda t, a: t.linalg.ldl_factor(a)[0], (SYMMETRIC,), differentiable=False),
    Sample(
        "linalg_ldl_solve",
        lambda t, a: t.linalg.ldl_solve(*t.linalg.ldl_factor(a), t.ones_like(a)),
        (SYMMETRIC,),
        differentiable=False,
    ),
    Sample("linalg_pinv", lambda t, a: t.linalg.pinv(a), (TALL,), kinds=WIDE),
    Sample("linalg_lstsq", lambda t, a, b: t.linalg.lstsq(a, b)[0], (TALL, values(4, 2, seed=54)), kinds=WIDE),
    Sample("linalg_cross", lambda t, a, b: t.linalg.cross(a, b), (SIGNED, VECTORS)),
    Sample("linalg_matrix_exp", lambda t, a: t.linalg.matrix_exp(a), (SQUARE,), kinds=WIDE),
]

PRODUCTS = [
    Sample("mm", lambda t, a, b: a @ b, (SIGNED, MATRIX)),
    Sample("mv", lambda t, a, b: a @ b, (SIGNED, ROW)),
    Sample("dot", lambda t, a, b: a.dot(b), (SIGNED[0], ROW)),
    Sample("vdot", lambda t, a, b: t.vdot(a, b), (SIGNED[0], ROW)),
    Sample("bmm", lambda t, a, b: a.bmm(b), (BATCH, BATCH2)),
    Sample("addmm", lambda t, c, a, b: t.addmm(c, a, b, beta=0.5, alpha=2.0), (ROW[:2], SIGNED, MATRIX)),
    Sample("addmv", lambda t, c, a, b: t.addmv(c, a, b), (ROW[:2], SIGNED, ROW)),
    Sample("addbmm", lambda t, c, a, b: t.addbmm(c, a, b, beta=0.5, alpha=2.0), (ROW, BATCH, BATCH2)),
    Sample("addr", lambda t, c, a, b: t.addr(c, a, b, beta=0.5, alpha=2.0), (MATRIX, ROW, ROW[:2])),
    Sample("baddbmm", lambda t, c, a, b: t.baddbmm(c, a, b), (ROW, BATCH, BATCH2)),
]

FOURIER = [
    Sample("fft_r2c", lambda t, a: t.fft.rfft(a), (MATRIX,), kinds=WIDE),
    Sample("fft_r2c", lambda t, a: t.fft.fft(a), (MATRIX,), kinds=WIDE),
    Sample("fft_c2c", lambda t, a: t.fft.ifft2(a), (COMPLEX,), kinds=()),
    Sample("fft_c2r", lambda t, a: t.fft.irfft(a), (COMPLEX,), kinds=()),
]

SAMPLES = [*PRODUCTS, *LINEAR_ALGEBRA, *FOURIER]
