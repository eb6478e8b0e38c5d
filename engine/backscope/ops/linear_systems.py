"""Inverses, determinants and solutions of linear systems."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.declaration import A, V, op, primitives, xp
from backscope.ops.dispatch import apply
from backscope.ops.matrices import adjoint, check_matrix, check_square, column_major, conjugate, lower, upper
from backscope.ops.namespace import export, linalg, torch_functions
from backscope.ops.return_types import return_type
from backscope.tensor import Tensor


class LinAlgError(RuntimeError):
    """A matrix that has no inverse or no factorization."""


LinAlgError.__module__ = "torch._C"
LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"


def singular(name: str, batch: tuple[int, ...], position: int, text: str) -> LinAlgError:
    """PyTorch's error for the matrix at `position` of a batch."""
    where = f"(Batch element {position}): " if batch else ""
    return LinAlgError(f"{name}: {where}{text}")


def _zero_pivot(matrix: Any) -> int:
    """The first diagonal entry of U that is exactly 0 in the LU factorization, 1-based; 0 for none."""
    work = np.array(matrix)
    n = work.shape[-1]
    for k in range(n):
        p = k + int(np.argmax(np.abs(work[k:, k])))
        if work[p, k] == 0:
            return k + 1
        if p != k:
            work[[k, p]] = work[[p, k]]
        work[k + 1 :, k + 1 :] -= np.outer(work[k + 1 :, k] / work[k, k], work[k, k + 1 :])
    return 0


def refuse_singular(name: str, a: Any, text: str) -> None:
    """Raise for the first matrix of a batch that has a zero pivot."""
    for position, matrix in enumerate(a.reshape(-1, *a.shape[-2:])):
        pivot = _zero_pivot(matrix)
        if pivot:
            raise singular(name, a.shape[:-2], position, text.format(pivot=pivot))


@op(
    name="linalg_inv_ex",
    outputs=2,
    differentiable=1,
    returns=("inverse", "info"),
    symbol="inv",
    latex={"A": r"-A^{-H}\, g\, A^{-H}"},
    summary={"A": "multiplies the incoming gradient by the saved inverse, transposed, from both sides, negated"},
)
class linalg_inv_ex:
    """The inverses of matrices."""

    def forward(A: A) -> A:
        info = np.zeros(A.shape[:-2], np.int32)
        return column_major(np.linalg.inv(A)), info if info.ndim else info[()]

    def grad_A(g: V, inverse: V) -> V:
        return -(adjoint(inverse) @ (g @ adjoint(inverse)))


@op(
    name="linalg_det",
    symbol="det",
    latex={"A": r"g\,\overline{\det A}\;A^{-H}"},
    summary={"A": "multiplies the incoming {g} by the cofactors of the saved {A}"},
)
class linalg_det:
    """The determinants of matrices."""

    def forward(A: A) -> A:
        return np.linalg.det(A)

    def grad_A(g: V, A: V, result: V) -> V:
        if isinstance(A, Tensor):
            scale = g * conjugate(result)
            return xp.unsqueeze(xp.unsqueeze(scale, -1), -1) * adjoint(inverse_of(A))
        return g[..., None, None] * _cofactors(A).conj()


def inverse_of(a: V) -> V:
    """The inverse of matrices within a formula."""
    return xp.linalg_inv_ex(a)[0]


def _cofactors(a: Any) -> Any:
    """The cofactors of matrices, singular ones too, by their singular values."""
    if not a.size:
        return np.zeros_like(a)
    u, s, vh = np.linalg.svd(a)
    n = s.shape[-1]
    others = np.stack([np.prod(np.delete(s, k, -1), axis=-1) for k in range(n)], axis=-1)
    sign = np.linalg.det(u) * np.linalg.det(vh)
    return (u.conj() * (others * sign[..., None])[..., None, :]) @ vh.conj()


