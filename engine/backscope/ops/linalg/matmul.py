"""Products of matrices and vectors: mm, mv, dot, vdot, bmm."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import export
from backscope.ops.core.tracking import attempted
from backscope.ops.pointwise.arithmetic import conj
from backscope.runtime.error_facts import blame
from backscope.runtime.given import Value
from backscope.tensor.dtype import BOOL, C_NAMES, LOW_PRECISION, cast, dtype
from backscope.tensor.tensor import Tensor


def product(a: A, b: A, kernel: str = "addmm_impl_cpu_") -> A:
    """Compute a @ b, low precision types in float32; NotImplementedError for bools, which `kernel` does not support."""
    given = a.dtype
    if given.kind != "f" or given.itemsize == 2:
        kind = dtype.table[given]
        if kind.category == BOOL and a.size and b.size:
            raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")
        if kind in LOW_PRECISION:
            return cast(np.matmul(a.astype(np.float32), b.astype(np.float32)), kind)
    if a.ndim == 2 and b.ndim == 2 and a.__class__ is b.__class__ is np.ndarray:
        if len(a) * 2 <= b.shape[1] and len(b) >= 256 and not b.flags.c_contiguous and b.flags.f_contiguous:
            # A few long rows times a transposed matrix, as in a linear layer: BLAS is quicker the other way around.
            return np.ascontiguousarray(b.T.dot(a.T).T)
        return a.dot(b)  # It starts sooner than np.matmul and np.dot do.
    if b.ndim == 3 and b.size <= len(b) * _FEW and b.strides[1] < b.strides[2] and b.__class__ is np.ndarray:
        return np.matmul(a, np.ascontiguousarray(b))
    return np.matmul(a, b)


_FEW = 4096
"""The largest number of elements for which a transposed matrix is copied row by row before a product."""


def _t(value: V) -> V:
    if isinstance(value, Tensor):
        return conj(apply(primitives["t"], value))
    return conj(value.T)


def _gradient_of_first(g: V, second: V, strides: V) -> V:
    """Compute g @ second^H, by columns where the first factor is stored by columns."""
    if second.__class__ is g.__class__ is np.ndarray and second.dtype.kind == "f":
        if strides[0] == 1 and strides[1] == g.shape[0]:
            return product(second, g.T).T
        return product(g, second.T)
    if strides[0] == 1 and strides[1] == g.shape[0]:
        return xp.t(xp.mm(conj(second), xp.t(g)))
    return xp.mm(g, _t(second))


def _gradient_of_second(g: V, first: V, strides: V) -> V:
    """Compute first^H @ g, by columns where the second factor is stored by columns."""
    if first.__class__ is g.__class__ is np.ndarray and first.dtype.kind == "f":
        if strides[0] == 1 and strides[1] == first.shape[1]:
            return product(g.T, first).T
        return product(first.T, g)
    if strides[0] == 1 and strides[1] == first.shape[1]:
        return xp.t(xp.mm(xp.t(g), conj(first)))
    return xp.mm(_t(first), g)


def _matrices_t(value: V) -> V:
    if value.__class__ is np.ndarray and value.dtype.kind == "f":
        return value.swapaxes(1, 2)
    return conj(xp.transpose(value, 1, 2))


@op(
    symbol="@",
    latex={"self": r"g \, \text{mat2}^T", "mat2": r"\text{self}^T g"},
    summary={
        "self": "multiplies the incoming gradient by the saved {mat2} transposed",
        "mat2": "multiplies the saved {self} transposed by the incoming gradient",
    },
)
class mm:
    """Matrix times matrix."""

    def forward(self: A, mat2: A) -> A:
        return product(self, mat2)

    def grad_self(g: V, mat2: V, self_strides: V) -> V:
        return _gradient_of_first(g, mat2, self_strides)

    def grad_mat2(g: V, self: V, mat2_strides: V) -> V:
        return _gradient_of_second(g, self, mat2_strides)


@op(
    symbol="@",
    latex={"self": r"g \otimes \text{vec}", "vec": r"\text{self}^T g"},
    summary={
        "self": "takes the outer product of the incoming gradient with the saved {vec}",
        "vec": "multiplies the saved {self} transposed by the incoming gradient",
    },
)
class mv:
    """Matrix times vector."""

    def forward(self: A, vec: A) -> A:
        return product(self, vec, "addmv_impl_cpu")

    def grad_self(g: V, vec: V) -> V:
        return xp.reshape(g, (-1, 1)) * conj(vec)

    def grad_vec(g: V, self: V) -> V:
        return xp.mv(_t(self), g)


@op(
    symbol="·",
    latex={"self": r"g \cdot \text{tensor}", "tensor": r"g \cdot \text{self}"},
    summary={
        "self": "multiplies the incoming {g} by the saved {tensor}",
        "tensor": "multiplies the incoming {g} by the saved {self}",
    },
)
class dot:
    """Vector times vector."""

    def forward(self: A, tensor: A) -> A:
        return product(self, tensor)

    def grad_self(g: V, tensor: V) -> V:
        return g * conj(tensor)

    def grad_tensor(g: V, self: V) -> V:
        return g * conj(self)


@op(
    symbol="·",
    conjugates=False,
    latex={"self": r"\operatorname{conj} g \cdot \text{other}", "other": r"g \cdot \text{self}"},
    summary={
        "self": "multiplies the conjugate of the incoming {g} by the saved {other}",
        "other": "multiplies the incoming {g} by the saved {self}",
    },
)
class vdot:
    """Conjugated vector times vector."""

    def forward(self: A, other: A) -> A:
        return product(self.conj(), other)

    def grad_self(g: V, other: V) -> V:
        return conj(g) * other

    def grad_other(g: V, self: V) -> V:
        return g * self


@op(
    symbol="@",
    latex={"self": r"g \, \text{mat2}^T", "mat2": r"\text{self}^T g"},
    summary={
        "self": "multiplies each matrix of the incoming gradient by the saved {mat2} transposed",
        "mat2": "multiplies the saved {self} transposed by each matrix of the incoming gradient",
    },
)
class bmm:
    """Batches of matrices multiplied."""

    def forward(self: A, mat2: A) -> A:
        return product(self, mat2, "bmm")

    def grad_self(g: V, mat2: V) -> V:
        return xp.bmm(g, _matrices_t(mat2))

    def grad_mat2(g: V, self: V) -> V:
        return xp.bmm(_matrices_t(self), g)


def _wide_product(a: A, b: A, kernel: str = "addmm_impl_cpu_") -> A:
    """Compute a @ b, without rounding the result of low precision types."""
    return product(wide(a), wide(b), kernel)


def _like(a: Tensor, b: Tensor, message: str, *, scalar_types: bool = False) -> None:
    if a._dtype is b._dtype:
        return
    if scalar_types:
        raise RuntimeError(message.format(a._dtype.type_name, b._dtype.type_name))
    raise RuntimeError(message.format(C_NAMES.get(a._dtype.name, "?"), C_NAMES.get(b._dtype.name, "?")))


@export("mm")
def _mm(input: Tensor, mat2: Tensor, *, out: Value = None) -> Any:  # noqa: A002
    """Matrix times matrix; RuntimeError for other ranks, shapes that don't fit, unlike dtypes."""
    if input._data.ndim != 2:
        raise RuntimeError("self must be a matrix")
    if mat2._data.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")
    try:
        _check_product(input, mat2)
    except RuntimeError:
        attempted(input, mat2)
        raise
    return apply(primitives["mm"], input, mat2)


