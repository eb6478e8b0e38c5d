"""Pseudoinverses, least squares, cross products and matrix exponentials."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.autograd.transforms.absent import Absent
from backscope.ops.core.arguments.dims import wrap_dim
from backscope.ops.core.channels_last import row_major
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export, linalg, torch_functions
from backscope.ops.core.return_types import return_type
from backscope.ops.linalg.linear_systems import LinAlgError, converged
from backscope.ops.linalg.matrices import (
    adjoint,
    check_floating,
    check_matrix,
    check_square,
    column_major,
    conjugate,
    plus,
)
from backscope.runtime.given import Option, Shape, Value, Values
from backscope.runtime.warning import warn_once
from backscope.tensor import dtype as types
from backscope.tensor.tensor import Tensor


def _above_cutoff(s: Value, sizes: Shape, atol: Value, rtol: Value) -> Any:
    """Mark the singular values above the cutoff, by default the larger size times epsilon times the largest one."""
    if rtol is None:
        rtol = max(sizes) * np.finfo(s.dtype).eps if atol is None or not np.any(atol) else 0.0
    largest = s.max(-1, keepdims=True) if s.size else s
    return s > np.maximum(_beside(atol), largest * _beside(rtol))


def _beside(bound: Value) -> Any:
    return 0.0 if bound is None else np.asarray(bound)[..., None]


def _pinv(a: Value, atol: Value, rtol: Value, hermitian: bool) -> Any:
    if not a.size:
        return np.zeros((*a.shape[:-2], a.shape[-1], a.shape[-2]), a.dtype)
    u, s, vh = converged("linalg.svd", np.linalg.svd, a, full_matrices=False, hermitian=hermitian)
    keep = _above_cutoff(s, a.shape[-2:], atol, rtol)
    inverse = np.where(keep, 1 / np.where(keep, s, 1), 0).astype(s.dtype)
    return np.swapaxes(vh, -1, -2).conj() @ (inverse[..., None] * np.swapaxes(u, -1, -2).conj())


def pinv_gradient(g: V, a: V, result: V) -> V:
    """The gradient of a matrix through its pseudoinverse `result`."""
    h, g = adjoint(result), adjoint(g)
    if a.shape[-2] <= a.shape[-1]:
        k = g @ result
        kh = k @ h
        return -adjoint(result @ k) + kh - (a @ result) @ kh + (h @ result) @ (g - k @ a)
    k = result @ g
    hk = h @ k
    return -adjoint(k @ result) + (g - a @ k) @ result @ h + hk - (hk @ result) @ a


@op(
    name="linalg_pinv",
    symbol="pinv",
    conjugates=False,
    latex={"self": r"-A^{+H} g A^{+H} + \cdots"},
    summary={"self": "carries the incoming gradient through the saved pseudoinverse"},
)
class linalg_pinv:
    """The pseudoinverses of matrices; small singular values count as 0."""

    def forward(self: A, atol: Value = None, rtol: Value = None, hermitian: bool = False) -> A:
        return _pinv(self, atol, rtol, hermitian)

    def grad_self(g: V, self: V, result: V) -> V:
        return pinv_gradient(g, self, result)


def _in_place_of(b: Value, solution: Value) -> Any:
    """Return the solution in the layout of LAPACK: at the top of the columns of b."""
    n, k = solution.shape[-2:]
    memory = np.zeros((*solution.shape[:-2], max(n, b.shape[-2]), k), solution.dtype)
    memory[..., :n, :] = solution
    return column_major(memory)[..., :n, :]


@op(
    name="linalg_lstsq",
    outputs=2,
    returns=("solution", "residuals"),
    symbol="lstsq",
    conjugates=False,
    latex={"self": r"\text{pinv}'\big(g\,b^H\big)", "b": r"A^{+H} g"},
    summary={
        "self": "carries the incoming gradient through the pseudoinverse of the saved {self}",
        "b": "multiplies the incoming gradient by the pseudoinverse, transposed",
    },
)
class linalg_lstsq:
    """The X with A X nearest to b, and the squared distances where A has full rank and more rows than columns."""

    def forward(self: A, b: A, full_rank: bool = True) -> A:
        solution = _in_place_of(b, _pinv(self, None, None, False) @ b)
        if self.shape[-2] <= self.shape[-1] or not full_rank:
            return solution, np.zeros(0, solution.real.dtype)
        return solution, np.sum(np.abs(self @ solution - b) ** 2, axis=-2)

    def grad(g: V, self: V, b: V, solution: V, needs: Option) -> tuple[V, ...]:
        g_solution, g_residuals = g
        for_self = for_b = None
        if g_solution is not None:
            inverse = xp.linalg_pinv(self, None, None, False)
            for_self = pinv_gradient(g_solution @ adjoint(b), self, inverse) if needs[0] else None
            for_b = adjoint(inverse) @ g_solution if needs[1] else None
        if g_residuals is not None and math.prod(g_residuals.shape):
            distance = 2 * (self @ solution - b) * xp.unsqueeze(g_residuals, -2)
            for_self = plus(for_self, distance @ adjoint(solution)) if needs[0] else None
            for_b = plus(for_b, -distance) if needs[1] else None
        return for_self, for_b


@op(
    name="linalg_cross",
    symbol="×",
    broadcasts=True,
    latex={"self": r"\text{other} \times g", "other": r"g \times \text{self}"},
    summary={
        "self": "takes the cross product of the saved {other} with the incoming gradient",
        "other": "takes the cross product of the incoming gradient with the saved {self}",
    },
)
class linalg_cross:
    """The cross product of vectors of three elements."""

    def forward(self: A, other: A, dim: int = -1) -> A:
        return row_major(np.cross(self, other, axis=dim))

    def grad_self(g: V, other: V, self_shape: V, dim: V) -> V:
        return xp.sum_to_size(xp.linalg_cross(conjugate(other), g, dim), tuple(self_shape))

    def grad_other(g: V, self: V, other_shape: V, dim: V) -> V:
        return xp.sum_to_size(xp.linalg_cross(g, conjugate(self), dim), tuple(other_shape))


def _expm(a: Value) -> Any:
    """exp of matrices by scaling and squaring with a Padé approximant of order 13."""
    if not a.size:
        return a.copy()
    norm = float(np.max(np.sum(np.abs(a), axis=-2)))
    squarings = max(0, int(np.ceil(np.log2(norm / 5.37)))) if np.isfinite(norm) and norm > 5.37 else 0
    a = a / (2**squarings)
    b = (
        64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0, 129060195264000.0,
        10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0, 960960.0, 16380.0, 182.0, 1.0,
    )  # fmt: skip
    one = np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), a.shape)
    a2 = a @ a
    a4, a6 = a2 @ a2, a2 @ a2 @ a2
    odd = a @ (a6 @ (b[13] * a6 + b[11] * a4 + b[9] * a2) + b[7] * a6 + b[5] * a4 + b[3] * a2 + b[1] * one)
    even = a6 @ (b[12] * a6 + b[10] * a4 + b[8] * a2) + b[6] * a6 + b[4] * a4 + b[2] * a2 + b[0] * one
    result = np.linalg.solve(even - odd, even + odd)
    for _ in range(squarings):
        result = result @ result
    return result


@op(
    name="linalg_matrix_exp",
    symbol="expm",
    conjugates=False,
    latex={"self": r"\exp'(A^H)[g]"},
    summary={"self": "differentiates the exponential of the saved {self}, transposed, along the incoming gradient"},
)
class linalg_matrix_exp:
    """exp of square matrices."""

    def forward(self: A) -> A:
        return _expm(self.astype(np.complex128 if self.dtype.kind == "c" else np.float64)).astype(self.dtype)

    def grad_self(g: V, self: V) -> V:
        turned = adjoint(self)
        n = self.shape[-1]
        above = xp.cat([turned, g], -1)
        below = xp.cat([xp.zeros_like(g), turned], -1)
        whole = xp.linalg_matrix_exp(xp.cat([above, below], -2))
        return xp.slice(xp.slice(whole, -2, 0, n, 1), -1, n, 2 * n, 1)


def _plain(value: Value) -> Any:
    return value._data if isinstance(value, Tensor) else value


def pinv(
    A: Tensor,
    rcond: Value = None,
    hermitian: bool = False,
    *,
    atol: Value = None,
    rtol: Value = None,
) -> Value:
    """The pseudoinverses; singular values up to max(atol, rtol * the largest) count as 0."""
    check_matrix("linalg.pinv", A)
    check_floating("linalg.pinv", A)
    relative = rcond if rtol is None else rtol
    return apply(primitives["linalg_pinv"], A, _plain(atol), _plain(relative), hermitian)


def _check_epsilon(a: Tensor) -> None:
    """Raise RuntimeError for types that PyTorch has no epsilon for in this function."""
    if a._dtype.category < 2 or a._dtype in types.LOW_PRECISION:
        raise RuntimeError("This function doesn't handle types other than float and double")


def matrix_rank(
    A: Tensor,
    tol: Value = None,
    hermitian: bool = False,
    *,
    atol: Value = None,
    rtol: Value = None,
) -> Value:
    """The number of singular values above the cutoff."""
    check_matrix("linalg.matrix_rank", A)
    _check_epsilon(A)
    absolute = tol if atol is None else atol
    if isinstance(A._data, Absent):
        return _mapped_rank(A, absolute, rtol, hermitian)
    values = converged("linalg.svd", np.linalg.svd, A._data, compute_uv=False, hermitian=hermitian)
    counted = _above_cutoff(values, A._data.shape[-2:], _plain(absolute), _plain(rtol)) if A._data.size else values > 0
    return torch_functions["tensor"](counted.sum(-1))


def _mapped_rank(a: Value, atol: Value, rtol: Value, hermitian: bool) -> Any:
    """The rank of matrices that a vmap maps over, computed by ops."""
    values = linalg["eigvalsh"](a.detach()).abs() if hermitian else linalg["svdvals"](a.detach())
    if not a._data.size:
        return (values > 0).sum(-1)
    if rtol is None:
        rtol = max(a.shape[-2:]) * np.finfo(values._dtype.np).eps.item() if atol is None else 0.0
    bounds: Any = (0.0 if atol is None else atol, rtol)
    absolute, relative = (b.unsqueeze(-1) if isinstance(b, Tensor) else b for b in bounds)  # type: ignore[attr-defined]
    cutoff = (values.amax(-1, keepdim=True) * relative).clamp(min=absolute)
    return (values > cutoff).sum(-1)


Lstsq = return_type("linalg_lstsq", "solution", "residuals", "rank", "singular_values")


def lstsq(A: Tensor, B: Tensor, rcond: Value = None, *, driver: Value = None) -> Values:
    """Return the X with A X nearest to B, and the squared distances where A has full rank and more rows."""
    if A._data.ndim < 2:
        raise RuntimeError("torch.linalg.lstsq: input must have at least 2 dimensions.")
    if not B._data.ndim:
        raise RuntimeError("torch.linalg.lstsq: other must have at least 1 dimension.")
    if not 0 <= A._data.ndim - B._data.ndim <= 1:
        raise RuntimeError(
            "torch.linalg.lstsq: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) "
            "<= 1"
        )
    _check_epsilon(A)
    if A._dtype is not B._dtype:
        raise RuntimeError(
            "torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype "
            f"{A._dtype.type_name} and other's dtype {B._dtype.type_name}"
        )
    vector = B._data.ndim == 1 or (A._data.ndim - 1 == B._data.ndim and B._data.shape == A._data.shape[:-1])
    right = B.unsqueeze(-1) if vector else B  # type: ignore[attr-defined]
    if A._data.shape[-2] != right._data.shape[-2]:
        place = "-1" if vector else "-2"
        raise RuntimeError(f"torch.linalg.lstsq: input.size(-2) should match other.size({place})")
    if driver not in (None, "gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError("torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")
    empty = torch_functions["empty"]
    rank = empty(0, dtype=types.int64) if driver == "gels" else matrix_rank(A)
    judged = driver in ("gelsd", "gelss") and not isinstance(rank._data, Absent)
    full = driver == "gels" or (judged and bool((rank == A._data.shape[-1]).all()))
    solution, residuals = apply(primitives["linalg_lstsq"], A, right, full)
    values = linalg["svdvals"](A.detach()) if driver in ("gelsd", "gelss") else empty(0, dtype=A._dtype.real)
    return Lstsq(solution.squeeze(-1) if vector else solution, residuals, rank, values)


CROSS_WITHOUT_DIM = (
    "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly or simply "
    "use torch.linalg.cross.\nThe default value of dim will change to agree with that of linalg.cross in a future "
    "release."
)


def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Value:  # noqa: A002
    """The cross product along a dim of three elements."""
    if input._data.ndim != other._data.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    d = wrap_dim(dim, input._data.ndim)
    sizes = input._data.shape[d], other._data.shape[d]
    if sizes != (3, 3):
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {sizes[0]} and {sizes[1]}")
    if input._dtype is not other._dtype:
        kinds = input._dtype.type_name, other._dtype.type_name
        raise RuntimeError(f"expected scalar type {kinds[0]} but found {kinds[1]}")
    return apply(primitives["linalg_cross"], input, other, dim)


@export("cross")
def _cross(input: Tensor, other: Tensor, dim: int | None = None) -> Any:  # noqa: A002
    """The cross product along `dim`, by default the first of three elements."""
    if dim is None:
        warn_once(CROSS_WITHOUT_DIM)
        dim = next((i for i, n in enumerate(input._data.shape) if n == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    return cross(input, other, dim=dim)


@export("matrix_exp")
def matrix_exp(input: Tensor) -> Value:  # noqa: A002
    """exp of square matrices."""
    check_square("linalg.matrix_exp", input)
    return apply(primitives["linalg_matrix_exp"], input)


linalg.update(
    cross=cross, lstsq=lstsq, matrix_exp=matrix_exp, matrix_rank=matrix_rank, pinv=pinv, LinAlgError=LinAlgError
)
export("pinverse")(lambda input, rcond=1e-15: pinv(input, rcond))  # noqa: A006
