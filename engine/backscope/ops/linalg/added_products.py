"""Sums of a tensor and a product: addmm, addmv, baddbmm, addbmm, addr."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from backscope.ops.core.broadcasting import check_expands
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import export
from backscope.ops.core.tracking import attempted
from backscope.ops.linalg.matmul import (
    _check_batches,
    _check_product,
    _gradient_of_first,
    _gradient_of_second,
    _like,
    _matrices_t,
    _t,
    _wide_product,
)
from backscope.ops.pointwise.arithmetic import conj, like, times
from backscope.runtime.given import Dtype, Value
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
        for k in range(len(batch1)):  # PyTorch adds one product after the other, each rounded.
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
    conjugates=False,
    latex={
        "self": r"\beta\, g",
        "vec1": r"\alpha\, g\, \operatorname{conj} \text{vec2}",
        "vec2": r"\alpha\, g^T \operatorname{conj} \text{vec1}",
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


def _plus(out: A, self: A, beta: Value, alpha: Value, kind: Dtype) -> A:
    """beta * self + alpha * out, in the type `kind`; self is left out for beta 0, even where it is NaN."""
    if beta == alpha == 1 and out.__class__ is np.ndarray and self.dtype == out.dtype == kind:
        out += self
        return out
    found = out * out.dtype.type(alpha)
    if beta != 0:
        found = found + self.astype(out.dtype) * out.dtype.type(beta)
    return found.astype(kind)


def _rounded_once(out: A, self: A, beta: Value, alpha: Value) -> A:
    """beta * self + alpha * out of low precision in float32, where PyTorch's kernel fuses the last product and sum."""
    found: A = (out * np.float32(alpha)).astype(np.float64)
    found += self.astype(np.float64) * np.float64(np.float32(beta))
    return found.astype(np.float32)


@op(
    symbol="@ +",
    latex={"self": r"\beta\, g", "mat1": r"\alpha\, g\, \text{mat2}^T", "mat2": r"\alpha\, \text{mat1}^T g"},
    summary={
        "self": "sums the incoming gradient over the rows that the bias was added to",
        "mat1": "multiplies the incoming gradient by the saved {mat2} transposed",
        "mat2": "multiplies the saved {mat1} transposed by the incoming gradient",
    },
)
class addmm:
    """beta * self + alpha * (mat1 @ mat2)."""

    def forward(self: A, mat1: A, mat2: A, beta: Value = 1, alpha: Value = 1) -> A:
        out = _wide_product(mat1, mat2)
        if out.dtype != mat1.dtype and beta != 0:
            return _rounded_once(out, self, beta, alpha).astype(mat1.dtype)
        return _plus(out, self, beta, alpha, mat1.dtype)

    def grad_self(g: V, self_shape: V, beta: V) -> V:
        return times(xp.sum_to_size(g, self_shape), beta)

    def grad_mat1(g: V, mat2: V, alpha: V, mat1_strides: V) -> V:
        return times(_gradient_of_first(g, mat2, mat1_strides), alpha)

    def grad_mat2(g: V, mat1: V, alpha: V, mat2_strides: V) -> V:
        return times(_gradient_of_second(g, mat1, mat2_strides), alpha)


@op(
    symbol="@ +",
    latex={"self": r"\beta\, g", "mat": r"\alpha\, g \otimes \text{vec}", "vec": r"\alpha\, \text{mat}^T g"},
    summary={
        "self": "passes the incoming gradient on to {self}",
        "mat": "takes the outer product of the incoming gradient with the saved {vec}",
        "vec": "multiplies the saved {mat} transposed by the incoming gradient",
    },
)
class addmv:
    """beta * self + alpha * (mat @ vec)."""

    def forward(self: A, mat: A, vec: A, beta: Value = 1, alpha: Value = 1) -> A:
        if wide(mat) is not mat:
            self = (wide(self) * np.float32(beta)).astype(mat.dtype)
            beta, alpha = 1, float(like(alpha, mat))
        return _plus(_wide_product(mat, vec, "addmv_impl_cpu"), self, beta, alpha, mat.dtype)

    def grad_self(g: V, self_shape: V, beta: V) -> V:
        return times(xp.sum_to_size(g, self_shape), beta)

    def grad_mat(g: V, vec: V, alpha: V) -> V:
        return times(xp.reshape(g, (-1, 1)) * conj(vec), alpha)

    def grad_vec(g: V, mat: V, alpha: V) -> V:
        return times(xp.mv(_t(mat), g), alpha)


