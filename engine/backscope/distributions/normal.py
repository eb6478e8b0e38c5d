"""Normal distributions of numbers and vectors."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from backscope.autograd.modes.grad_mode import no_grad
from backscope.distributions import constraints
from backscope.distributions.distribution import Centered, ExponentialFamily, Located
from backscope.distributions.parameterization import lazy_property, standard_normal
from backscope.ops.core.namespace import linalg, torch_functions
from backscope.runtime.given import Shape, Value

_HALF_LOG_TAU = 0.5 * math.log(2 * math.pi)


class Normal(Located, ExponentialFamily):
    """The normal distribution with mean `loc` and standard deviation `scale`."""

    @property
    def stddev(self) -> Value:
        """scale."""
        return self.scale

    @property
    def variance(self) -> Value:
        """scale²."""
        return self.scale.pow(2)

    def sample(self, sample_shape: Shape = ()) -> Value:
        """Values off the tape."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return torch_functions["normal"](self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Shape = ()) -> Value:
        """loc + scale * standard normal numbers."""
        noise = standard_normal(self._extended_shape(sample_shape), self.loc.dtype)
        return self.loc + noise * self.scale

    def log_prob(self, value: Value) -> Value:
        """The log density."""
        if self._validate_args:
            self._validate_sample(value)
        squares = -((value - self.loc) ** 2) / (2 * self.scale**2)
        return squares - self.scale.log() - _HALF_LOG_TAU

    def cdf(self, value: Value) -> Value:
        """The probability of at most `value`."""
        if self._validate_args:
            self._validate_sample(value)
        return 0.5 * (1 + ((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)).erf())

    def icdf(self, value: Value) -> Value:
        """The inverse of cdf."""
        return self.loc + self.scale * torch_functions["erfinv"](2 * value - 1) * math.sqrt(2)

    def entropy(self) -> Value:
        """The entropy."""
        return 0.5 + _HALF_LOG_TAU + self.scale.log()

    @property
    def _natural_params(self) -> Any:
        return self.loc / self.scale.pow(2), -0.5 * self.scale.pow(2).reciprocal()

    def _log_normalizer(self, *natural_params: Any) -> Any:
        x, y = natural_params
        return -0.25 * x.pow(2) / y + 0.5 * (-math.pi / y).log()


class MultivariateNormal(Centered):
    """A normal distribution of vectors, by its covariance matrix, the inverse of that, or its Cholesky factor."""

    arg_constraints: ClassVar[dict[str, Any]] = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Value,
        covariance_matrix: Value = None,
        precision_matrix: Value = None,
        scale_tril: Value = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        matrices = {
            "covariance_matrix": covariance_matrix,
            "precision_matrix": precision_matrix,
            "scale_tril": scale_tril,
        }
        given = [(name, matrix) for name, matrix in matrices.items() if matrix is not None]
        if len(given) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, matrix),) = given
        if matrix.dim() < 2:
            raise ValueError(f"{name} must be at least two-dimensional, with optional leading batch dimensions")
        batch = np.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        size = loc.shape[-1]
        self.loc = loc.expand((*batch, size))
        self.__dict__[name] = matrix.expand((*batch, size, size))
        super().__init__(batch, (size,), validate_args=validate_args)
        factor = {"covariance_matrix": linalg["cholesky"], "precision_matrix": precision_to_scale_tril}
        self._unbroadcasted_scale_tril = factor.get(name, lambda m: m)(matrix)

    def _square(self, matrix: Value) -> Any:
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Value:
        """The Cholesky factor of the covariance matrix."""
        return self._square(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Value:
        """The covariance matrix."""
        return self._square(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self) -> Value:
        """The inverse of the covariance matrix."""
        return self._square(torch_functions["cholesky_inverse"](self._unbroadcasted_scale_tril))

    @property
    def variance(self) -> Value:
        """The diagonal of the covariance matrix."""
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Shape = ()) -> Value:
        """loc + scale_tril @ standard normal numbers."""
        noise = standard_normal(self._extended_shape(sample_shape), self.loc.dtype)
        return self.loc + (self._unbroadcasted_scale_tril @ noise.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value: Value) -> Value:
        """The log density."""
        if self._validate_args:
            self._validate_sample(value)
        difference = (value - self.loc).unsqueeze(-1)
        whitened = linalg["solve_triangular"](self._unbroadcasted_scale_tril, difference, upper=False)
        squares = whitened.squeeze(-1).pow(2).sum(-1)
        size = self._event_shape[0]
        return -0.5 * (size * math.log(2 * math.pi) + squares) - self._half_log_det()

    def _half_log_det(self) -> Any:
        return self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def entropy(self) -> Value:
        """The entropy."""
        value = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._half_log_det()
        return value if not self._batch_shape else value.expand(self._batch_shape)


def precision_to_scale_tril(precision: Value) -> Value:
    """The Cholesky factor of the inverse of a matrix, without inverting it."""
    flipped = linalg["cholesky"](torch_functions["flip"](precision, (-2, -1)))
    inverse = torch_functions["flip"](flipped, (-2, -1)).transpose(-2, -1)
    identity = torch_functions["eye"](precision.shape[-1], dtype=precision.dtype)
    return linalg["solve_triangular"](inverse, identity, upper=False)
