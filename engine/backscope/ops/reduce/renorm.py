"""Norms of differences (dist), and slices scaled down to a largest norm (renorm)."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.arguments.dims import wrap_dim
from backscope.ops.core.channels_last import row_major
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.low_precision import accumulating, accumulator, wide
from backscope.ops.core.mutation import mutate
from backscope.ops.core.namespace import export
from backscope.ops.pointwise.arithmetic import conj, dtype_of
from backscope.ops.reduce.norms import norm_gradient, norm_of, vector_norm
from backscope.tensor.dtype import BOOL, FLOATING, promote_types
from backscope.tensor.tensor import Tensor


def _others(ndim: int, dim: int) -> tuple[int, ...]:
    return tuple([i for i in range(ndim) if i != dim])


@op(
    symbol="‖x − y‖",
    latex={
        "self": r"g \cdot \frac{\partial\,\lVert \text{self} - \text{other} \rVert}{\partial\,\text{self}}",
        "other": r"-g \cdot \frac{\partial\,\lVert \text{self} - \text{other} \rVert}{\partial\,\text{self}}",
    },
    summary={
        "self": "sends the incoming {g} along {self} − {other}, divided by the distance for p = 2",
        "other": "sends the incoming {g} against {self} − {other}, divided by the distance for p = 2",
    },
)
class dist:
    """The p-norm of a difference."""

    def forward(self: A, other: A, p: float = 2) -> A:
        size = np.abs(self - other)
        return np.asarray(norm_of(wide(size), p, None, False)).astype(size.dtype)[()]

    def grad_self(g: V, self: V, other: V, result: V, p: V, self_shape: V) -> V:
        along = norm_gradient(g, self - other, result, p, None)
        return None if along is None else xp.sum_to_size(along, self_shape)

    def grad_other(g: V, self: V, other: V, result: V, p: V, other_shape: V) -> V:
        if p == 0:
            raise RuntimeError(
                "Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument #0 'self'"
            )
        return xp.sum_to_size(-norm_gradient(g, self - other, result, p, None), other_shape)


@export("dist")
def _dist(input: Tensor, other: Tensor, p: float = 2) -> Any:  # noqa: A002
    """The p-norm of a difference."""
    kind = promote_types(input._dtype, other._dtype)
    if BOOL in (input._dtype.category, other._dtype.category):
        input - other  # type: ignore[operator]
    if kind.category < FLOATING:
        raise RuntimeError(
            f"norm(): input dtype should be either floating point or complex. Got {kind.type_name} instead."
        )
    return apply(primitives["dist"], input.to(kind), other.to(kind), p)  # type: ignore[attr-defined]


@op(
    symbol="renorm",
    latex={"self": r"\frac{\text{maxnorm}}{\lVert \text{self} \rVert} \left(g - \ldots\right)"},
    summary={
        "self": "passes the incoming {g} on where the norm of {self} was small, elsewhere scales it as the slice was "
        "scaled and takes out what would lengthen it"
    },
)
class renorm:
    """Slices of a dim, those with a p-norm above `maxnorm` scaled down to it."""

    def forward(self: A, p: float, dim: int, maxnorm: float) -> A:
        size = norm_of(np.abs(accumulating(self)), p, _others(self.ndim, dim), True)
        factor = np.where(size > maxnorm, maxnorm / (size + 1e-7), 1)
        return row_major(self * factor.astype(self.dtype))

    def grad_self(g: V, self: V, p: V, dim: V, maxnorm: V) -> V:
        dims = _others(self.ndim, dim)
        kind = dtype_of(self)
        acc = accumulator(kind)
        size = xp.linalg_vector_norm(self if acc is kind else xp.to_copy(self, acc), p, dims, True)
        onto = (conj(self) * g).real
        onto = xp.sum(onto if acc is kind else xp.to_copy(onto, acc.real), dims, True)
        inverse = xp.reciprocal(size + 1e-7)
        bounded = maxnorm * inverse * (g - inverse * norm_gradient(onto, self, size, p, dims))
        return xp.where(size > maxnorm, bounded if acc is kind else xp.to_copy(bounded, kind), g)


def _renorm_arguments(input: Tensor, p: float, dim: int, maxnorm: float) -> tuple[Any, ...]:  # noqa: A002
    """The arguments of renorm; RuntimeError for a norm or bound below 0."""
    if input._dtype.category < FLOATING:
        vector_norm(input)
    if input.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {input.ndim} dimensions")
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    return input, p, wrap_dim(dim, input.ndim), maxnorm


@export("renorm")
def _renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Any:  # noqa: A002
    """Scale down the slices of a dim with a p-norm above `maxnorm`; RuntimeError for a norm or bound below 0."""
    return apply(primitives["renorm"], *_renorm_arguments(input, p, dim, maxnorm))


@export(function=False)
def renorm_(self: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """Scale each slice of a dim down where its p-norm is above `maxnorm`, in place."""
    return mutate("renorm", *_renorm_arguments(self, p, dim, maxnorm))
