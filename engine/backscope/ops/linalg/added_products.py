"""Sums with products over a batch or of two vectors: addbmm, addr."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from backscope.ops.core.broadcasting import check_expands
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import export
from backscope.ops.linalg.matmul import _check_batches, _matrices_t, _plus, _wide_product
from backscope.ops.pointwise.arithmetic import conj, like, times
from backscope.runtime.given import Value
from backscope.tensor.dtype import cast, dtype, promote_types
from backscope.tensor.tensor import Tensor


def _for_each(g: V, batches: int) -> V:
    return xp.expand(xp.unsqueeze(g, 0), (batches, *g.shape))


@op(
    symbol="Σ@ +",
    latex={
        "self": r"\beta\, g",
        "batch1": r"\alpha\, g\, \text{batch2}^T",
        "batch2": r"\alpha\, \text{batch1}^T g",
    },
    summary={
        "self": "passes the incoming gradient on to {self}",
        "batch1": "multiplies the incoming gradient by each matrix of the saved {batch2} transposed",
        "batch2": "multiplies each matrix of the saved {batch1} transposed by the incoming gradient",
    },
)
class addbmm:
    """beta * self + alpha * (the sum of batch1 @ batch2 over the batch)."""

    def forward(self: A, batch1: A, batch2: A, beta: Value = 1, alpha: Value = 1) -> A:
        out = np.broadcast_to(self, (batch1.shape[1], batch2.shape[2]))
        if not len(batch1):
            return _plus(wide(np.zeros_like(out)), out, beta, alpha, batch1.dtype)
        for k in range(len(batch1)):  # One product after the other, each rounded, as they are added.
            out = _plus(_wide_product(batch1[k], batch2[k]), out, beta if k == 0 else 1, alpha, batch1.dtype)
        return out

    def grad_self(g: V, self_shape: V, beta: V) -> V:
        return times(xp.sum_to_size(g, self_shape), beta)

    def grad_batch1(g: V, batch2: V, alpha: V) -> V:
        return times(xp.bmm(_for_each(g, batch2.shape[0]), _matrices_t(batch2)), alpha)

    def grad_batch2(g: V, batch1: V, alpha: V) -> V:
        return times(xp.bmm(_matrices_t(batch1), _for_each(g, batch1.shape[0])), alpha)


@op(
    symbol="⊗ +",
    latex={
        "self": r"\beta\, g",
        "vec1": r"\alpha\, g\, \overline{\text{vec2}}",
        "vec2": r"\alpha\, g^T \overline{\text{vec1}}",
    },
    summary={
        "self": "passes the incoming gradient on to {self}",
        "vec1": "multiplies the incoming gradient by the saved {vec2}",
        "vec2": "multiplies the incoming gradient transposed by the saved {vec1}",
    },
)
class addr:
    """beta * self + alpha * the outer product of vec1 and vec2."""

    def forward(self: A, vec1: A, vec2: A, beta: Value = 1, alpha: Value = 1) -> A:
        kind = reduce(promote_types, [dtype.table[x.dtype] for x in (self, vec1, vec2)])
        self, vec1, vec2 = cast(self, kind), cast(vec1, kind), cast(vec2, kind)
        product = np.multiply.outer(vec1 if alpha == 1 else vec1 * like(alpha, vec1), vec2)
        return product if beta == 0 else self * like(beta, self) + product

    def grad_self(g: V, self_shape: V, beta: V) -> V:
        return times(xp.sum_to_size(g, self_shape), beta)

    def grad_vec1(g: V, vec2: V, alpha: V) -> V:
        return times(xp.mv(g, conj(vec2)), alpha)

    def grad_vec2(g: V, vec1: V, alpha: V) -> V:
        return times(xp.mv(xp.t(g), conj(vec1)), alpha)


@export("addbmm")
def _addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Value = 1, alpha: Value = 1) -> Any:  # noqa: A002
    """beta * input + alpha * the sum over the batch of batch1 @ batch2."""
    _check_batches(batch1, batch2)
    check_expands(input._data.shape, (batch1._data.shape[1], batch2._data.shape[2]))
    return apply(primitives["addbmm"], input, batch1, batch2, beta, alpha)


@export("addr")
def _addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Value = 1, alpha: Value = 1) -> Any:  # noqa: A002
    """beta * input + alpha times the outer product of two vectors."""
    for name, vector in (("vec1", vec1), ("vec2", vec2)):
        if vector._data.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {vector._data.ndim}-D")
    return apply(primitives["addr"], input, vec1, vec2, beta, alpha)
