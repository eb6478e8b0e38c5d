"""Shared parts of linear algebra: adjoints, triangles, checks of shapes and dtypes."""

from __future__ import annotations

import numpy as np

from backscope.ops.core.declaration import V, xp
from backscope.ops.core.unsupported import no_kernel
from backscope.runtime.given import Array, Value
from backscope.tensor.dtype import LOW_PRECISION
from backscope.tensor.tensor import Tensor, of_raw


def adjoint(a: V) -> V:
    """The conjugate transpose of matrices."""
    return conjugate(a.mT)


def conjugate(a: V) -> V:
    """Return the complex conjugate; real values unchanged."""
    kind = a._data.dtype if isinstance(a, Tensor) else a.dtype
    return a.conj() if kind.kind == "c" else a


def on_diagonal(a: V) -> V:
    """Matrices with the last dim of `a` on their diagonals."""
    return xp.diag_embed(a, 0, -2, -1)


def diagonal_of(a: V) -> V:
    """The diagonals of matrices."""
    return xp.diagonal(a, 0, -2, -1)


def lower(a: V, diagonal: int = 0) -> V:
    """The lower triangles of matrices."""
    return xp.tril(a, diagonal)


def upper(a: V, diagonal: int = 0) -> V:
    """The upper triangles of matrices."""
    return xp.triu(a, diagonal)


def real_of(a: V) -> V:
    """Return the real part; real values unchanged."""
    kind = a._data.dtype if isinstance(a, Tensor) else a.dtype
    return a.real if kind.kind == "c" else a


def skew(a: V) -> V:
    """a - aᴴ."""
    return a - adjoint(a)


def plus(*parts: V) -> V:
    """Add the parts that are not None; None for none."""
    total = None
    for part in parts:
        if part is not None:
            total = part if total is None else total + part
    return total


def constant(value: Value, like: V) -> V:
    """Convert a raw constant of a formula to the kind of `like`: raw, or a Tensor."""
    return of_raw(value) if isinstance(like, Tensor) else value


def identity(like: V, n: int) -> V:
    """The identity matrix in the dtype of `like`."""
    kind = like._data.dtype if isinstance(like, Tensor) else like.dtype
    return constant(np.eye(n, dtype=kind), like)


def column_major(a: Value) -> Array:
    """Copy raw matrices so that their columns are contiguous, as LAPACK's results are."""
    return np.swapaxes(np.ascontiguousarray(np.swapaxes(a, -1, -2)), -1, -2)


def check_square(name: str, a: Tensor, *, floating: bool = True) -> None:
    """Raise RuntimeError for what is no batch of square matrices, or of integers."""
    shape = a._data.shape
    check_matrix(name, a)
    if shape[-1] != shape[-2]:
        raise RuntimeError(
            f"{name}: A must be batches of square matrices, but they are {shape[-2]} by {shape[-1]} matrices"
        )
    if floating:
        check_floating(name, a)


def check_matrix(name: str, a: Tensor, called: str = "A") -> None:
    """Raise RuntimeError for a tensor of fewer than two dims."""
    if a._data.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor {called} must have at least 2 dimensions.")


def check_dims(name: str, a: Tensor) -> None:
    """Raise RuntimeError for a tensor of fewer than two dims, in the words of LU decompositions."""
    if a._data.ndim < 2:
        raise RuntimeError(
            f"{name}: Expected tensor with 2 or more dimensions. Got size: {list(a._data.shape)} instead"
        )


_KERNELS = {
    "cholesky_inverse": "cholesky_inverse_out_cpu",
    "cholesky_solve": "cholesky_solve_cpu",
    "linalg.eigh": "linalg_eigh_cpu",
    "linalg.eigvalsh": "linalg_eigh_cpu",
    "linalg.solve_triangular": "triangular_solve_cpu",
}
"""Functions with a kernel for floating point numbers of 32 bits or more only."""
_LOW_KERNELS = {
    "linalg.cholesky": "cholesky_cpu",
    "linalg.cholesky_ex": "cholesky_cpu",
    "linalg.det": "lu_cpu",
    "linalg.eig": "linalg_eig_out_cpu",
    "linalg.eigvals": "linalg_eig_out_cpu",
    "linalg.qr": "geqrf_cpu",
    "linalg.solve": "lu_cpu",
    "linalg.svd": "linalg_svd_cpu",
    "linalg.svdvals": "linalg_svd_cpu",
    "torch.linalg.ldl_factor": "ldl_factor_kernel_cpu",
    "torch.linalg.ldl_factor_ex": "ldl_factor_kernel_cpu",
}
"""Functions with a kernel that refuses numbers of 16 bits; integers raise another error."""
_SAID = {
    "linalg.cholesky_ex": "linalg.cholesky",
    "linalg.svdvals": "linalg.svd",
    "torch.linalg.ldl_factor": "torch.linalg.ldl_factor_ex",
}
"""Functions with another function's name in their errors."""


def check_floating(name: str, a: Tensor, *, kernel: bool = False) -> None:
    """Raise RuntimeError for integers and for types of 16 bits, in which LAPACK has no decompositions.

    Where only a `kernel` refuses them it is a NotImplementedError that names the kernel.
    """
    kind = a._dtype
    low = kind in LOW_PRECISION
    if kind.category >= 2 and not low:
        return
    if kernel or name in _KERNELS or (low and name in _LOW_KERNELS):
        raise no_kernel(_KERNELS.get(name) or _LOW_KERNELS.get(name, name), kind)
    if name == "linalg.pinv":
        sizes = ", ".join([str(n) for n in a._data.shape])
        raise RuntimeError(
            f"linalg.pinv({kind.type_name}{{[{sizes}]}}): expected a tensor with 2 or more dimensions of float, "
            "double, cfloat or cdouble types"
        )
    if kind.category < 2:
        if name in ("linalg.eig", "linalg.eigvals"):
            raise RuntimeError(f"Unknown Complex ScalarType for {kind.type_name}")
        name = _SAID.get(name, name)
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {kind.type_name}")
    if low:
        raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {kind.type_name}")
