"""LU decompositions: the factors apart or in one matrix, and the solvers based on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.transforms.absent import Absent
from backscope.ops.core.declaration import A, K, Op, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export, linalg
from backscope.ops.core.return_types import return_type
from backscope.ops.linalg.linear_systems import LinAlgError, factored, refuse, solve_triangle
from backscope.ops.linalg.matrices import (
    adjoint,
    check_dims,
    check_floating,
    check_matrix,
    column_major,
    constant,
    identity,
    lower,
    plus,
    upper,
)
from backscope.runtime.given import Dtype, Option, Value, Values
from backscope.runtime.warning import warn_once
from backscope.tensor.tensor import Tensor


def _permutation(pivots: Value, n: int, kind: Dtype) -> Any:
    """The matrices that put the rows exchanged by `pivots` back in place."""
    found = np.zeros((*pivots.shape[:-1], n, n), kind)
    for place in np.ndindex(pivots.shape[:-1]):
        order = np.arange(n)
        for k, p in enumerate(pivots[place]):
            order[[k, p - 1]] = order[[p - 1, k]]
        found[place][order, np.arange(n)] = 1
    return found


def _exchange(pivots: V, like: V) -> V:
    raw = pivots._data if isinstance(pivots, Tensor) else pivots
    if isinstance(raw, Absent):
        return apply(primitives["lu_unpack"], like.detach(), pivots, False, True)[2]
    kind = like._data.dtype if isinstance(like, Tensor) else like.dtype
    return constant(_permutation(raw, like.shape[-2], kind), like)


def _factors(a: Value) -> tuple[Any, Any, Any]:
    batch = a.shape[:-2]
    lu, pivots, info = np.empty_like(a), np.empty((*batch, min(a.shape[-2:])), np.int32), np.empty(batch, np.int32)
    for place in np.ndindex(batch):
        lu[place], pivots[place], info[place] = factored(a[place])
    return column_major(lu), pivots, info[()]


def _unit_lower(lu: V) -> V:
    """L of both factors in one matrix."""
    rows, columns = lu.shape[-2:]
    k = min(rows, columns)
    below = lower(xp.slice(lu, -1, 0, k, 1), -1)
    return below + _eye(below, rows, k)


def _eye(like: V, rows: int, columns: int) -> V:
    kind = like._data.dtype if isinstance(like, Tensor) else like.dtype
    return constant(np.eye(rows, columns, dtype=kind), like)


def _upper(lu: V) -> V:
    """U of both factors in one matrix."""
    return upper(xp.slice(lu, -2, 0, min(lu.shape[-2:]), 1))


def _gradient(g_l: V, g_u: V, exchanged: V, left: V, right: V) -> V:
    """The gradient of P L U from those of the factors; `exchanged` is P."""
    rows, columns = left.shape[-2], right.shape[-1]
    k = min(rows, columns)
    rest: Any = None
    first_left, first_right = left, right
    if rows < columns:
        first_right = xp.slice(right, -1, 0, k, 1)
        if g_u is not None:
            over = xp.slice(g_u, -1, k, columns, 1)
            rest = xp.linalg_solve_triangular(adjoint(left), over, True, True, True)
            g_u = xp.slice(g_u, -1, 0, k, 1)
            g_l = plus(g_l, -(rest @ adjoint(xp.slice(right, -1, k, columns, 1))))
    elif rows > columns:
        first_left = xp.slice(left, -2, 0, k, 1)
        if g_l is not None:
            over = xp.slice(g_l, -2, k, rows, 1)
            rest = xp.linalg_solve_triangular(adjoint(right), over, False, False, False)
            g_l = xp.slice(g_l, -2, 0, k, 1)
            g_u = plus(g_u, -(adjoint(xp.slice(left, -2, k, rows, 1)) @ rest))
    inner = plus(
        None if g_l is None else lower(adjoint(first_left) @ g_l, -1),
        None if g_u is None else upper(g_u @ adjoint(first_right)),
    )
    inner = xp.linalg_solve_triangular(adjoint(first_left), inner, True, True, True)
    square = xp.linalg_solve_triangular(adjoint(first_right), inner, False, False, False)
    if rows != columns:
        wide = rows < columns
        missing = (*square.shape[:-2], rows, columns - k) if wide else (*square.shape[:-2], rows - k, columns)
        rest = xp.zeros_of(square, missing) if rest is None else rest
        square = xp.cat([square, rest], -1 if wide else -2)
    return exchanged @ square


@op(
    name="linalg_lu",
    outputs=3,
    differentiable=2,
    returns=("L", "U", "P"),
    symbol="lu",
    conjugates=False,
    latex={"A": r"P L^{-H}\big(\text{tril}(L^H g_L) + \text{triu}(g_U U^H)\big)U^{-H}"},
    summary={"A": "carries the incoming gradients through the saved factors L and U"},
)
class linalg_lu:
    """L with ones on its diagonal, upper triangular U and the exchange P of rows; the product P L U is A."""

    def forward(A: A, pivot: bool = True) -> A:
        lu, pivots, _ = _factors(A)
        return (
            np.ascontiguousarray(_unit_lower(lu)),
            np.ascontiguousarray(_upper(lu)),
            _permutation(pivots, A.shape[-2], A.dtype),
        )

    def grad_A(g: V, P: V, L: V, U: V, pivot: V) -> V:
        return None if g[0] is None and g[1] is None else _gradient(g[0], g[1], P, L, U)


@op(
    name="linalg_lu_factor_ex",
    outputs=3,
    differentiable=1,
    returns=("LU", "pivots", "info"),
    symbol="lu",
    conjugates=False,
    latex={"A": r"P L^{-H}\big(\text{tril}(L^H g) + \text{triu}(g U^H)\big)U^{-H}"},
    summary={"A": "carries the incoming gradient through the saved factors"},
)
class linalg_lu_factor_ex:
    """L and U in one matrix, with the rows that were exchanged and the first pivot that is 0."""

    def forward(A: A, pivot: bool = True) -> A:
        return _factors(A)

    def grad_A(g: V, LU: V, pivots: V, pivot: V) -> V:
        k = min(LU.shape[-2:])
        g_l, g_u = lower(xp.slice(g, -1, 0, k, 1), -1), upper(xp.slice(g, -2, 0, k, 1))
        return _gradient(g_l, g_u, _exchange(pivots, LU), _unit_lower(LU), _upper(LU))


@op(
    outputs=3,
    differentiable=2,
    returns=("L", "U", "P"),
    symbol="lu",
    latex={"LU_data": r"\text{tril}(g_L, -1) + \text{triu}(g_U)"},
    summary={"LU_data": "puts the triangles of the incoming gradients together"},
)
class lu_unpack:
    """L, U and P of factors in one matrix."""

    def forward(LU_data: A, LU_pivots: K, unpack_data: bool = True, unpack_pivots: bool = True) -> A:
        none, kind = np.zeros(0, LU_data.dtype), LU_data.dtype
        left = np.ascontiguousarray(_unit_lower(LU_data)) if unpack_data else none
        right = np.ascontiguousarray(_upper(LU_data)) if unpack_data else none
        return left, right, _permutation(LU_pivots, LU_data.shape[-2], kind) if unpack_pivots else none

    def grad_LU_data(g: V, LU_data_shape: V) -> V:
        g_l, g_u = g
        rows, columns = LU_data_shape[-2:]
        batch, k = tuple(LU_data_shape[:-2]), min(rows, columns)
        left = None if g_l is None else lower(g_l, -1)
        right = None if g_u is None else upper(g_u)
        if left is not None and columns > k:
            left = xp.cat([left, xp.zeros_of(left, (*batch, rows, columns - k))], -1)
        if right is not None and rows > k:
            right = xp.cat([right, xp.zeros_of(right, (*batch, rows - k, columns))], -2)
        return plus(left, right)


@op(
    name="linalg_lu_solve",
    symbol="solve",
    conjugates=False,
    latex={"LU": r"\text{tril}(g_A U^H) + \text{triu}(L^H g_A),\ g_A = -A^{-H} g\, X^H", "B": r"A^{-H} g"},
    summary={
        "LU": "solves with the saved factors transposed, multiplies by the saved solution and shares that out",
        "B": "solves the system with the saved factors transposed for the incoming gradient",
    },
)
class linalg_lu_solve:
    """The X of A X = B (or X A = B where not `left`), where A is given by its LU decomposition."""

    def forward(LU: A, pivots: K, B: A, left: bool = True, adjoint: bool = False) -> A:
        exchange = _permutation(pivots, LU.shape[-1], LU.dtype)
        if not left:
            turned = np.swapaxes(B, -1, -2).conj()
            found = np.swapaxes(_lu_solution(LU, exchange, turned, not adjoint), -1, -2).conj()
            return np.ascontiguousarray(found)
        return column_major(_lu_solution(LU, exchange, B, adjoint))

    def grad(g: V, LU: V, pivots: V, B_shape: V, result: V, left: V, adjoint: V, needs: Option) -> tuple[V, ...]:
        for_b = xp.linalg_lu_solve(LU, pivots, g, left, not adjoint)
        for_lu = None
        if needs[0]:
            x, h = (_adjoint(result), _adjoint(for_b))
            if left:
                for_a = -(result @ h) if adjoint else -(for_b @ x)
            else:
                for_a = -(h @ result) if adjoint else -(x @ for_b)
            for_a = _adjoint(_exchange(pivots, LU)) @ for_a
            unit = lower(LU, -1) + identity(LU, LU.shape[-1])
            for_lu = lower(for_a @ _adjoint(upper(LU)), -1) + upper(_adjoint(unit) @ for_a)
            for_lu = xp.sum_to_size(for_lu, tuple(LU.shape))
        return for_lu, xp.sum_to_size(for_b, tuple(B_shape)) if needs[1] else None


_adjoint = adjoint


def _lu_solution(lu: Value, exchange: Any, b: Value, adjoint: bool) -> Any:
    if not adjoint:
        half = solve_triangle(lu, np.swapaxes(exchange, -1, -2) @ b, False, True, True)
        return solve_triangle(lu, half, True, True, False)
    turned = np.swapaxes(lu, -1, -2).conj()
    half = solve_triangle(turned, b, False, True, False)
    return exchange @ solve_triangle(turned, half, True, True, True)


ZERO_PIVOT = (
    "U[{at},{at}] is zero and using it on lu_solve would result in a division by zero. If you still want to perform "
    "the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
)
LU = return_type("linalg_lu", "P", "L", "U")
LUFactor = return_type("linalg_lu_factor", "LU", "pivots")
LUFactorEx = return_type("linalg_lu_factor_ex", "LU", "pivots", "info")
LUUnpack = return_type("lu_unpack", "P", "L", "U")
LUWithInfo = return_type("_lu_with_info", "LU", "pivots", "info")


def lu(A: Tensor, *, pivot: bool = True) -> Values:
    """The exchange of rows P and the factors L and U."""
    check_dims("linalg.lu", A)
    _check_pivoting("linalg.lu_factor", A, pivot)
    left, right, exchange = apply(primitives["linalg_lu"], A, pivot)
    return LU(exchange, left, right)


def _check_pivoting(name: str, A: Tensor, pivot: bool) -> None:
    if not pivot:
        raise RuntimeError(f"{name}: LU without pivoting is not implemented on the CPU")
    check_floating("lu_cpu", A, kernel=True)


def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> Values:
    """The LU decomposition in one matrix, the rows that were exchanged and, for each matrix, its first zero pivot."""
    made = primitives["linalg_lu_factor_ex"]
    return LUFactorEx(*_decomposed("torch.linalg.lu_factor_ex", made, A, pivot, check_errors))


def lu_factor(A: Tensor, *, pivot: bool = True) -> Values:
    """The LU decomposition in one matrix, and the rows that were exchanged."""
    made = primitives["linalg_lu_factor_ex"].giving(2)
    return LUFactor(*_decomposed("torch.linalg.lu_factor", made, A, pivot, True)[:2])


def _decomposed(name: str, made: Op, A: Tensor, pivot: bool, check_errors: bool) -> Any:
    check_dims("torch.lu_factor", A)
    _check_pivoting("linalg.lu_factor", A, pivot)
    found = apply(made, A, pivot)
    if check_errors:
        refuse(name, A, found[2], ZERO_PIVOT, RuntimeError)
    return found


def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False) -> Value:
    """The X of A X = B (X A = B where not `left`), where A is given by its LU decomposition."""
    name = "linalg.lu_solve"
    if LU._dtype is not B._dtype:
        raise RuntimeError(
            f"{name}: Expected LU and B to have the same dtype, but found LU of type {LU._dtype.type_name} and B of "
            f"type {B._dtype.type_name} instead"
        )
    check_matrix("torch.linalg.lu_solve", LU)
    check_matrix(name, B, "B")
    if pivots._dtype.name != "int32":
        raise RuntimeError(f"{name}: pivots should be a Tensor of scalar type torch.int32")
    rows, columns = LU._data.shape[-2:]
    if rows != columns:
        raise RuntimeError(
            f"torch.{name}: A must be batches of square matrices, but they are {rows} by {columns} matrices"
        )
    if not pivots._data.ndim or pivots._data.shape[-1] != rows:
        raise RuntimeError(f"{name}: Number of pivots per batch should be same as the dimension of the matrix")
    if pivots._data.shape[:-1] != LU._data.shape[:-2]:
        raise RuntimeError(f"{name}: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
                           f"{list(pivots._data.shape)} instead")  # fmt: skip
    shape = B._data.shape
    if shape[-2 if left else -1] != rows:
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'} "
            f"({rows}x{columns} and {shape[-2]}x{shape[-1]})"
        )
    return apply(primitives["linalg_lu_solve"], LU, pivots, B, left, adjoint)


@export("lu_unpack", method=False)
def _lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """P, L and U of an LU decomposition."""
    if unpack_pivots and (LU_pivots._dtype.name != "int32" or not LU_pivots.is_contiguous()):  # type: ignore[attr-defined]
        raise RuntimeError(
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\nNote: this "
            "function is intended to be used with the output produced by torch.linalg.lu_factor"
        )
    left, right, exchange = apply(primitives["lu_unpack"], LU_data, LU_pivots, unpack_data, unpack_pivots)
    return LUUnpack(exchange, left, right)


OLD_SOLVE = (
    "torch.lu_solve is deprecated in favor of torch.linalg.lu_solveand will be removed in a future PyTorch release.\n"
    "Note that torch.linalg.lu_solve has its arguments reversed.\nX = torch.lu_solve(B, LU, pivots)\nshould be "
    "replaced with\nX = torch.linalg.lu_solve(LU, pivots, B)"
)
OLD_FACTOR = (
    "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be removed in a "
    "future PyTorch release.\nLU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\nLU, pivots = "
    "torch.linalg.lu_factor(A, compute_pivots)\nand\nLU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)\n"
    "should be replaced with\nLU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)"
)


@export("lu_solve")
def _lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Any:  # noqa: A002
    """The X of A X = input, where A is given by its LU decomposition."""
    warn_once(OLD_SOLVE)
    return lu_solve(LU_data, LU_pivots, input)


@export("_lu_with_info", method=False)
def _lu_with_info(input: Tensor, pivot: bool = True, check_errors: bool = True) -> Any:  # noqa: A002
    """The LU decomposition in one matrix, the rows that were exchanged and the first zero pivots."""
    warn_once(OLD_FACTOR)
    return LUWithInfo(*lu_factor_ex(input, pivot=pivot))


@export("lu")
def _lu(A: Tensor, pivot: bool = True, get_infos: bool = False, out: Value = None) -> Any:
    """The LU decomposition in one matrix, and the rows that were exchanged; with `get_infos` also the zero pivots."""
    found = _lu_with_info(A, pivot, not get_infos)
    return found if get_infos else (found.LU, found.pivots)


linalg.update(lu=lu, lu_factor=lu_factor, lu_factor_ex=lu_factor_ex, lu_solve=lu_solve, LinAlgError=LinAlgError)