@op(
    name="linalg_slogdet",
    outputs=2,
    returns=("sign", "logabsdet"),
    symbol="slogdet",
    latex={"A": r"g\,A^{-H}"},
    summary={"A": "multiplies the incoming gradient by the inverse of the saved {A}, transposed"},
)
class linalg_slogdet:
    """Sign and logarithm of the determinants of matrices."""

    def forward(A: A) -> A:
        sign, logabsdet = np.linalg.slogdet(A)
        return sign, logabsdet

    def grad_A(g: V, A: V, sign: V) -> V:
        g_sign, g_log = g
        kind = sign._data.dtype if isinstance(sign, Tensor) else sign.dtype
        scale = g_log
        if kind.kind == "c":
            if g_sign is not None:
                turn = (conjugate(g_sign) * sign).imag
                scale = -1j * turn if scale is None else scale - 1j * turn
        elif scale is None:
            return None
        return xp.unsqueeze(xp.unsqueeze(scale, -1), -1) * adjoint(inverse_of(A))


def _as_columns(a: Any, b: Any) -> bool:
    """True where `b` is a batch of vectors rather than of matrices."""
    return bool(b.ndim == 1 or (a.ndim - 1 == b.ndim and b.shape == a.shape[:-1]))


@op(
    name="linalg_solve_ex",
    symbol="solve",
    latex={"A": r"-(A^{-H} g)\,X^H", "B": r"A^{-H} g"},
    summary={
        "A": "solves with the saved {A} transposed and multiplies by the saved solution, negated",
        "B": "solves the system with the saved {A} transposed for the incoming gradient",
    },
)
class linalg_solve_ex:
    """The X of A X = B, or of X A = B where not `left`."""

    def forward(A: A, B: A, left: bool = True) -> A:
        if _as_columns(A, B):
            return np.linalg.solve(A, B[..., None])[..., 0]
        if left:
            return column_major(np.linalg.solve(A, B))
        return np.swapaxes(np.linalg.solve(np.swapaxes(A, -1, -2), np.swapaxes(B, -1, -2)), -1, -2)

    def grad(g: V, A: V, B_shape: V, result: V, left: V, needs: Any) -> Any:
        vector = len(B_shape) == 1 or (A.ndim - 1 == len(B_shape) and tuple(B_shape) == tuple(A.shape[:-1]))
        if vector:
            g, result = xp.unsqueeze(g, -1), xp.unsqueeze(result, -1)
        solved = xp.linalg_solve_ex(adjoint(A), g, left)
        for_a = None
        if needs[0]:
            for_a = -(solved @ adjoint(result)) if left else -(adjoint(result) @ solved)
            for_a = xp.sum_to_size(for_a, tuple(A.shape))
        for_b = xp.squeeze_dim(solved, -1) if vector else solved
        return for_a, xp.sum_to_size(for_b, tuple(B_shape)) if needs[1] else None


def solve_triangle(a: Any, b: Any, is_upper: bool, left: bool, unitriangular: bool) -> Any:
    n = a.shape[-1]
    triangle = np.triu(a) if is_upper else np.tril(a)
    if unitriangular:
        triangle = triangle.copy()
        triangle[..., range(n), range(n)] = 1
    if left:
        return np.linalg.solve(triangle, b)
    return np.swapaxes(np.linalg.solve(np.swapaxes(triangle, -1, -2), np.swapaxes(b, -1, -2)), -1, -2)


@op(
    name="linalg_solve_triangular",
    symbol="solve",
    latex={"self": r"-\text{triangle}\big((A^{-H} g)\,X^H\big)", "B": r"A^{-H} g"},
    summary={
        "self": "solves with the saved triangle transposed, multiplies by the saved solution and keeps the triangle",
        "B": "solves the system with the saved triangle transposed for the incoming gradient",
    },
)
class linalg_solve_triangular:
    """The X of A X = B (or X A = B where not `left`) for triangular A."""

    def forward(self: A, B: A, upper: bool, left: bool = True, unitriangular: bool = False) -> A:
        return column_major(solve_triangle(self, B, upper, left, unitriangular))

    def grad(g: V, self: V, B_shape: V, result: V, upper: V, left: V, unitriangular: V, needs: Any) -> Any:
        solved = xp.linalg_solve_triangular(adjoint(self), g, not upper, left, unitriangular)
        for_a = None
        if needs[0]:
            product = -(solved @ adjoint(result)) if left else -(adjoint(result) @ solved)
            for_a = xp.sum_to_size(_triangle(product, upper, unitriangular), tuple(self.shape))
        return for_a, xp.sum_to_size(solved, tuple(B_shape)) if needs[1] else None