def _check_product(mat1: Tensor, mat2: Tensor) -> None:
    (n, k), (k2, m) = mat1._data.shape, mat2._data.shape
    if k != k2:
        text = f"mat1 and mat2 shapes cannot be multiplied ({n}x{k} and {k2}x{m})"
        raise blame(RuntimeError(text), "unlike_factors", first=mat1, second=mat2)
    _like(mat1, mat2, "expected m1 and m2 to have the same dtype, but got: {} != {}")


@export("mv")
def _mv(input: Tensor, vec: Tensor) -> Any:  # noqa: A002
    """Matrix times vector; RuntimeError for other ranks and shapes that don't fit."""
    if input._data.ndim != 2 or vec._data.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {input._data.ndim}, {vec._data.ndim}")
    n, k = input._data.shape
    if k != vec._data.shape[0]:
        raise RuntimeError(f"size mismatch, got input ({n}), mat ({n}x{k}), vec ({vec._data.shape[0]})")
    if input._dtype is not vec._dtype:
        kinds = f"{vec._dtype.type_name}, {input._dtype.type_name}, and {vec._dtype.type_name}"
        raise RuntimeError(f"addmv input tensors must have the same dtype, but got {kinds}")
    return apply(primitives["mv"], input, vec)


def _publish_dot(name: str) -> None:
    def vectors(input: Tensor, other: Tensor) -> Any:  # noqa: A002
        a, b = input._data, other._data
        if a.ndim != 1 or b.ndim != 1:
            raise RuntimeError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
        if input._dtype.category == 0 and other._dtype.category == 0:
            raise NotImplementedError("\"dot\" not implemented for 'Bool'")
        _like(
            input,
            other,
            "dot : expected both vectors to have same dtype, but found {} and {}",
            scalar_types=True,
        )
        if a.shape != b.shape:
            raise RuntimeError(
                f"inconsistent tensor size, expected tensor [{a.shape[0]}] and src [{b.shape[0]}] to have the same "
                f"number of elements, but got {a.shape[0]} and {b.shape[0]} elements respectively"
            )
        return apply(primitives[name], input, other)

    vectors.__doc__ = "Vector times vector." if name == "dot" else "Conjugated vector times vector."
    export(name)(vectors)


_publish_dot("dot")
_publish_dot("vdot")


@export("bmm")
def _bmm(input: Tensor, mat2: Tensor) -> Any:  # noqa: A002
    """Batches of matrices multiplied; RuntimeError for other ranks and shapes that don't fit."""
    if input._data.ndim != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if mat2._data.ndim != 3:
        raise RuntimeError("batch2 must be a 3D tensor")
    _check_batches(input, mat2)
    return apply(primitives["bmm"], input, mat2)


def _check_batches(batch1: Tensor, batch2: Tensor) -> None:
    a, b = batch1._data.shape, batch2._data.shape
    if a[0] != b[0] or a[2] != b[1]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{a[0]}, {a[2]}] but got: [{b[0]}, "
            f"{b[1]}]."
        )
    _like(batch1, batch2, "expected scalar type {} but found {}", scalar_types=True)
