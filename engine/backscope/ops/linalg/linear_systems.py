"""Inverses and solutions of linear systems."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.ops.core.declaration import A, Op, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export, linalg
from backscope.ops.core.return_types import return_type
from backscope.ops.linalg.matrices import adjoint, check_square, column_major
from backscope.runtime.given import Array, Option, Value, Values
from backscope.tensor.tensor import Tensor


class LinAlgError(RuntimeError):
    """A matrix that has no inverse or no factorization."""


LinAlgError.__module__ = "torch._C"
LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"


def magnitude(a: Value) -> Array:
    """Return the size of entries by which LAPACK chooses a pivot: the parts of a complex number added up."""
    return np.abs(a.real) + np.abs(a.imag) if np.iscomplexobj(a) else np.abs(a)


def factored(matrix: Value) -> tuple[Any, Any, int]:
    """LU of one matrix in one array, the rows that were exchanged, and its first zero pivot, from 1, or 0."""
    work = np.array(matrix)
    rows, columns = work.shape
    pivots = np.zeros(min(rows, columns), np.int32)
    zero = 0
    for k in range(min(rows, columns)):
        p = k + int(np.argmax(magnitude(work[k:, k])))
        pivots[k] = p + 1
        if p != k:
            work[[k, p]] = work[[p, k]]
        if work[k, k] == 0:
            zero = zero or k + 1
            continue
        work[k + 1 :, k] /= work[k, k]
        work[k + 1 :, k + 1 :] -= np.outer(work[k + 1 :, k], work[k, k + 1 :])
    return work, pivots, zero


def solved(a: Value, b: Value) -> tuple[Any, Any]:
    """Return the solutions of linear systems and the zero pivots; singular matrices give infinities and NaN."""
    try:
        return np.linalg.solve(a, b), np.zeros(a.shape[:-2], np.int32)[()]
    except np.linalg.LinAlgError:
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        right = np.broadcast_to(b, (*batch, *b.shape[-2:])).reshape(-1, *b.shape[-2:])
        left = np.broadcast_to(a, (*batch, *a.shape[-2:])).reshape(-1, *a.shape[-2:])
        found = np.stack([divided(m, x) for m, x in zip(left, right, strict=True)])
        zeros = [factored(m)[2] for m in a.reshape(-1, *a.shape[-2:])]
        return found.reshape((*batch, *b.shape[-2:])), np.array(zeros, np.int32).reshape(a.shape[:-2])[()]


def divided(matrix: Value, right: Value, least: float = 0) -> Array:
    """Return the solution by substitution, with division by zero pivots or by `least` in their place."""
    lu, pivots, _ = factored(matrix)
    if least:
        places = np.arange(len(lu))
        lu[places, places] += np.where(lu[places, places] == 0, least, 0).astype(lu.dtype)
    x = np.array(right)
    for k, p in enumerate(pivots):
        x[[k, p - 1]] = x[[p - 1, k]]
    n = len(lu)
    with np.errstate(all="ignore"):
        for k in range(n):
            x[k] -= lu[k, :k] @ x[:k]
        for k in range(n)[::-1]:
            x[k] = (x[k] - lu[k, k + 1 :] @ x[k + 1 :]) / lu[k, k]
    return x


def first_mark(info: Tensor) -> int | None:
    """The first of a batch of matrices that `info` marks, of all examples inside vmap; None where it marks none."""
    marks = info._data
    if not marks.size or not marks.max():
        return None
    return int(np.flatnonzero(np.reshape(getattr(marks, "whole", marks), -1))[0])


# Any: the called function returns an array or a tuple of them.
def converged(name: str, compute: Callable[..., Any], *args: Array, **options: Option) -> Any:
    """Return the result of a NumPy function; LinAlgError where it does not converge."""
    try:
        return compute(*args, **options)
    except np.linalg.LinAlgError:
        raise LinAlgError(
            f"{name}: The algorithm failed to converge because the input matrix contained non-finite values."
        ) from None


def refuse(name: str, a: Tensor, info: Tensor, text: str, error: type[Exception] = LinAlgError) -> None:
    """Raise PyTorch's error for the first matrix of a batch marked in `info`; {at} in `text` is its position."""
    position = first_mark(info)
    if position is not None:
        marks = np.reshape(getattr(info._data, "whole", info._data), -1)
        raise failure(name, a._data.ndim, marks, position, text, error)


def failure(
    name: str, ndim: int, marks: A, position: int, text: str, error: type[Exception] = LinAlgError
) -> Exception:
    """PyTorch's error for a matrix at a position of a batch, where values of `ndim` dims were given."""
    where = f"(Batch element {position}): " if ndim > 2 else ""
    return error(f"{name}: {where}{text.format(at=marks[position])}")


@op(
    name="linalg_inv_ex",
    outputs=2,
    differentiable=1,
    returns=("inverse", "info"),
    symbol="inv",
    conjugates=False,
    latex={"A": r"-A^{-H}\, g\, A^{-H}"},
    summary={"A": "multiplies the incoming gradient by the saved inverse, transposed, from both sides, negated"},
)
class linalg_inv_ex:
    """The inverses of matrices."""

    def forward(A: A) -> A:
        inverse, info = solved(A, np.broadcast_to(np.eye(A.shape[-1], dtype=A.dtype), A.shape))
        return column_major(inverse), info

    def grad_A(g: V, inverse: V) -> V:
        return -(adjoint(inverse) @ (g @ adjoint(inverse)))


