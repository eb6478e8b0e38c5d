"""Normal distributions and what is made of them."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from backscope.autograd.grad_mode import no_grad
from backscope.distributions import constraints
from backscope.distributions.distribution import Distribution, Located, broadcast_all, random_like, shape_of
from backscope.ops.namespace import linalg, torch_functions

_HALF_LOG_TAU = 0.5 * math.log(2 * math.pi)


class Normal(Located):
    """The normal distribution with mean `loc` and standard deviation `scale`."""

    @property
    def stddev(self) -> Any:
        """scale."""
        return self.scale

    @property
    def variance(self) -> Any:
        """scale²."""
        return self.scale.pow(2)

    def sample(self, sample_shape: Any = ()) -> Any:
        """Values off the tape."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return torch_functions["normal"](self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Any = ()) -> Any:
        """loc + scale * standard normal numbers."""
        noise = random_like(torch_functions["randn"], self._extended_shape(sample_shape), self.loc)
        return self.loc + noise * self.scale

    def log_prob(self, value: Any) -> Any:
        """The log density."""
        if self._validate_args:
            self._validate_sample(value)
        squares = -((value - self.loc) ** 2) / (2 * self.scale**2)
        return squares - self.scale.log() - _HALF_LOG_TAU

    def cdf(self, value: Any) -> Any:
        """The probability of at most `value`."""
        if self._validate_args:
            self._validate_sample(value)
        return 0.5 * (1 + ((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)).erf())

    def icdf(self, value: Any) -> Any:
        """The inverse of cdf."""
        return self.loc + self.scale * torch_functions["erfinv"](2 * value - 1) * math.sqrt(2)

    def entropy(self) -> Any:
        """The entropy."""
        return 0.5 + _HALF_LOG_TAU + self.scale.log()


class LogNormal(Normal):
    """exp of a normal distribution."""

    support: Any = constraints.positive

    @property
    def mean(self) -> Any:
        """exp(loc + scale²/2)."""
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self) -> Any:
        """exp(loc - scale²)."""
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self) -> Any:
        """(exp(scale²) - 1) exp(2 loc + scale²)."""
        squared = self.scale.pow(2)
        return squared.expm1() * (2 * self.loc + squared).exp()

    @property
    def stddev(self) -> Any:
        """The square root of the variance."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Any = ()) -> Any:
        """Values off the tape."""
        return super().sample(sample_shape).exp()

    def rsample(self, sample_shape: Any = ()) -> Any:
        """exp of normal numbers."""
        return super().rsample(sample_shape).exp()

    def log_prob(self, value: Any) -> Any:
        """The log density."""
        if self._validate_args:
            self._validate_sample(value)
        logarithm = value.log()
        squares = -((logarithm - self.loc) ** 2) / (2 * self.scale**2)
        return squares - self.scale.log() - _HALF_LOG_TAU - logarithm

    def entropy(self) -> Any:
        """The entropy."""
        return super().entropy() + self.loc

    def __repr__(self) -> str:
        return "LogNormal()"  # Its parameters are those of the normal distribution behind it.


class HalfNormal(Distribution):
    """The absolute value of a normal distribution with mean 0."""

    arg_constraints: ClassVar[dict[str, Any]] = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        (self.scale,) = broadcast_all(scale)
        super().__init__(shape_of(self.scale, scale), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        """scale sqrt(2 / pi)."""
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def mode(self) -> Any:
        """0."""
        return torch_functions["zeros_like"](self.scale)

    @property
    def variance(self) -> Any:
        """scale² (1 - 2 / pi)."""
        return self.scale.pow(2) * (1 - 2 / math.pi)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Absolute values of normal numbers."""
        noise = random_like(torch_functions["randn"], self._extended_shape(sample_shape), self.scale)
        return (noise * self.scale).abs()

    def log_prob(self, value: Any) -> Any:
        """The log density."""
        if self._validate_args:
            self._validate_sample(value)
        density = -(value**2) / (2 * self.scale**2) - self.scale.log() - _HALF_LOG_TAU + math.log(2)
        return torch_functions["where"](value >= 0, density, -math.inf)

    def entropy(self) -> Any:
        """The entropy."""
        return 0.5 + _HALF_LOG_TAU + self.scale.log() - math.log(2)


class MultivariateNormal(Distribution):
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
        loc: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
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

    @cached_property
    def scale_tril(self) -> Any:
        """The Cholesky factor of the covariance matrix."""
        return self._factor

    @cached_property
    def _factor(self) -> Any:
        """The Cholesky factor, without it being one of the parameters that are shown."""
        given = self.__dict__.get("scale_tril")
        return linalg["cholesky"](self.covariance_matrix) if given is None else given

    @cached_property
    def covariance_matrix(self) -> Any:
        """The covariance matrix."""
        if "scale_tril" in self.__dict__:
            return self.scale_tril @ self.scale_tril.mT
        return linalg["inv"](self.precision_matrix)

    @cached_property
    def precision_matrix(self) -> Any:
        """The inverse of the covariance matrix."""
        return linalg["inv"](self.covariance_matrix)

    @property
    def mean(self) -> Any:
        """loc."""
        return self.loc

    @property
    def mode(self) -> Any:
        """loc."""
        return self.loc

    @property
    def variance(self) -> Any:
        """The diagonal of the covariance matrix."""
        return self._factor.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """loc + scale_tril @ standard normal numbers."""
        noise = random_like(torch_functions["randn"], self._extended_shape(sample_shape), self.loc)
        return self.loc + (self._factor @ noise.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value: Any) -> Any:
        """The log density."""
        if self._validate_args:
            self._validate_sample(value)
        difference = (value - self.loc).unsqueeze(-1)
        whitened = linalg["solve_triangular"](self._factor, difference, upper=False)
        squares = whitened.squeeze(-1).pow(2).sum(-1)
        size = self._event_shape[0]
        return -0.5 * (size * math.log(2 * math.pi) + squares) - self._half_log_det()

    def _half_log_det(self) -> Any:
        return self._factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def entropy(self) -> Any:
        """The entropy."""
        value = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._half_log_det()
        return value if not self._batch_shape else value.expand(self._batch_shape)
