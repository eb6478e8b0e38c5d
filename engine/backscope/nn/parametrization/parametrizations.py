"""PyTorch's own parametrizations: orthogonal, weight_norm, spectral_norm."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any

import numpy as np

from backscope.autograd.modes.grad_mode import no_grad
from backscope.nn.module.module import Module
from backscope.nn.parametrization.parametrize import register_parametrization
from backscope.nn.parametrization.spectral_norm import default_dim
from backscope.ops.core.namespace import functional as F, linalg, torch_functions as torch
from backscope.ops.layers.weight_norm import norm_except_dim, weight_norm as scaled
from backscope.runtime.given import Value
from backscope.tensor.tensor import Tensor
from backscope.tensor.typename import belongs


class _WeightNorm(Module):
    """A weight from its lengths and its direction."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Any, weight_v: Any) -> Any:
        """The weight."""
        return scaled(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Value) -> tuple[Any, Any]:
        """Lengths and direction of a weight."""
        return norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Parametrize a weight by its lengths and its direction, as two parameters."""
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def rename_old_keys(state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
        old = [f"{prefix}{name}_g", f"{prefix}{name}_v"]
        if all(key in state_dict for key in old):
            for i, value in enumerate([state_dict.pop(key) for key in old]):
                state_dict[f"{prefix}parametrizations.{name}.original{i}"] = value

    module._register_load_state_dict_pre_hook(rename_old_keys)
    return module


class _SpectralNorm(Module):
    """A weight divided by its largest singular value."""

    _u: Any
    _v: Any

    def __init__(self, weight: Value, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        ndim = weight.ndim
        if not -ndim <= dim < ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim = dim if dim >= 0 else dim + ndim
        self.eps = eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._reshape_weight_to_matrix(weight)
            height, width = matrix.size()
            u, v = matrix.new_empty(height).normal_(0, 1), matrix.new_empty(width).normal_(0, 1)
            self.register_buffer("_u", F["normalize"](u, dim=0, eps=eps))
            self.register_buffer("_v", F["normalize"](v, dim=0, eps=eps))
            self._power_method(matrix, 15)

    def _reshape_weight_to_matrix(self, weight: Value) -> Any:
        if self.dim != 0:
            weight = weight.permute(self.dim, *(d for d in range(weight.dim()) if d != self.dim))
        return weight.flatten(1)

    @no_grad()
    def _power_method(self, matrix: Value, steps: int) -> None:
        for _ in range(steps):
            self._u = F["normalize"](torch["mv"](matrix, self._v), dim=0, eps=self.eps, out=self._u)
            self._v = F["normalize"](torch["mv"](matrix.H, self._u), dim=0, eps=self.eps, out=self._v)

    def forward(self, weight: Value) -> Any:
        """The weight, scaled."""
        if weight.ndim == 1:
            return F["normalize"](weight, dim=0, eps=self.eps)
        matrix = self._reshape_weight_to_matrix(weight)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()
        return weight / torch["vdot"](u, torch["mv"](matrix, v))

    def right_inverse(self, value: Value) -> Any:
        """Return the value itself, as if it were scaled already."""
        return value


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Parametrize a weight to be divided by its largest singular value."""
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    dim = default_dim(module) if dim is None else dim
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))


class _OrthMaps(Enum):
    """The maps from a matrix to an orthogonal one."""

    matrix_exp = auto()
    cayley = auto()
    householder = auto()


def _orthonormal(matrix: Value) -> Any:
    """The Q of a matrix, with the signs that make the diagonal of R positive."""
    q, r = np.linalg.qr(np.asarray(matrix.detach().numpy()))
    signs = np.sign(np.diagonal(r, axis1=-2, axis2=-1))
    return torch["from_numpy"](np.ascontiguousarray((q * signs[..., None, :]).swapaxes(-2, -1))).mT


class _Orthogonal(Module):
    """An orthogonal matrix from any matrix."""

    base: Any

    def __init__(self, weight: Value, orthogonal_map: _OrthMaps, *, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == _OrthMaps.householder:
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Value) -> Any:
        """The orthogonal matrix."""
        n, k = X.size(-2), X.size(-1)
        transposed = n < k
        if transposed:
            X, n, k = X.mT, k, n
        Q = self._reflected(X) if self.orthogonal_map == _OrthMaps.householder else self._rotated(X, n, k)
        if hasattr(self, "base"):
            Q = self.base @ Q
        return Q.mT if transposed else Q

    def _rotated(self, X: Value, n: int, k: int) -> Any:
        X = X.tril()
        if n != k:
            X = torch["cat"]([X, X.new_zeros(n, n - k).expand(*X.shape[:-2], -1, -1)], dim=-1)
        A = X - X.mH
        if self.orthogonal_map == _OrthMaps.matrix_exp:
            Q = torch["matrix_exp"](A)
        else:
            identity = torch["eye"](n, dtype=A.dtype)
            Q = linalg["solve"](torch["add"](identity, A, alpha=-0.5), torch["add"](identity, A, alpha=0.5))
        return Q if n == k else Q[..., :k]

    def _reflected(self, X: Value) -> Any:
        A = X.tril(diagonal=-1)
        tau = 2.0 / (1.0 + (A * A).sum(dim=-2))
        Q = linalg["householder_product"](A, tau)
        return Q * X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)

    @no_grad()
    def right_inverse(self, Q: Value) -> Any:
        """Return a value for the matrix; with trivialization the matrix becomes the base of the map."""
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}."
            )
        given = Q
        n, k = Q.size(-2), Q.size(-1)
        transpose = n < k
        if transpose:
            Q, n, k = Q.mT, k, n
        if not hasattr(self, "base"):
            return self._inverse(Q, transpose)
        if n != k:
            noise = torch["randn"](*Q.size()[:-2], n, n - k, dtype=Q.dtype)
            Q = _orthonormal(torch["cat"]([Q, noise], dim=-1))
        elif _is_orthogonal(Q):
            Q = Q.clone()
        else:
            Q = _orthonormal(Q)
        self.base = Q
        start = torch["zeros_like"](given)
        start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return start

    def _inverse(self, Q: Value, transpose: bool) -> Any:
        if self.orthogonal_map != _OrthMaps.householder:
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                "use_trivialization=False."
            )
        A, tau = torch["geqrf"](Q)
        A.diagonal(dim1=-2, dim2=-1).sign_()
        A.diagonal(dim1=-2, dim2=-1)[tau == 0.0] *= -1
        return A.mT if transpose else A


def _is_orthogonal(Q: Value) -> bool:
    n, k = Q.size(-2), Q.size(-1)
    identity = torch["eye"](k, dtype=Q.dtype)
    return bool(torch["allclose"](Q.mH @ Q, identity, atol=10.0 * n * np.finfo(Q.dtype.np).eps))


def orthogonal(
    module: Module, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Module:
    """Keep a matrix of a module orthogonal, or its rows or columns orthonormal."""
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.size(-2) == weight.size(-1)  # type: ignore[attr-defined]
        orthogonal_map = "matrix_exp" if square or weight._dtype.is_complex else "householder"
    chosen = getattr(_OrthMaps, orthogonal_map, None)
    if chosen is None:
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    made = _Orthogonal(weight, chosen, use_trivialization=use_trivialization)
    return register_parametrization(module, name, made, unsafe=True)


belongs("torch.nn.utils.parametrizations", _Orthogonal, _SpectralNorm, _WeightNorm)
