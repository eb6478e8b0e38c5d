"""Cholesky factors of positive definite matrices, and the solvers based on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.declaration import A, Op, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export, linalg
from backscope.ops.core.return_types import return_type
from backscope.ops.core.unsupported import no_kernel
from backscope.ops.linalg.linear_systems import failure, refuse, solve_triangle
from backscope.ops.linalg.matrices import adjoint, check_floating, check_square, column_major, lower
from backscope.runtime.given import Option, Value, Values
from backscope.runtime.warning import warn_once
from backscope.tensor.tensor import Tensor

_TEXTS: dict[str, Any] = {
    "symbol": "chol",
    "conjugates": False,
    "latex": {"self": r"L^{-H}\,\Phi(L^H g)\,L^{-1}"},
    "summary": {"self": "carries the incoming gradient through the saved factor, made symmetric"},
}


def _factorization(self: A, upper: bool) -> A:
    """The factors of matrices, and for each the order of its first minor that is not positive definite."""
    factor, info = _factors(np.swapaxes(self, -1, -2).conj() if upper else self)
    return column_major(np.swapaxes(factor, -1, -2).conj() if upper else factor), info


def _pulled_back(g: V, L: V, upper: V) -> V:
    factor, g = (adjoint(L), adjoint(g)) if upper else (L, g)
    phi = lower(adjoint(factor) @ g)
    phi = 0.5 * (phi + adjoint(lower(phi, -1)))
    inner = xp.linalg_solve_triangular(adjoint(factor), phi, True, True, False)
    return xp.linalg_solve_triangular(factor, inner, False, False, False)


@op(name="linalg_cholesky_ex", outputs=2, differentiable=1, returns=("L", "info"), **_TEXTS)
class linalg_cholesky_ex:
    """The Cholesky factors of positive definite matrices, lower ones unless `upper`."""

    def forward(self: A, upper: bool = False) -> A:
        return _factorization(self, upper)

    def grad_self(g: V, L: V, upper: V) -> V:
        return _pulled_back(g, L, upper)


@op(name="cholesky", **_TEXTS)
class cholesky_alone:
    """The Cholesky factor; an error where a matrix has none."""

    def forward(self: A, upper: bool = False) -> A:
        factor, info = _factorization(self, upper)
        marks = np.ravel(info)
        if marks.any():
            raise failure("cholesky", self.ndim, marks, int(np.flatnonzero(marks)[0]), NOT_DEFINITE)
        return factor

    def grad_self(g: V, result: V, upper: V) -> V:
        return _pulled_back(g, result, upper)


CholeskyEx = return_type("linalg_cholesky_ex", "L", "info")


def _factors(a: Value) -> tuple[Any, Any]:
    """The factors and, for each matrix, the order of its first minor that is not positive definite."""
    try:
        factors = np.linalg.cholesky(a)
        if np.isnan(factors).any():
            raise np.linalg.LinAlgError
        return factors, np.zeros(a.shape[:-2], np.int32)[()]
    except np.linalg.LinAlgError:
        found = [_factor(matrix) for matrix in a.reshape(-1, *a.shape[-2:])]
        info = np.array([f[1] for f in found], np.int32).reshape(a.shape[:-2])
        return np.stack([f[0] for f in found]).reshape(a.shape), info[()]


def _factor(matrix: Value) -> tuple[Any, int]:
    """Factor one matrix; return the factor and the order of the first minor that is not positive, 0 for none."""
    factor = np.tril(matrix)
    for k in range(len(factor)):
        rest = factor[k:, :k] @ factor[k, :k].conj()
        factor[k:, k] -= rest
        pivot = factor[k, k].real
        if not pivot > 0:
            return factor, k + 1
        factor[k, k] = np.sqrt(pivot)
        factor[k + 1 :, k] /= factor[k, k]
    return factor, 0


NOT_DEFINITE = (
    "The factorization could not be completed because the input is not positive-definite (the leading minor of order "
    "{at} is not positive-definite)."
)


def cholesky(A: Tensor, *, upper: bool = False) -> Value:
    """The Cholesky factors; LinAlgError for a matrix that is not positive definite."""
    return _checked("linalg.cholesky", primitives["linalg_cholesky_ex"].giving(1), A, upper, True)[0]


def cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False) -> Values:
    """The Cholesky factors and, for each, the order of its first minor that is not positive definite."""
    return CholeskyEx(*_checked("linalg.cholesky_ex", primitives["linalg_cholesky_ex"], A, upper, check_errors))


def _checked(name: str, made: Op, A: Tensor, upper: bool, check_errors: bool) -> Any:
    check_square(name, A)
    found = apply(made, A, upper)
    if check_errors:
        refuse(name, A, found[1], NOT_DEFINITE)
    return found


@op(
    symbol="solve",
    conjugates=False,
    latex={"self": r"A^{-1} g", "input2": r"-(X g_B^H + g_B X^H)\,L"},
    summary={
        "self": "solves with the saved factor {input2} for the incoming gradient",
        "input2": "multiplies the saved solution by that gradient and by the saved factor, negated",
    },
)
class cholesky_solve:
    """The solution of A X = self, where input2 is the Cholesky factor of A."""

    def forward(self: A, input2: A, upper: bool = False) -> A:
        factor = np.swapaxes(input2, -1, -2).conj() if upper else input2
        half = solve_triangle(factor, self, False, True, False)
        return column_major(solve_triangle(np.swapaxes(factor, -1, -2).conj(), half, True, True, False))

    def grad(g: V, self_shape: V, input2: V, result: V, upper: V, needs: Option) -> tuple[V, ...]:
        for_self = xp.cholesky_solve(g, input2, upper)
        for_factor = None
        if needs[1]:
            outer = for_self @ adjoint(result)
            both = -(outer + adjoint(outer))
            for_factor = xp.sum_to_size(input2 @ both if upper else both @ input2, tuple(input2.shape))
        return xp.sum_to_size(for_self, tuple(self_shape)) if needs[0] else None, for_factor


@op(
    symbol="inv",
    conjugates=False,
    latex={"self": r"-R\,(g + g^H)\,R\,L"},
    summary={"self": "multiplies the incoming gradient by the saved inverse on both sides and by the factor, negated"},
)
class cholesky_inverse:
    """The inverse of A, where self is the Cholesky factor of A."""

    def forward(self: A, upper: bool = False) -> A:
        whole = np.eye(self.shape[-1], dtype=self.dtype)
        if self.dtype.kind != "c":
            return primitives["cholesky_solve"].forward(whole, self, upper)
        factor = np.swapaxes(self, -1, -2).conj() if upper else self
        inverse = solve_triangle(factor, whole, False, True, False)
        # LAPACK takes the diagonal of the inverse, which is real for a factor of a matrix, without its imaginary part.
        np.einsum("...ii->...i", inverse).imag = 0
        return column_major(np.swapaxes(inverse, -1, -2).conj() @ inverse)

    def grad_self(g: V, self: V, result: V, upper: V) -> V:
        both = -(result @ (g + adjoint(g)) @ result)
        return self @ both if upper else both @ self


@export("cholesky_solve")
def _cholesky_solve(input: Tensor, L: Tensor, upper: bool = False) -> Any:  # noqa: A002
    """The solution of A X = input, where L is the Cholesky factor of A."""
    check_square("cholesky_solve", L)
    if L._data.shape[-1] != input._data.shape[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for cholesky_solve: each A matrix is {L._data.shape[-1]} by "
            f"{L._data.shape[-1]} but each b matrix is {input._data.shape[-2]} by {input._data.shape[-1]}"
        )
    return apply(primitives["cholesky_solve"], input, L, upper)


@export("cholesky_inverse")
def _cholesky_inverse(input: Tensor, upper: bool = False) -> Any:  # noqa: A002
    """The inverse of A, where `input` is the Cholesky factor of A."""
    check_floating("cholesky_inverse", input)
    return apply(primitives["cholesky_inverse"], input, upper)


_DEPRECATED = """torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future \
PyTorch release.
L = torch.cholesky(A)
should be replaced with
L = torch.linalg.cholesky(A)
and
U = torch.cholesky(A, upper=True)
should be replaced with
U = torch.linalg.cholesky(A).mH
This transform will produce equivalent results for all valid (symmetric positive definite) inputs. (Triggered \
internally at /__w/pytorch/pytorch/aten/src/ATen/native/BatchLinearAlgebra.cpp:1765.)"""


@export("cholesky")
def _cholesky(input: Tensor, upper: bool = False) -> Any:  # noqa: A002
    """The Cholesky factors; LinAlgError for a matrix that is not positive definite."""
    warn_once(_DEPRECATED)
    check_square("cholesky", input, floating=False)
    if not input._dtype.wide and not input._dtype.is_complex:
        raise no_kernel("cholesky_cpu", input._dtype)
    return apply(primitives["cholesky"], input, upper)


linalg.update(cholesky=cholesky, cholesky_ex=cholesky_ex)