@op(
    symbol="@ +",
    latex={
        "self": r"\beta\, g",
        "batch1": r"\alpha\, g\, \text{batch2}^T",
        "batch2": r"\alpha\, \text{batch1}^T g",
    },
    summary={
        "self": "passes the incoming gradient on to {self}",
        "batch1": "multiplies each matrix of the incoming gradient by the saved {batch2} transposed",
        "batch2": "multiplies the saved {batch1} transposed by each matrix of the incoming gradient",
    },
)
class baddbmm:
    """beta * self + alpha * (batch1 @ batch2)."""

    def forward(self: A, batch1: A, batch2: A, beta: Value = 1, alpha: Value = 1) -> A:
        return _plus(_wide_product(batch1, batch2, "baddbmm"), self, beta, alpha, batch1.dtype)

    def grad_self(g: V, self_shape: V, beta: V) -> V:
        return times(xp.sum_to_size(g, self_shape), beta)

    def grad_batch1(g: V, batch2: V, alpha: V) -> V:
        return times(xp.bmm(g, _matrices_t(batch2)), alpha)

    def grad_batch2(g: V, batch1: V, alpha: V) -> V:
        return times(xp.bmm(_matrices_t(batch1), g), alpha)


@export("addmm")
def _addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Value = 1, alpha: Value = 1) -> Any:  # noqa: A002
    """beta * input + alpha * (mat1 @ mat2)."""
    try:
        _like(input, mat2, "self and mat2 must have the same dtype, but got {} and {}", scalar_types=True)
        _like(mat1, mat2, "mat1 and mat2 must have the same dtype, but got {} and {}", scalar_types=True)
        for name, matrix in (("mat1", mat1), ("mat2", mat2)):
            if matrix._data.ndim != 2:
                raise RuntimeError(f"{name} must be a matrix, got {matrix._data.ndim}-D tensor")
        _check_product(mat1, mat2)
        check_expands(input._data.shape, (mat1._data.shape[0], mat2._data.shape[1]))
    except RuntimeError:
        attempted(input, mat1, mat2)
        raise
    return apply(primitives["addmm"], input, mat1, mat2, beta, alpha)


def _check_vector_product(input: Tensor, mat: Tensor, vec: Tensor) -> None:  # noqa: A002
    """Raise RuntimeError for what is no vector, matrix and vector, or of sizes or dtypes that don't go together."""
    dims = input._data.ndim, mat._data.ndim, vec._data.ndim
    if dims[1:] != (2, 1) or dims[0] > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {dims[0]}, {dims[1]}, {dims[2]}")
    rows, columns = mat._data.shape
    if len(vec._data) != columns or (dims[0] and len(input._data) not in (1, rows)):
        own = input._data.shape[0] if dims[0] else 1
        raise RuntimeError(f"size mismatch, got input ({own}), mat ({rows}x{columns}), vec ({len(vec._data)})")
    if not input._dtype is mat._dtype is vec._dtype:
        raise RuntimeError(
            f"addmv input tensors must have the same dtype, but got {input._dtype.type_name}, {mat._dtype.type_name}, "
            f"and {vec._dtype.type_name}"
        )


@export("addmv")
def _addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Value = 1, alpha: Value = 1) -> Any:  # noqa: A002
    """beta * input + alpha * (mat @ vec)."""
    _check_vector_product(input, mat, vec)
    return apply(primitives["addmv"], input, mat, vec, beta, alpha)


@export("baddbmm")
def _baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Value = 1, alpha: Value = 1) -> Any:  # noqa: A002
    """beta * input + alpha * (batch1 @ batch2) for batches of matrices."""
    _check_batches(batch1, batch2)
    return apply(primitives["baddbmm"], input, batch1, batch2, beta, alpha)
