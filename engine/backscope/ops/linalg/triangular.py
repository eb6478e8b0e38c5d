"""Triangular systems of linear equations."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export, linalg
from backscope.ops.core.return_types import return_type
from backscope.ops.linalg.linear_systems import solve_triangle
from backscope.ops.linalg.matrices import (
    adjoint,
    check_matrix,
    check_square,
    column_major,
    conjugate,
    lower,
    plus,
    upper,
)
from backscope.runtime.given import Option, Value
from backscope.runtime.warning import warn_once
from backscope.tensor.tensor import Tensor


@op(
    name="linalg_solve_triangular",
    symbol="solve",
    conjugates=False,
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

    def grad(g: V, self: V, B_shape: V, result: V, upper: V, left: V, unitriangular: V, needs: Option) -> tuple[V, ...]:
        solved = xp.linalg_solve_triangular(adjoint(self), g, not upper, left, unitriangular)
        for_a = None
        if needs[0]:
            product = -(solved @ adjoint(result)) if left else -(adjoint(result) @ solved)
            for_a = xp.sum_to_size(_triangle(product, upper, unitriangular), tuple(self.shape))
        return for_a, xp.sum_to_size(solved, tuple(B_shape)) if needs[1] else None


def _triangle(a: V, is_upper: bool, strict: bool) -> V:
    return upper(a, 1 if strict else 0) if is_upper else lower(a, -1 if strict else 0)


def solve_triangular(
    A: Tensor,
    B: Tensor,
    *,
    upper: bool,
    left: bool = True,
    unitriangular: bool = False,
) -> Value:
    """The X of A X = B (X A = B where not `left`) for triangular A."""
    check_square("linalg.solve_triangular", A)
    check_matrix("linalg.solve_triangular", B, "B")
    return apply(primitives["linalg_solve_triangular"], A, B, upper, left, unitriangular)


TRIANGULAR = (
    "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will be removed in a future "
    "PyTorch release.\ntorch.linalg.solve_triangular has its arguments reversed and does not return a copy of one of "
    "the inputs.\nX = torch.triangular_solve(B, A).solution\nshould be replaced with\nX = "
    "torch.linalg.solve_triangular(A, B)."
)
TriangularSolve = return_type("triangular_solve", "solution", "cloned_coefficient")


@op(
    outputs=2,
    returns=("solution", "cloned_coefficient"),
    symbol="solve",
    conjugates=False,
    latex={"self": r"A^{-H} g", "A": r"-\text{triangle}\big((A^{-H} g)\,X^H\big)"},
    summary={
        "self": "solves the system with the saved triangle transposed for the incoming gradient",
        "A": "solves with the saved triangle transposed, multiplies by the saved solution and keeps the triangle",
    },
)
class triangular_solve:
    """The X of A X = self for triangular A, and a copy of A."""

    def forward(self: A, A: A, upper: bool = True, transpose: bool = False, unitriangular: bool = False) -> A:
        matrix = np.swapaxes(A, -1, -2) if transpose else A
        copied = np.broadcast_to(A, (*np.broadcast_shapes(A.shape[:-2], self.shape[:-2]), *A.shape[-2:]))
        found = solve_triangle(matrix, self, upper is not transpose, True, unitriangular)
        return column_major(found), column_major(copied)

    def grad(
        g: V, self_shape: V, A: V, solution: V, upper: V, transpose: V, unitriangular: V, needs: Option
    ) -> tuple[V, ...]:
        g_solution, g_copy = g
        for_self = for_a = None
        if g_solution is not None:
            turned = conjugate(A) if transpose else adjoint(A)
            solved = xp.linalg_solve_triangular(turned, g_solution, upper is transpose, True, unitriangular)
            if needs[1]:
                product = -(conjugate(solution) @ solved.mT) if transpose else -(solved @ adjoint(solution))
                for_a = xp.sum_to_size(_triangle(product, upper, unitriangular), tuple(A.shape))
            for_self = xp.sum_to_size(solved, tuple(self_shape)) if needs[0] else None
        if g_copy is not None and needs[1]:
            for_a = plus(for_a, xp.sum_to_size(g_copy, tuple(A.shape)))
        return for_self, for_a


@export("triangular_solve")
def _triangular_solve(
    input: Tensor,  # noqa: A002
    A: Tensor,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> Any:
    """The X of A X = input for triangular A, and a copy of A."""
    for name, x in (("b", input), ("A", A)):
        if x._data.ndim < 2:
            raise RuntimeError(
                f"torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it has {x._data.ndim} "
                "dimensions instead"
            )
    check_system("triangular_solve", input, A)
    warn_once(TRIANGULAR)
    return TriangularSolve(*apply(primitives["triangular_solve"], input, A, upper, transpose, unitriangular))


def check_system(name: str, b: Tensor, a: Tensor) -> None:
    """Raise RuntimeError where matrices on both sides of a linear system don't fit."""
    if a._dtype is not b._dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {b._dtype.type_name} and A of type "
            f"{a._dtype.type_name} instead."
        )
    (rows, columns), (n, others) = a._data.shape[-2:], b._data.shape[-2:]
    if rows != columns:
        raise RuntimeError(f"A must be batches of square matrices, but they are {rows} by {columns} matrices")
    if columns != n:
        raise RuntimeError(
            f"Incompatible matrix sizes for {name}: each A matrix is {rows} by {columns} but each b matrix is {n} by "
            f"{others}"
        )


linalg.update(solve_triangular=solve_triangular)
