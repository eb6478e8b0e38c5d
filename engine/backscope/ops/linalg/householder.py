"""Householder reflections: QR in LAPACK's packed form, and the matrices made of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from backscope.autograd.not_implemented import no_derivative
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export, linalg
from backscope.ops.core.return_types import return_type
from backscope.ops.linalg.matrices import adjoint, check_floating, check_matrix, column_major, conjugate, constant
from backscope.runtime.given import Option, Value
from backscope.tensor.tensor import Tensor

Geqrf = return_type("geqrf", "a", "tau")


def _reflections(a: Value) -> tuple[Any, Any]:
    """R of one matrix with the reflections below it, and their factors."""
    work = np.array(a)
    rows, columns = work.shape
    tau = np.zeros(min(rows, columns), a.dtype)
    for k in range(len(tau)):
        alpha, rest = work[k, k], work[k + 1 :, k]
        below = np.linalg.norm(rest)
        if below == 0 and (not np.iscomplexobj(a) or alpha.imag == 0):
            continue
        beta = -np.copysign(np.hypot(np.abs(alpha), below), alpha.real)
        tau[k] = (beta - alpha) / beta
        v = np.concatenate([[1], rest / (alpha - beta)]).astype(a.dtype)
        work[k:, k + 1 :] -= np.conj(tau[k]) * np.outer(v, v.conj() @ work[k:, k + 1 :])
        work[k, k], work[k + 1 :, k] = beta, v[1:]
    return work, tau


def _vectors(reflections: V, k: int) -> V:
    """Return the vector of one reflection as a column: zeros, a one, and the entries below the diagonal."""
    rows = reflections.shape[-2]
    column = xp.slice(reflections, -1, k, k + 1, 1)
    kind = column._data.dtype if isinstance(column, Tensor) else column.dtype
    below = np.arange(rows)[:, None] > k
    one = np.zeros((rows, 1), kind)
    one[k] = 1
    return xp.where(constant(below, column), column, constant(one, column))


def _reflected(reflections: V, tau: V, other: V, order: Iterable[int], *, conjugated: bool) -> V:
    """I - tau v v^H for each of several reflections, multiplied from the left onto `other`."""
    for k in order:
        v = _vectors(reflections, k)
        factor = xp.unsqueeze(xp.slice(tau, -1, k, k + 1, 1), -1)
        factor = conjugate(factor) if conjugated else factor
        other = other - factor * (v @ (adjoint(v) @ other))
    return other


def _wide_identity(reflections: V, columns: int) -> V:
    kind = reflections._data.dtype if isinstance(reflections, Tensor) else reflections.dtype
    shape = (*reflections.shape[:-2], reflections.shape[-2], columns)
    eye = np.broadcast_to(np.eye(reflections.shape[-2], columns, dtype=kind), shape)
    return constant(np.array(eye), reflections)


def _through_reflections(
    g: V, reflections: V, tau: V, other: V, order: Iterable[int], *, conjugated: bool
) -> tuple[V, V, V]:
    """Return the gradients of reflections, their factors and `other`, given that of their product."""
    steps = list(order)
    states = [other]
    for k in steps:
        states.append(_reflected(reflections, tau, states[-1], [k], conjugated=conjugated))
    columns: dict[int, V] = {}
    factors: dict[int, V] = {}
    for k, before in zip(steps[::-1], states[-2::-1], strict=True):
        v = _vectors(reflections, k)
        factor = xp.unsqueeze(xp.slice(tau, -1, k, k + 1, 1), -1)
        own = conjugate(factor) if conjugated else factor
        seen, sent = adjoint(v) @ before, adjoint(v) @ g
        for_factor = -xp.unsqueeze(xp.sum(sent.conj() * seen if _complex(g) else sent * seen, (-2, -1), False), -1)
        factors[k] = for_factor if conjugated or not _complex(g) else conjugate(for_factor)
        for_v = -(conjugate(own) * (g @ adjoint(seen))) - own * (before @ adjoint(sent))
        rows = np.arange(reflections.shape[-2])[:, None] > k
        columns[k] = xp.where(constant(rows, for_v), for_v, xp.zeros_like(for_v))
        g = g - conjugate(own) * (v @ (adjoint(v) @ g))
    count = tau.shape[-1]
    for_reflections = xp.cat([columns[k] for k in range(count)], -1) if count else xp.zeros_like(reflections)
    missing = reflections.shape[-1] - for_reflections.shape[-1]
    if missing:
        empty = xp.zeros_of(for_reflections, (*reflections.shape[:-1], missing))
        for_reflections = xp.cat([for_reflections, empty], -1)
    return for_reflections, xp.cat([factors[k] for k in range(count)], -1) if count else xp.zeros_like(tau), g


def _complex(value: V) -> bool:
    return bool((value._data if isinstance(value, Tensor) else value).dtype.kind == "c")


@op(
    name="linalg_householder_product",
    symbol="Q",
    conjugates=False,
    latex={"input": r"\frac{\partial H_1 \cdots H_k}{\partial v_i}\, g", "tau": r"-v_i^H\, g\, (\ldots)^H v_i"},
    summary={
        "input": "carries the incoming gradient back through one reflection after the other",
        "tau": "measures how far the incoming gradient moves with each reflection",
    },
)
class linalg_householder_product:
    """The first columns of the product of Householder reflections."""

    def forward(input: A, tau: A) -> A:  # noqa: A002
        if not input.size:
            return column_major(input.copy())
        start = _wide_identity(input, input.shape[-1])
        return column_major(_reflected(input, tau, start, reversed(range(tau.shape[-1])), conjugated=False))

    def grad(g: V, result: V, input: V, tau: V, needs: Option) -> tuple[V, ...]:  # noqa: A002
        if 0 in input.shape or not tau.shape[-1]:
            return None, None
        start = _wide_identity(input, input.shape[-1])
        order = reversed(range(tau.shape[-1]))
        return _through_reflections(g, input, tau, start, order, conjugated=False)[:2]


@op(
    symbol="Q @",
    conjugates=False,
    latex={
        "self": r"\frac{\partial Q C}{\partial v_i}\, g",
        "input2": r"-v_i^H\, g\, (\ldots)^H v_i",
        "input3": r"Q^H g",
    },
    summary={
        "self": "carries the incoming gradient back through one reflection after the other",
        "input2": "measures how far the incoming gradient moves with each reflection",
        "input3": "multiplies the incoming gradient by the reflections in the opposite order",
    },
)
class ormqr:
    """The product of Householder reflections times a matrix, from the `left` or the right, `transpose`d or not."""

    def forward(self: A, input2: A, input3: A, left: bool = True, transpose: bool = False) -> A:
        other = input3 if left else np.swapaxes(input3, -1, -2).conj()
        found = _reflected(self, input2, other, _order(input2, left, transpose), conjugated=transpose is left)
        return column_major(found if left else np.swapaxes(found, -1, -2).conj())

    def grad(g: V, self: V, input2: V, input3: V, left: V, transpose: V, result: V, needs: Option) -> tuple[V, ...]:
        if 0 in self.shape or not input2.shape[-1]:
            return None, None, xp.ormqr(self, input2, g, left, not transpose)
        order = _order(input2, left, transpose)
        other, g = (input3, g) if left else (adjoint(input3), adjoint(g))
        found = _through_reflections(g, self, input2, other, order, conjugated=transpose is left)
        return found[0], found[1], found[2] if left else adjoint(found[2])


def _order(tau: V, left: bool, transpose: bool) -> Any:
    """The order in which reflections are multiplied onto a matrix: the last first for Q, the first first for Q^H."""
    forwards = range(tau.shape[-1])
    return forwards if transpose is left else reversed(forwards)


def householder_product(input: Tensor, tau: Tensor, *, name: str = "torch.linalg.householder_product") -> Value:  # noqa: A002
    """The first columns of the product of Householder reflections that geqrf gives."""
    shape, factors = input._data.shape, tau._data.shape
    if len(shape) < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if shape[-2] < shape[-1]:
        raise RuntimeError(f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]")
    if factors and shape[-1] < factors[-1]:
        raise RuntimeError(f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]")
    if len(shape) - len(factors) != 1:
        raise RuntimeError(
            f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to {len(factors)} and "
            f"input.ndim is equal to {len(shape)}"
        )
    if shape[:-2] != factors[:-1]:
        raise RuntimeError(
            f"{name}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got {list(factors[:-1])}"
        )
    if input._dtype is not tau._dtype:
        raise RuntimeError(
            f"{name}: tau dtype {tau._dtype.type_name} does not match input dtype {input._dtype.type_name}"
        )
    return apply(primitives["linalg_householder_product"], input, tau)


@export("ormqr")
def _ormqr(input: Tensor, tau: Tensor, other: Tensor, left: bool = True, transpose: bool = False) -> Any:  # noqa: A002
    """The product of Householder reflections times a matrix."""
    shape, factors, third = input._data.shape, tau._data.shape, other._data.shape
    if len(shape) < 2:
        raise RuntimeError("torch.ormqr: input must have at least 2 dimensions.")
    if len(third) < 2:
        raise RuntimeError("torch.ormqr: other must have at least 2 dimensions.")
    d = -2 if left else -1
    if not factors:
        raise IndexError("Dimension specified as -1 but tensor has no dimensions")
    if third[d] != shape[-2]:
        raise RuntimeError(f"torch.ormqr: other.shape[{d}] must be equal to input.shape[-2]")
    if factors[-1] != min(third[d], shape[-1]):
        raise RuntimeError(f"torch.ormqr: tau.shape[-1] must be equal to min(other.shape[{d}], input.shape[-1])")
    if len(shape) - len(factors) != 1:
        raise RuntimeError(
            "torch.ormqr: Expected tau to have one dimension less than input, but got tau.ndim equal to "
            f"{len(factors)} and input.ndim is equal to {len(shape)}"
        )
    if len(shape) != len(third):
        raise RuntimeError(
            f"torch.ormqr: Expected other to have the same number of dimensions as input, but got other.ndim equal to "
            f"{len(third)} and input.ndim is equal to {len(shape)}"
        )
    for name, batch in (("tau", factors[:-1]), ("other", third[:-2])):
        if batch != shape[:-2]:
            raise RuntimeError(
                f"torch.ormqr: Expected batch dimensions of {name} to be equal to input.shape[:-2], but got "
                f"{list(batch)}"
            )
    for name, x in (("tau", tau), ("other", other)):
        if x._dtype is not input._dtype:
            raise RuntimeError(
                f"torch.ormqr: Expected input and {name} to have the same dtype, but input has dtype "
                f"{input._dtype.type_name} and {name} has dtype {x._dtype.type_name}"
            )
    return apply(primitives["ormqr"], input, tau, other, left, transpose)


@export("geqrf")
def _geqrf(input: Tensor) -> Any:  # noqa: A002
    """R with the Householder reflections below it, and their factors; PyTorch has no derivative of it."""
    check_matrix("torch.geqrf", input, "input")
    check_floating("geqrf_cpu", input, kernel=True)
    return Geqrf(*apply(primitives["geqrf"], input))


@op(
    outputs=2,
    returns=("a", "tau"),
    symbol="qr",
    latex={"self": r"\text{not implemented}"},
    summary={"self": "raises an error: PyTorch has no derivative for this op"},
)
class geqrf:
    """R with the Householder reflections that lead to it below, and their factors."""

    def forward(self: A) -> A:
        a, tau = np.empty_like(self), np.empty((*self.shape[:-2], min(self.shape[-2:])), self.dtype)
        for place in np.ndindex(self.shape[:-2]):
            a[place], tau[place] = _reflections(self[place])
        return column_major(a), tau

    def grad_self(g: V) -> V:
        raise no_derivative("geqrf")


export("orgqr")(lambda input, input2: householder_product(input, input2))  # noqa: A006
linalg.update(householder_product=householder_product)