def inverse_of(a: V) -> V:
    """The inverse of matrices within a formula."""
    return xp.linalg_inv_ex(a)[0]


def _as_columns(a: Value, b: Value) -> bool:
    """True where `b` is a batch of vectors rather than of matrices."""
    return bool(b.ndim == 1 or (a.ndim - 1 == b.ndim and b.shape == a.shape[:-1]))


@op(
    name="linalg_solve_ex",
    outputs=2,
    differentiable=1,
    returns=("result", "info"),
    symbol="solve",
    conjugates=False,
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
            found, info = solved(A, B[..., None])
            return found[..., 0], info
        if left:
            found, info = solved(A, B)
            return column_major(found), info
        found, info = solved(np.swapaxes(A, -1, -2), np.swapaxes(B, -1, -2))
        return np.swapaxes(found, -1, -2), info

    def grad(g: V, A: V, B_shape: V, result: V, left: V, needs: Option) -> tuple[V, ...]:
        vector = len(B_shape) == 1 or (A.ndim - 1 == len(B_shape) and tuple(B_shape) == tuple(A.shape[:-1]))
        if vector:
            g, result = xp.unsqueeze(g, -1), xp.unsqueeze(result, -1)
        solved = solution_of(adjoint(A), g, left)
        for_a = None
        if needs[0]:
            for_a = -(solved @ adjoint(result)) if left else -(adjoint(result) @ solved)
            for_a = xp.sum_to_size(for_a, tuple(A.shape))
        for_b = xp.squeeze_dim(solved, -1) if vector else solved
        return for_a, xp.sum_to_size(for_b, tuple(B_shape)) if needs[1] else None


def solution_of(a: V, b: V, left: bool = True) -> V:
    """The solution of a linear system within a formula."""
    return xp.linalg_solve_ex(a, b, left)[0]


def solve_triangle(a: Value, b: Value, is_upper: bool, left: bool, unitriangular: bool) -> Array:
    """Solve with the upper or lower triangles of raw matrices; the other triangle is ignored."""
    n = a.shape[-1]
    triangle = np.triu(a) if is_upper else np.tril(a)
    if unitriangular:
        triangle = triangle.copy()
        triangle[..., range(n), range(n)] = 1
    try:
        if left:
            return np.linalg.solve(triangle, b)
        return np.swapaxes(np.linalg.solve(np.swapaxes(triangle, -1, -2), np.swapaxes(b, -1, -2)), -1, -2)
    except np.linalg.LinAlgError:
        if left:
            return _substituted(triangle, b, is_upper)
        turned = _substituted(np.swapaxes(triangle, -1, -2), np.swapaxes(b, -1, -2), not is_upper)
        return np.swapaxes(turned, -1, -2)


def _substituted(triangle: Any, b: Value, is_upper: bool) -> Any:
    """Solve row by row: a 0 on the diagonal gives infinities and NaN, which are no error in PyTorch."""
    n = triangle.shape[-1]
    batch = np.broadcast_shapes(triangle.shape[:-2], b.shape[:-2])
    found = np.array(np.broadcast_to(b, (*batch, *b.shape[-2:])))
    with np.errstate(all="ignore"):
        for k in range(n - 1, -1, -1) if is_upper else range(n):
            found[..., k, :] /= triangle[..., k, k, None]
            rest = slice(0, k) if is_upper else slice(k + 1, n)
            found[..., rest, :] -= triangle[..., rest, k, None] * found[..., k, None, :]
    return found


def inv(A: Tensor, *, out: Value = None) -> Value:
    """The inverses of square matrices; LinAlgError for a singular one."""
    return _inverted("linalg.inv", primitives["linalg_inv_ex"].giving(1), A, True)[0]


InvEx = return_type("linalg_inv_ex", "inverse", "info")
SolveEx = return_type("linalg_solve_ex", "result", "info")


def inv_ex(A: Tensor, *, check_errors: bool = False) -> Values:
    """The inverses and, for each, its first zero pivot."""
    return InvEx(*_inverted("linalg.inv_ex", primitives["linalg_inv_ex"], A, check_errors))


def _inverted(name: str, made: Op, A: Tensor, check_errors: bool) -> Any:
    check_square("linalg.inv", A)
    found = apply(made, A)
    if check_errors:
        text = (
            "The diagonal element {at} is zero, the inversion could not be completed because the input matrix is "
            "singular."
        )
        refuse(name, A, found[1], text)
    return found


def solve(A: Tensor, B: Tensor, *, left: bool = True, out: Value = None) -> Value:
    """The X of A X = B (X A = B where not `left`); LinAlgError for a singular A."""
    return _solution("torch.linalg.solve", primitives["linalg_solve_ex"].giving(1), A, B, left, True)[0]


def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> Values:
    """The X of A X = B (X A = B where not `left`) and, for each A, its first zero pivot."""
    return SolveEx(*_solution("torch.linalg.solve_ex", primitives["linalg_solve_ex"], A, B, left, check_errors))


def _solution(name: str, made: Op, A: Tensor, B: Tensor, left: bool, check_errors: bool) -> Any:
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
    found = apply(made, A, B, left)
    if check_errors:
        refuse(name, A, found[1], "The solver failed because the input matrix is singular.")
    return found


linalg.update(
    inv=inv,
    inv_ex=inv_ex,
    solve=solve,
    solve_ex=solve_ex,
    LinAlgError=LinAlgError,
)
export("inverse")(lambda input: inv(input))  # noqa: A006
