"""torch.sparse: products and sums with gradients at the coordinates of the sparse tensors alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.ops.core.arguments.dims import wrap_dims
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import torch_functions
from backscope.ops.pointwise.arithmetic import conj
from backscope.ops.sparse import sparse_tensors  # noqa: F401 - declares the conversions
from backscope.runtime.given import Dim, Dtype, Value
from backscope.tensor.sparse_values import NotImplementedForSparse, Sparse
from backscope.tensor.tensor import Tensor

sparse: dict[str, Callable[..., Any]] = {}
"""The functions of torch.sparse."""


@op(
    name="sparse_addmm",
    symbol="@",
    conjugates=False,
    latex={
        "self": r"\beta g",
        "mat1": r"\alpha\, g \cdot \text{mat2}^H\ \text{at the coordinates}",
        "mat2": r"\alpha\, \text{mat1}^H \cdot g",
    },
    summary={
        "self": "passes the incoming gradient on, times {beta}",
        "mat1": "multiplies the incoming gradient by the saved {mat2} transposed, at the coordinates of {mat1} alone",
        "mat2": "multiplies the saved {mat1} transposed by the incoming gradient",
    },
)
class sparse_addmm:
    """beta * self + alpha * (mat1 @ mat2) for a sparse mat1."""

    def forward(self: A, mat1: A, mat2: A, beta: Value = 1, alpha: Value = 1) -> A:
        found = np.matmul(np.asarray(mat1), mat2)
        found = found if alpha == 1 else found * found.dtype.type(alpha)
        return found + self * found.dtype.type(beta) if beta else found

    def grad_self(g: V, self_shape: V, beta: V) -> V:
        return xp.sum_to_size(g * beta, self_shape)

    def grad_mat1(g: V, mat1: V, mat2: V, alpha: V) -> V:
        return xp.sparse_mask((g @ conj(xp.t(mat2))) * alpha, mat1)

    def grad_mat2(g: V, mat1: V, alpha: V) -> V:
        return (conj(xp.t(xp.to_dense(mat1))) @ g) * alpha


@op(
    symbol="Σ",
    latex={"self": r"g\ \text{at the coordinates}"},
    summary={"self": "sends the incoming gradient to the values of {self} alone"},
)
class sparse_sum:
    """The sum over dims of a sparse tensor, sparse again where dims are left."""

    def forward(self: A, dim: Dim) -> A:
        once = self.coalesce()
        dims = wrap_dims(dim, self.ndim)
        left = [d for d in range(self.ndim) if d not in dims]
        if len(once.indices) != self.ndim:
            raise NotImplementedForSparse
        if not left:
            return once.values.sum()
        return Sparse(once.indices[left], once.values, tuple([self.shape[d] for d in left])).coalesce()

    def grad_self(g: V, self: V, dim: V) -> V:
        shape = tuple(self.shape)
        dims = wrap_dims(dim, len(shape))
        kept = tuple([1 if d in dims else n for d, n in enumerate(shape)])
        return xp.sparse_mask(xp.expand(xp.reshape(xp.to_dense(g), kept), shape), self)


def _is_sparse(value: Value) -> bool:
    return isinstance(value._data, Sparse)


def mm(sparse: Value, dense: Value) -> Value:
    """The product of matrices; the gradient of a sparse one is sparse."""
    if _is_sparse(sparse) and _is_sparse(dense):
        raise NotImplementedForSparse
    if not _is_sparse(sparse):
        return torch_functions["mm"](sparse, dense)
    zeros = torch_functions["zeros"]((sparse.shape[0], dense.shape[1]), dtype=dense.dtype)
    return apply(primitives["sparse_addmm"], zeros, sparse, dense, 0, 1)


def addmm(mat: Value, mat1: Value, mat2: Value, *, beta: Value = 1.0, alpha: Value = 1.0) -> Value:
    """beta * mat + alpha * (mat1 @ mat2); the gradient of a sparse mat1 is sparse."""
    if not _is_sparse(mat1) or _is_sparse(mat2):
        raise NotImplementedForSparse
    return apply(primitives["sparse_addmm"], mat, mat1, mat2, beta, alpha)


def sum(input: Value, dim: Dim = None, dtype: Dtype = None) -> Value:  # noqa: A001, A002
    """The sum of the values of a sparse tensor, of all or over dims."""
    given: Tensor = input if dtype is None else input.to(dtype)
    if dim is None:
        return given.coalesce().values().sum()  # type: ignore[attr-defined]
    return apply(primitives["sparse_sum"], given, (dim,) if isinstance(dim, int) else tuple(dim))


sparse.update(mm=mm, addmm=addmm, sum=sum)
