"""Transforms of vectors and matrices: Softmax, StickBreaking, Cholesky factors, slices joined by Cat and Stack."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from backscope.distributions import constraints
from backscope.distributions.parameterization import (
    epsilon,
    lazy_property,
    sum_rightmost,
    tril_matrix_to_vec,
    vec_to_tril_matrix,
)
from backscope.distributions.scalar_transforms import _Fixed, clipped_sigmoid
from backscope.distributions.transform import FEW, Transform
from backscope.ops.core.namespace import functional, linalg, torch_functions
from backscope.runtime.given import Shape, Value, Values
from backscope.tensor.number_limits import finfo

if TYPE_CHECKING:
    from backscope.distributions.constraints import Constraint


class CorrCholeskyTransform(Transform):
    """Vectors as Cholesky factors of correlation matrices."""

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Value) -> Any:
        x = x.tanh()
        eps = epsilon(x)
        r = vec_to_tril_matrix(x.clamp(min=-1 + eps, max=1 - eps), diag=-1)
        left = (1 - r**2).sqrt().cumprod(-1)
        r = r + torch_functions["eye"](r.shape[-1], dtype=r.dtype)
        return r * functional["pad"](left[..., :-1], [1, 0], value=1)

    def _inverse(self, y: Value) -> Any:
        left = 1 - (y * y).cumsum(dim=-1)
        shifted = functional["pad"](left[..., :-1], [1, 0], value=1)
        t = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(shifted, diag=-1).sqrt()
        return (t.log1p() - t.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x: Value, y: Value, intermediates: object = None) -> Value:
        """The sum for tanh and for stick breaking."""
        left = 1 - (y * y).cumsum(dim=-1)
        sticks = 0.5 * tril_matrix_to_vec(left, diag=-2).log().sum(-1)
        return sticks + -2 * (x + functional["softplus"](-2 * x) - math.log(2.0)).sum(dim=-1)

    def forward_shape(self, shape: Shape) -> Shape:
        """The shape of the matrices."""
        if len(shape) < 1:
            raise ValueError(FEW)
        count = shape[-1]
        side = round((0.25 + 2 * count) ** 0.5 + 0.5)
        if side * (side - 1) // 2 != count:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return type(shape)((*shape[:-1], side, side))

    def inverse_shape(self, shape: Shape) -> Shape:
        """The shape of the vectors."""
        if len(shape) < 2:
            raise ValueError(FEW)
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        side = shape[-1]
        return type(shape)((*shape[:-2], side * (side - 1) // 2))


class _OfVectors(_Fixed):
    domain = constraints.real_vector
    codomain: Any = constraints.simplex
    grows = 0

    def forward_shape(self, shape: Shape) -> Any:
        """The shape of y by that of x."""
        return self._longer(shape, self.grows)

    def inverse_shape(self, shape: Shape) -> Any:
        """The shape of x by that of y."""
        return self._longer(shape, -self.grows)

    @staticmethod
    def _longer(shape: Shape, by: int) -> Any:
        if len(shape) < 1:
            raise ValueError(FEW)
        return type(shape)((*shape[:-1], shape[-1] + by)) if by else shape


class SoftmaxTransform(_OfVectors):
    """y = exp(x) over its sum; not bijective, as y does not change with a shift of x."""

    def _call(self, x: Value) -> Any:
        probs = (x - x.max(-1, True)[0]).exp()
        return probs / probs.sum(-1, True)

    def _inverse(self, y: Value) -> Any:
        return y.log()


class StickBreakingTransform(_OfVectors):
    """Vectors as points of a simplex with one more part: each number breaks off a part of what is left."""

    bijective = True
    grows = 1

    def _call(self, x: Value) -> Any:
        z = clipped_sigmoid(x - self._offset(x, x.shape[-1] + 1, x.shape[-1]))
        left = (1 - z).cumprod(-1)
        return functional["pad"](z, [0, 1], value=1) * functional["pad"](left, [1, 0], value=1)

    @staticmethod
    def _offset(x: Value, parts: int, count: int) -> Any:
        return (parts - x.new_ones(count).cumsum(-1)).log()

    def _inverse(self, y: Value) -> Any:
        cropped = y[..., :-1]
        left = torch_functions["clamp"](1 - cropped.cumsum(-1), min=finfo(y.dtype).tiny)
        return cropped.log() - left.log() + self._offset(y, y.shape[-1], cropped.shape[-1])

    def log_abs_det_jacobian(self, x: Value, y: Value) -> Value:
        """Return the log of the absolute Jacobian determinant, a sum over the parts."""
        x = x - self._offset(x, x.shape[-1] + 1, x.shape[-1])
        return (-x + functional["logsigmoid"](x) + y[..., :-1].log()).sum(-1)


class LowerCholeskyTransform(_Fixed):
    """Square matrices as lower triangular ones with a positive diagonal."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Value) -> Any:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Value) -> Any:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(_Fixed):
    """Square matrices as positive definite ones."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Value) -> Any:
        x = LowerCholeskyTransform()(x)
        return x @ x.mT

    def _inverse(self, y: Value) -> Any:
        return LowerCholeskyTransform().inv(linalg["cholesky"](y))


class _Joined(Transform):
    """Transforms of the slices of a tensor along a dim."""

    def __init__(self, tseq: Value, dim: int, cache_size: int) -> None:
        if not all(isinstance(t, Transform) for t in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        super().__init__(cache_size=cache_size)
        self.transforms: list[Any] = [t.with_cache(cache_size) if cache_size else t for t in tseq]
        self.dim = dim

    @property
    def bijective(self) -> Any:
        """True when all transforms are bijective."""
        return all(t.bijective for t in self.transforms)

    def _slices(self, value: Value, name: str) -> Any:
        raise NotImplementedError

    def _join(self, parts: Values) -> Any:
        raise NotImplementedError

    def _check(self, value: Value, name: str, expected: str, count: int) -> None:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for {name} with {value.dim()} dimensions")
        if value.size(self.dim) != count:
            raise AssertionError(f"{name}.size({self.dim}) = {value.size(self.dim)} must equal {expected} {count}")

    def _call(self, x: Value) -> Any:
        return self._join([t(part) for part, t in zip(self._slices(x, "x"), self.transforms, strict=True)])

    def _inverse(self, y: Value) -> Any:
        return self._join([t.inv(part) for part, t in zip(self._slices(y, "y"), self.transforms, strict=True)])

    def _jacobians(self, x: Value, y: Value) -> Any:
        pairs = zip(self._slices(x, "x"), self._slices(y, "y"), self.transforms, strict=True)
        return [t.log_abs_det_jacobian(before, after) for before, after, t in pairs]


class CatTransform(_Joined):
    """Applies each transform to its own `lengths` of a tensor along `dim`."""

    def __init__(self, tseq: Value, dim: int = 0, lengths: Values = None, cache_size: int = 0) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})")

    @lazy_property
    def event_dim(self) -> int:
        """The most dims of any."""
        found: int = max(t.event_dim for t in self.transforms)
        return found

    @lazy_property
    def length(self) -> int:
        """The sum of all lengths."""
        return sum(self.lengths)

    def with_cache(self, cache_size: int = 1) -> Transform:
        """This transform with a cache in each part."""
        if self._cache_size == cache_size:
            return self
        return CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    def _slices(self, value: Value, name: str) -> Any:
        self._check(value, name, "length", self.length)
        starts = [sum(self.lengths[:i]) for i in range(len(self.lengths))]
        return [value.narrow(self.dim, start, length) for start, length in zip(starts, self.lengths, strict=True)]

    def _join(self, parts: Values) -> Any:
        return torch_functions["cat"](parts, dim=self.dim)

    def log_abs_det_jacobian(self, x: Value, y: Value) -> Value:
        """The result of each transform on its part."""
        found = [
            sum_rightmost(j, self.event_dim - t.event_dim) if t.event_dim < self.event_dim else j
            for j, t in zip(self._jacobians(x, y), self.transforms, strict=True)
        ]
        dim = (self.dim - x.dim() if self.dim >= 0 else self.dim) + self.event_dim
        return torch_functions["cat"](found, dim=dim) if dim < 0 else sum(found)

    @constraints.dependent_property
    def domain(self) -> Constraint:
        """The transforms' side by side."""
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self) -> Constraint:
        """The transforms' side by side."""
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)


class StackTransform(_Joined):
    """Applies each transform to its own slice of a tensor along `dim`."""

    def __init__(self, tseq: Value, dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(tseq, dim, cache_size)

    def with_cache(self, cache_size: int = 1) -> Transform:
        """This transform with a cache in each part."""
        return self if self._cache_size == cache_size else StackTransform(self.transforms, self.dim, cache_size)

    def _slices(self, value: Value, name: str) -> Any:
        self._check(value, name, "len(transforms)", len(self.transforms))
        return [value.select(self.dim, i) for i in range(value.size(self.dim))]

    def _join(self, parts: Values) -> Any:
        return torch_functions["stack"](parts, dim=self.dim)

    def log_abs_det_jacobian(self, x: Value, y: Value) -> Value:
        """The result of each transform on its slice."""
        return self._join(self._jacobians(x, y))

    @constraints.dependent_property
    def domain(self) -> Constraint:
        """The transforms' along the dim."""
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self) -> Constraint:
        """The transforms' along the dim."""
        return constraints.stack([t.codomain for t in self.transforms], self.dim)
