"""Matrix products: mm, mv, dot, bmm, addmm, outer, and matmul composed of them as PyTorch composes it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.dtype import LOW_PRECISION, cast, dtype
from backscope.ops.arithmetic import conj
from backscope.ops.declaration import A, V, op, xp
from backscope.ops.dispatch import apply
from backscope.ops.namespace import export
from backscope.tensor import Tensor


def product(a: A, b: A) -> A:
    """a @ b, low precision types by way of float32."""
    kind = dtype.table[a.dtype]
    if kind in LOW_PRECISION:
        return cast(np.matmul(a.astype(np.float32), b.astype(np.float32)), kind)
    if a.ndim == 2 and b.ndim == 2 and a.size < 256 and b.size < 256:
        return np.dot(a, b)
    return np.matmul(a, b)


def _t(value: V) -> V:
    if isinstance(value, Tensor):
        return conj(apply(_ops()["t"], value))
    return conj(value.T)


def _ops() -> Any:
    from backscope.ops.declaration import primitives

    return primitives


@op(symbol="@", latex={"self": r"g \, \text{mat2}^T", "mat2": r"\text{self}^T g"},
    summary={"self": "multiplies the incoming gradient by the saved {mat2} transposed", "mat2": "multiplies the saved {self} transposed by the incoming gradient"})  # fmt: skip
class mm:
    """Matrix times matrix."""

    def forward(self: A, mat2: A) -> A:
        return product(self, mat2)

    def grad_self(g: V, mat2: V) -> V:
        return xp.mm(g, _t(mat2))

    def grad_mat2(g: V, self: V) -> V:
        return xp.mm(_t(self), g)


@op(symbol="@", latex={"self": r"g \otimes \text{vec}", "vec": r"\text{self}^T g"},
    summary={"self": "takes the outer product of the incoming gradient with the saved {vec}", "vec": "multiplies the saved {self} transposed by the incoming gradient"})  # fmt: skip
class mv:
    """Matrix times vector."""

    def forward(self: A, vec: A) -> A:
        return product(self, vec)

    def grad_self(g: V, vec: V) -> V:
        return xp.reshape(g, (-1, 1)) * conj(xp.reshape(vec, (1, -1)))

    def grad_vec(g: V, self: V) -> V:
        return xp.mv(_t(self), g)


@op(symbol="·", latex={"self": r"g \cdot \text{tensor}", "tensor": r"g \cdot \text{self}"},
    summary={"self": "multiplies the incoming {g} by the saved {tensor}", "tensor": "multiplies the incoming {g} by the saved {self}"})  # fmt: skip
class dot:
    """Vector times vector."""

    def forward(self: A, tensor: A) -> A:
        return product(self, tensor)

    def grad_self(g: V, tensor: V) -> V:
        return g * conj(tensor)

    def grad_tensor(g: V, self: V) -> V:
        return g * conj(self)


@op(symbol="@", latex={"self": r"g \, \text{mat2}^T", "mat2": r"\text{self}^T g"},
    summary={"self": "multiplies each matrix of the incoming gradient by the saved {mat2} transposed", "mat2": "multiplies the saved {self} transposed by each matrix of the incoming gradient"})  # fmt: skip
class bmm:
    """Batches of matrices multiplied."""

    def forward(self: A, mat2: A) -> A:
        return product(self, mat2)

    def grad_self(g: V, mat2: V) -> V:
        return xp.bmm(g, conj(xp.transpose(mat2, 1, 2)))

    def grad_mat2(g: V, self: V) -> V:
        return xp.bmm(conj(xp.transpose(self, 1, 2)), g)


@op(symbol="@ +", latex={"self": r"\beta\, g", "mat1": r"\alpha\, g\, \text{mat2}^T", "mat2": r"\alpha\, \text{mat1}^T g"},
    summary={"self": "sums the incoming gradient over the rows that the bias was added to", "mat1": "multiplies the incoming gradient by the saved {mat2} transposed",
             "mat2": "multiplies the saved {mat1} transposed by the incoming gradient"})  # fmt: skip
class addmm:
    """beta * self + alpha * (mat1 @ mat2)."""

    def forward(self: A, mat1: A, mat2: A, beta: float = 1, alpha: float = 1) -> A:
        out = product(mat1, mat2)
        if alpha != 1:
            out = out * out.dtype.type(alpha)
        if beta == 1 and out.__class__ is np.ndarray and self.dtype == out.dtype:
            out += self
            return out
        return out + self * self.dtype.type(beta)

    def grad_self(g: V, self_shape: V, beta: V) -> V:
        folded = xp.sum_to_size(g, self_shape)
        return folded if beta == 1 else folded * beta

    def grad_mat1(g: V, mat2: V, alpha: V) -> V:
        found = xp.mm(g, _t(mat2))
        return found if alpha == 1 else found * alpha

    def grad_mat2(g: V, mat1: V, alpha: V) -> V:
        found = xp.mm(_t(mat1), g)
        return found if alpha == 1 else found * alpha


def _like(a: Tensor, b: Tensor, message: str) -> None:
    if a._dtype is not b._dtype:
        names = {"float32": "float", "float64": "double", "float16": "c10::Half", "bfloat16": "c10::BFloat16", "int64": "long int", "int32": "int",
                 "complex64": "c10::complex<float>", "complex128": "c10::complex<double>", "uint8": "unsigned char"}  # fmt: skip
        raise RuntimeError(message.format(names.get(a._dtype.name, a._dtype.name), names.get(b._dtype.name, b._dtype.name)))


@export("mm")
def _mm(input: Tensor, mat2: Tensor, *, out: Any = None) -> Any:  # noqa: A002
    """Matrix times matrix; RuntimeError for other ranks, shapes that don't fit, unlike dtypes."""
    if input._data.ndim != 2:
        raise RuntimeError("self must be a matrix")
    if mat2._data.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")
    (n, k), (k2, m) = input._data.shape, mat2._data.shape
    if k != k2:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({n}x{k} and {k2}x{m})")
    _like(input, mat2, "expected m1 and m2 to have the same dtype, but got: {} != {}")
    return apply(mm, input, mat2)


