"""Distributions of matrices: Wishart, and LKJCholesky of correlation matrices."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from backscope.distributions import constraints
from backscope.distributions.distribution import Distribution, ExponentialFamily
from backscope.distributions.gamma import Beta, Chi2
from backscope.distributions.normal import precision_to_scale_tril
from backscope.distributions.parameterization import NUMBERS, broadcast_all, lazy_property
from backscope.ops.core.namespace import linalg, torch_functions
from backscope.runtime.given import Shape, Value
from backscope.runtime.warning import warn
from backscope.tensor.number_limits import finfo
from backscope.tensor.size import Size

if TYPE_CHECKING:
    from backscope.distributions.constraints import Constraint


class LKJCholesky(Distribution):
    """Cholesky factors of correlation matrices of side `dim`, nearer the identity for a larger concentration."""

    arg_constraints: ClassVar[Any] = {"concentration": constraints.positive}
    support: Constraint = constraints.corr_cholesky

    def __init__(self, dim: int, concentration: Value = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        marginal = self.concentration + 0.5 * (dim - 2)
        offset = torch_functions["arange"](dim - 1, dtype=self.concentration.dtype)
        offset = torch_functions["cat"]([offset.new_zeros((1,)), offset])
        self._beta = Beta(offset + 0.5, marginal.unsqueeze(-1) - 0.5 * offset)
        super().__init__(self.concentration.size(), (dim, dim), validate_args)

    def sample(self, sample_shape: Shape = ()) -> Value:
        """Rows of random directions and lengths, by the onion method."""
        y = self._beta.sample(sample_shape).unsqueeze(-1)
        normal = torch_functions["randn"](self._extended_shape(sample_shape), dtype=y.dtype).tril(-1)
        direction = normal / normal.norm(dim=-1, keepdim=True)
        direction[..., 0, :].fill_(0.0)
        w = y.sqrt() * direction
        diagonal = (1 - (w**2).sum(-1)).clamp(min=finfo(w.dtype).tiny).sqrt()
        w += torch_functions["diag_embed"](diagonal)
        return w

    def log_prob(self, value: Value) -> Value:
        """The log density of a factor."""
        if self._validate_args:
            self._validate_sample(value)
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = torch_functions["arange"](2, self.dim + 1)
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - order
        density = (order * diagonal.log()).sum(-1)
        rest = self.dim - 1
        alpha = self.concentration + 0.5 * rest
        above = torch_functions["mvlgamma"](alpha - 0.5, rest)
        return density - (0.5 * rest * math.log(math.pi) + above - alpha.lgamma() * rest)


class Wishart(ExponentialFamily):
    """The sum of `df` outer products of normal vectors, by the covariance of those, its inverse or Cholesky factor."""

    support: Constraint = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0

    @property
    def arg_constraints(self) -> dict[str, Constraint]:
        """df is above the side of the matrices less 1."""
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self._event_shape[-1] - 1),
        }

    def __init__(
        self,
        df: Value,
        covariance_matrix: Value = None,
        precision_matrix: Value = None,
        scale_tril: Value = None,
        validate_args: bool | None = None,
    ) -> None:
        given = {
            name: matrix
            for name, matrix in (
                ("scale_tril", scale_tril),
                ("covariance_matrix", covariance_matrix),
                ("precision_matrix", precision_matrix),
            )
            if matrix is not None
        }
        if len(given) != 1:
            raise AssertionError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, matrix),) = given.items()
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        side = matrix.shape[-1]
        if isinstance(df, NUMBERS):
            batch = Size(matrix.shape[:-2])
            self.df = torch_functions["tensor"](df, dtype=matrix.dtype)
        else:
            batch = torch_functions["broadcast_shapes"](matrix.shape[:-2], df.shape)
            self.df = df.expand(batch)
        if self.df.le(side - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {side - 1}.")
        self.__dict__[name] = matrix.expand((*batch, -1, -1))
        if self.df.lt(side).any():
            warn("Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.")
        super().__init__(batch, matrix.shape[-2:], validate_args=validate_args)
        factor = {"covariance_matrix": linalg["cholesky"], "precision_matrix": precision_to_scale_tril}
        self._unbroadcasted_scale_tril = factor.get(name, lambda m: m)(matrix)
        lower = torch_functions["arange"](side, dtype=self._unbroadcasted_scale_tril.dtype)
        self._dist_chi2 = Chi2(df=self.df.unsqueeze(-1) - lower.expand((*batch, -1)))

    def _square(self, matrix: Value) -> Any:
        return matrix.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Value:
        """The Cholesky factor of the covariance matrix."""
        return self._square(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Value:
        """The covariance matrix of the normal vectors."""
        return self._square(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.transpose(-2, -1))

    @lazy_property
    def precision_matrix(self) -> Value:
        """The inverse of the covariance matrix."""
        factor = self._unbroadcasted_scale_tril
        identity = torch_functions["eye"](self._event_shape[-1], dtype=factor.dtype)
        return self._square(torch_functions["cholesky_solve"](identity, factor))

    @property
    def mean(self) -> Value:
        """df times the covariance matrix."""
        return self.df.view((*self._batch_shape, 1, 1)) * self.covariance_matrix

    @property
    def mode(self) -> Value:
        """The likeliest matrix; NaN for a low df."""
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        factor[factor <= 0] = math.nan
        return factor.view((*self._batch_shape, 1, 1)) * self.covariance_matrix

    @property
    def variance(self) -> Value:
        """The variance of each element."""
        v = self.covariance_matrix
        diagonal = v.diagonal(dim1=-2, dim2=-1)
        products = torch_functions["einsum"]("...i,...j->...ij", diagonal, diagonal)
        return self.df.view((*self._batch_shape, 1, 1)) * (v.pow(2) + products)

    def _drawn(self, sample_shape: Shape) -> Any:
        """Products of Bartlett's triangular matrices."""
        side = self._event_shape[-1]
        roots = self._dist_chi2.rsample(sample_shape).sqrt()
        noise = roots.clamp(min=finfo(roots.dtype).eps).diag_embed(dim1=-2, dim2=-1)
        i, j = torch_functions["tril_indices"](side, side, offset=-1)
        shape = (*sample_shape, *self._batch_shape, side * (side - 1) // 2)
        noise[..., i, j] = torch_functions["randn"](shape, dtype=noise.dtype)
        factor = self._unbroadcasted_scale_tril @ noise
        return factor @ factor.transpose(-2, -1)

    def _any_of_batch(self, condition: Value) -> Any:
        dims = [-(x + 1) for x in range(len(self._batch_shape))]
        return condition.amax(dims) if dims else condition

    def rsample(self, sample_shape: Shape = (), max_try_correction: int | None = None) -> Value:
        """Positive definite matrices; PyTorch draws those again that pass its check, and so does this."""
        sample = self._drawn(Size(sample_shape))
        again = self._any_of_batch(self.support.check(sample))
        if again.any():
            warn("Singular sample detected.")
            for _ in range(10 if max_try_correction is None else max_try_correction):
                new = self._drawn(again[again].shape)
                sample[again] = new
                again[again.clone()] = self._any_of_batch(~self.support.check(new))
                if not again.any():
                    break
        return sample

    def _half_log_det(self) -> Any:
        side = self._event_shape[-1]
        diagonal = self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1)
        return side * math.log(2) / 2 + diagonal.log().sum(-1)

    def log_prob(self, value: Value) -> Value:
        """The log density."""
        if self._validate_args:
            self._validate_sample(value)
        nu, side = self.df, self._event_shape[-1]
        trace = torch_functions["cholesky_solve"](value, self._unbroadcasted_scale_tril)
        return (
            -nu * self._half_log_det()
            - torch_functions["mvlgamma"](nu / 2, p=side)
            + (nu - side - 1) / 2 * linalg["slogdet"](value).logabsdet
            - trace.diagonal(dim1=-2, dim2=-1).sum(dim=-1) / 2
        )

    def entropy(self) -> Value:
        """The entropy."""
        nu, side = self.df, self._event_shape[-1]
        if not (nu / 2).gt((side - 1) / 2).all():
            raise AssertionError("Wrong domain for multivariate digamma function.")
        lower = torch_functions["arange"](side, dtype=nu.dtype).div(2).expand((*nu.shape, -1))
        digammas = ((nu / 2).unsqueeze(-1) - lower).digamma().sum(-1)
        gammas = torch_functions["mvlgamma"](nu / 2, p=side)
        return (side + 1) * self._half_log_det() + gammas - (nu - side - 1) / 2 * digammas + nu * side / 2

    @property
    def _natural_params(self) -> Any:
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, *natural_params: Any) -> Any:
        x, y = natural_params
        side = self._event_shape[-1]
        half = y + (side + 1) / 2
        log_det = linalg["slogdet"](-2 * x).logabsdet
        return half * (-log_det + math.log(2) * side) + torch_functions["mvlgamma"](half, p=side)