def _triangle(a: V, is_upper: bool, strict: bool) -> V:
    return upper(a, 1 if strict else 0) if is_upper else lower(a, -1 if strict else 0)


def inv(A: Tensor, *, out: Any = None) -> Any:
    """The inverses of square matrices; LinAlgError for a singular one."""
    check_square("linalg.inv", A)
    try:
        return apply(primitives["linalg_inv_ex"], A)[0]
    except np.linalg.LinAlgError:
        text = (
            "The diagonal element {pivot} is zero, the inversion could not be completed because the input matrix is "
            "singular."
        )
        refuse_singular("linalg.inv", A._data, text)
        raise


InvEx = return_type("linalg_inv_ex", "inverse", "info")
Slogdet = return_type("slogdet", "sign", "logabsdet")
LinalgSlogdet = return_type("linalg_slogdet", "sign", "logabsdet")


def inv_ex(A: Tensor, *, check_errors: bool = False) -> Any:
    """The inverses and, for each, whether it failed."""
    check_square("linalg.inv", A)
    return InvEx(*apply(primitives["linalg_inv_ex"], A))


def det(A: Tensor) -> Any:
    """The determinants of square matrices."""
    check_square("linalg.det", A)
    return apply(primitives["linalg_det"], A)


def slogdet(A: Tensor) -> Any:
    """Sign and logarithm of the absolute value of the determinants."""
    check_square("linalg.slogdet", A)
    return LinalgSlogdet(*apply(primitives["linalg_slogdet"], A))


@export("slogdet")
def _slogdet(input: Tensor) -> Any:  # noqa: A002
    """Sign and logarithm of the absolute value of the determinants."""
    return Slogdet(*slogdet(input))


@export("logdet")
def logdet(input: Tensor) -> Any:  # noqa: A002
    """The logarithm of the determinants, NaN where one is negative."""
    sign, logabsdet = slogdet(input)
    if input._dtype.is_complex:
        return logabsdet + torch_functions["log"](sign)
    return torch_functions["where"](sign == -1.0, float("nan"), logabsdet)


def solve(A: Tensor, B: Tensor, *, left: bool = True, out: Any = None) -> Any:
    """The X of A X = B (X A = B where not `left`); LinAlgError for a singular A."""
    check_square("linalg.solve", A)
    if A._dtype is not B._dtype:
        raise RuntimeError(
            f"linalg.solve: Expected A and B to have the same dtype, but found A of type {A._dtype.type_name} and B of "
            f"type {B._dtype.type_name} instead"
        )
    vector = _as_columns(A._data, B._data)
    if vector and not left:
        raise RuntimeError(
            "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case "
            "linalg.solve is equivalent to B / A.squeeze(-1)"
        )
    rows = B._data.shape[-1] if vector else B._data.shape[-2 if left else -1]
    if rows != A._data.shape[-1]:
        raise RuntimeError(
            f"linalg.solve: Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'} "
            f"({A._data.shape[-2]}x{A._data.shape[-1]} and {B._data.shape[-2] if not vector else rows}x"
            f"{B._data.shape[-1] if not vector else 1})"
        )
    try:
        return apply(primitives["linalg_solve_ex"], A, B, left)
    except np.linalg.LinAlgError:
        refuse_singular("torch.linalg.solve", A._data, "The solver failed because the input matrix is singular.")
        raise


def solve_triangular(
    A: Tensor,
    B: Tensor,
    *,
    upper: bool,
    left: bool = True,
    unitriangular: bool = False,
) -> Any:
    """The X of A X = B (X A = B where not `left`) for triangular A."""
    check_square("linalg.solve_triangular", A)
    check_matrix("linalg.solve_triangular", B, "B")
    return apply(primitives["linalg_solve_triangular"], A, B, upper, left, unitriangular)


linalg.update(
    det=det,
    inv=inv,
    inv_ex=inv_ex,
    slogdet=slogdet,
    solve=solve,
    solve_triangular=solve_triangular,
    LinAlgError=LinAlgError,
)
export("det", "linalg_det")(lambda input: det(input))  # noqa: A006
export("inverse")(lambda input: inv(input))  # noqa: A006