@export("mv")
def _mv(input: Tensor, vec: Tensor) -> Any:  # noqa: A002
    """Matrix times vector."""
    if input._data.ndim != 2 or vec._data.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {input._data.ndim}, {vec._data.ndim}")
    n, k = input._data.shape
    if k != vec._data.shape[0]:
        raise RuntimeError(f"size mismatch, got input ({n}), mat ({n}x{k}), vec ({vec._data.shape[0]})")
    _like(input, vec, "expected scalar type {} but found {}")
    return apply(mv, input, vec)


@export("dot", "inner")
def _dot(input: Tensor, tensor: Tensor) -> Any:  # noqa: A002
    """Vector times vector."""
    if input._data.ndim != 1 or tensor._data.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {input._data.ndim}D and {tensor._data.ndim}D tensors")
    _like(input, tensor, "dot : expected both vectors to have same dtype, but found {} and {}")
    if input._data.shape != tensor._data.shape:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{input._data.shape[0]}] and src [{tensor._data.shape[0]}] to have the same number of elements, but got {input._data.shape[0]} and {tensor._data.shape[0]} elements respectively"
        )
    return apply(dot, input, tensor)


@export("bmm")
def _bmm(input: Tensor, mat2: Tensor) -> Any:  # noqa: A002
    """Batches of matrices multiplied."""
    if input._data.ndim != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if mat2._data.ndim != 3:
        raise RuntimeError("batch2 must be a 3D tensor")
    a, b = input._data.shape, mat2._data.shape
    if a[0] != b[0] or a[2] != b[1]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{a[0]}, {a[2]}] but got: [{b[0]}, {b[1]}]."
        )
    _like(input, mat2, "expected scalar type {} but found {}")
    return apply(bmm, input, mat2)


@export("addmm")
def _addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Any:  # noqa: A002
    """beta * input + alpha * (mat1 @ mat2)."""
    (n, k), (k2, m) = mat1._data.shape, mat2._data.shape
    if k != k2:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({n}x{k} and {k2}x{m})")
    _like(mat1, mat2, "expected m1 and m2 to have the same dtype, but got: {} != {}")
    return apply(addmm, input, mat1, mat2, beta, alpha)


@export("outer", "ger")
def _outer(input: Tensor, vec2: Tensor) -> Any:  # noqa: A002
    """Every product of an element of input and one of vec2."""
    return input.reshape(-1, 1) * vec2  # type: ignore[attr-defined]


@export("matmul")
def _matmul(input: Tensor, other: Tensor, *, out: Any = None) -> Any:  # noqa: A002
    """The matrix product with broadcasting, by the op that the ranks call for."""
    if not isinstance(other, Tensor):
        return NotImplemented
    a, b = input._data.ndim, other._data.ndim
    if a == 0 or b == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a}D and {b}D")
    if a == 1 and b == 1:
        return _dot(input, other)
    if a == 2 and b == 1:
        return _mv(input, other)
    if a == 1 and b == 2:
        return _mm(input.unsqueeze(0), other).squeeze(0)  # type: ignore[attr-defined]
    if a == 2 and b == 2:
        return _mm(input, other)
    if b <= 2:
        return _folded_left(input, other)
    return _batched(input, other)


def _folded_left(input: Tensor, other: Tensor) -> Any:  # noqa: A002
    shape = input._data.shape
    if other._data.ndim == 1:
        return _mv(input.reshape(-1, shape[-1]), other).reshape(shape[:-1])  # type: ignore[attr-defined]
    flat = input.reshape(math.prod(shape[:-1]), shape[-1])  # type: ignore[attr-defined]
    from backscope.ops.shape import unsafe_view

    return apply(unsafe_view, _mm(flat, other), (*shape[:-1], other._data.shape[1]))


def _batched(input: Tensor, other: Tensor) -> Any:  # noqa: A002
    one_left, one_right = input._data.ndim == 1, other._data.ndim == 1
    left = input.unsqueeze(0) if one_left else input  # type: ignore[attr-defined]
    right = other.unsqueeze(1) if one_right else other  # type: ignore[attr-defined]
    try:
        batch = np.broadcast_shapes(left._data.shape[:-2], right._data.shape[:-2])
    except ValueError:
        from backscope.ops.elementwise import mismatch

        raise mismatch(left._data.shape[:-2], right._data.shape[:-2]) from None
    n, k = left._data.shape[-2:]
    k2, m = right._data.shape[-2:]
    count = math.prod(batch)
    folded_left = left.expand(*batch, n, k).reshape(count, n, k)
    folded_right = right.expand(*batch, k2, m).reshape(count, k2, m)
    from backscope.ops.shape import unsafe_view

    out = apply(unsafe_view, _bmm(folded_left, folded_right), (*batch, n, m))
    if one_left:
        out = out.squeeze(-2)
    return out.squeeze(-1) if one_right else out


@export(method=False, function=False, nn=True)
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Any:  # noqa: A002
    """input @ weight.T + bias."""
    transposed = weight.t()  # type: ignore[attr-defined]
    if bias is not None and input._data.ndim == 2:
        return _addmm(bias, input, transposed)
    out = _matmul(input, transposed)
    return out if bias is None else out + bias
