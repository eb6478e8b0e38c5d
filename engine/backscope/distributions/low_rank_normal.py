"""LowRankMultivariateNormal: normal vectors with a covariance of low rank plus a diagonal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from backscope.distributions import constraints
from backscope.distributions.distribution import Centered
from backscope.distributions.parameterization import lazy_property, standard_normal
from backscope.ops.core.namespace import linalg, torch_functions
from backscope.runtime.given import Dim, Shape, Value

if TYPE_CHECKING:
    from backscope.distributions.constraints import Constraint


def _times(matrix: Value, vector: Value) -> Any:
    return (matrix @ vector.unsqueeze(-1)).squeeze(-1)


class LowRankMultivariateNormal(Centered):
    """covariance = cov_factor cov_factorᵀ + diag(cov_diag)."""

    arg_constraints: ClassVar[Any] = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support: Constraint = constraints.real_vector
    has_rsample = True

    def __init__(self, loc: Value, cov_factor: Value, cov_diag: Value, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        shape = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != shape:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {shape[0]} x m")
        if cov_diag.shape[-1:] != shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {shape}")
        try:
            wide, self.cov_factor, diagonal = torch_functions["broadcast_tensors"](
                loc.unsqueeze(-1), cov_factor, cov_diag.unsqueeze(-1)
            )
        except RuntimeError as error:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}"
            ) from error
        self.loc, self.cov_diag = wide[..., 0], diagonal[..., 0]
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        self._capacitance_tril = _capacitance(cov_factor, cov_diag)
        super().__init__(self.loc.shape[:-1], shape, validate_args=validate_args)

    @lazy_property
    def variance(self) -> Value:
        """The diagonal of the covariance matrix."""
        diagonal = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return diagonal.expand(self._batch_shape + self._event_shape)

    def _square(self, matrix: Value) -> Any:
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Value:
        """The Cholesky factor of the covariance matrix."""
        size = self._event_shape[0]
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / root
        gram = (scaled @ scaled.mT).contiguous()
        gram.view(-1, size * size)[:, :: size + 1] += 1
        return self._square(root * linalg["cholesky"](gram))

    @lazy_property
    def covariance_matrix(self) -> Value:
        """The covariance matrix."""
        factor = self._unbroadcasted_cov_factor
        return self._square(factor @ factor.mT + torch_functions["diag_embed"](self._unbroadcasted_cov_diag))

    @lazy_property
    def precision_matrix(self) -> Value:
        """The inverse of the covariance matrix."""
        scaled = self._unbroadcasted_cov_factor.mT / self._unbroadcasted_cov_diag.unsqueeze(-2)
        a = linalg["solve_triangular"](self._capacitance_tril, scaled, upper=False)
        inverse = torch_functions["diag_embed"](self._unbroadcasted_cov_diag.reciprocal())
        return self._square(inverse - a.mT @ a)

    def rsample(self, sample_shape: Shape = ()) -> Value:
        """loc + cov_factor @ normal numbers + the root of cov_diag * normal numbers."""
        shape = self._extended_shape(sample_shape)
        thin = standard_normal(shape[:-1] + self.cov_factor.shape[-1:], self.loc.dtype)
        wide = standard_normal(shape, self.loc.dtype)
        moved = self.loc + _times(self._unbroadcasted_cov_factor, thin)
        return moved + self._unbroadcasted_cov_diag.sqrt() * wide

    def _log_det(self) -> Any:
        inner = self._capacitance_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        return 2 * inner + self._unbroadcasted_cov_diag.log().sum(-1)

    def _mahalanobis(self, difference: Any) -> Any:
        """The squared distance from loc in units of the covariance."""
        diagonal = self._unbroadcasted_cov_diag
        thin = _times(self._unbroadcasted_cov_factor.mT / diagonal.unsqueeze(-2), difference)
        whitened = linalg["solve_triangular"](self._capacitance_tril, thin.unsqueeze(-1), upper=False)
        return (difference.pow(2) / diagonal).sum(-1) - whitened.squeeze(-1).pow(2).sum(-1)

    def log_prob(self, value: Value) -> Value:
        """The log density."""
        if self._validate_args:
            self._validate_sample(value)
        distance = self._mahalanobis(value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + self._log_det() + distance)

    def entropy(self) -> Value:
        """The entropy."""
        value = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._log_det())
        return value.expand(self._batch_shape) if self._batch_shape else value


def _capacitance(factor: Value, diagonal: Dim) -> Any:
    """The Cholesky factor of the small matrix that the covariance is inverted by."""
    size = factor.size(-1)
    small = ((factor.mT / diagonal.unsqueeze(-2)) @ factor).contiguous()
    small.view(-1, size * size)[:, :: size + 1] += 1
    return linalg["cholesky"](small)
