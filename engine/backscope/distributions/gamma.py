"""Distributions made of gamma numbers: Gamma, InverseGamma, Chi2, StudentT, FisherSnedecor, Dirichlet, Beta."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from backscope.autograd.function.function import Function, once_differentiable
from backscope.distributions import constraints
from backscope.distributions.distribution import Distribution, ExponentialFamily
from backscope.distributions.parameterization import NUMBERS, broadcast_all, shape_of, standard_normal
from backscope.distributions.scalar_transforms import PowerTransform
from backscope.distributions.transformed import _OfBase
from backscope.ops.core.namespace import functional, torch_functions
from backscope.runtime.given import Shape, Value
from backscope.tensor.number_limits import finfo

if TYPE_CHECKING:
    from backscope.distributions.constraints import Constraint


class Gamma(ExponentialFamily):
    """The time to the `concentration`-th of events with the rate `rate`."""

    arg_constraints: ClassVar[Any] = {"concentration": constraints.positive, "rate": constraints.positive}
    support: constraints.greater_than_eq = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, concentration: Value, rate: Value, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(shape_of(self.concentration, concentration, rate), validate_args=validate_args)

    @property
    def mean(self) -> Value:
        """concentration / rate."""
        return self.concentration / self.rate

    @property
    def mode(self) -> Value:
        """(concentration - 1) / rate, at least 0."""
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Value:
        """concentration / rate²."""
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape: Shape = ()) -> Value:
        """Gamma numbers of rate 1 over rate."""
        shape = self._extended_shape(sample_shape)
        value = torch_functions["_standard_gamma"](self.concentration.expand(shape)) / self.rate.expand(shape)
        value.detach().clamp_(min=finfo(value.dtype).tiny)
        return value

    def log_prob(self, value: Value) -> Value:
        """The log density."""
        value = torch_functions["as_tensor"](value, dtype=self.rate.dtype)
        if self._validate_args:
            self._validate_sample(value)
        xlogy = torch_functions["xlogy"]
        powers = xlogy(self.concentration, self.rate) + xlogy(self.concentration - 1, value)
        return powers - self.rate * value - self.concentration.lgamma()

    def entropy(self) -> Value:
        """The entropy."""
        shape = self.concentration
        return shape - self.rate.log() + shape.lgamma() + (1.0 - shape) * shape.digamma()

    @property
    def _natural_params(self) -> Any:
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, *natural_params: Any) -> Any:
        x, y = natural_params
        return (x + 1).lgamma() + (x + 1) * (-y.reciprocal()).log()

    def cdf(self, value: Value) -> Value:
        """The probability of at most `value`."""
        if self._validate_args:
            self._validate_sample(value)
        return torch_functions["special_gammainc"](self.concentration, self.rate * value)


class Chi2(Gamma):
    """The sum of the squares of `df` standard normal numbers."""

    arg_constraints: ClassVar[Any] = {"df": constraints.positive}

    def __init__(self, df: Value, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Distribution | None = None) -> Chi2:
        """This distribution over more batch dims."""
        made = super().expand(batch_shape, _instance)
        made.concentration, made.rate = self.concentration.expand(batch_shape), self.rate.expand(batch_shape)
        found: Chi2 = made
        return found

    @property
    def df(self) -> Value:
        """Degrees of freedom."""
        return self.concentration * 2


class InverseGamma(_OfBase):
    """The reciprocal of a gamma number."""

    arg_constraints: ClassVar[Any] = {"concentration": constraints.positive, "rate": constraints.positive}
    support: Constraint = constraints.positive
    _named = ("concentration", "rate")

    def __init__(self, concentration: Value, rate: Value, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args=validate_args)

    @property
    def mean(self) -> Value:
        """rate / (concentration - 1); infinite up to concentration 1."""
        mean = self.rate / (self.concentration - 1)
        return torch_functions["where"](self.concentration > 1, mean, math.inf)

    @property
    def mode(self) -> Value:
        """rate / (concentration + 1)."""
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Value:
        """Infinite up to concentration 2."""
        shape = self.concentration
        variance = self.rate.square() / ((shape - 1).square() * (shape - 2))
        return torch_functions["where"](shape > 2, variance, math.inf)

    def entropy(self) -> Value:
        """The entropy."""
        shape = self.concentration
        return shape + self.rate.log() + shape.lgamma() - (1 + shape) * shape.digamma()


class StudentT(Distribution):
    """A standard normal number over the root of a chi-squared one per degree of freedom, scaled and moved."""

    arg_constraints: ClassVar[Any] = {
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support: Constraint = constraints.real
    has_rsample = True

    def __init__(self, df: Value, loc: Value = 0.0, scale: Value = 1.0, validate_args: bool | None = None) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.shape, validate_args=validate_args)

    @property
    def mean(self) -> Value:
        """loc; NaN up to df 1."""
        mean = self.loc.clone()
        mean[self.df <= 1] = math.nan
        return mean

    @property
    def mode(self) -> Value:
        """loc."""
        return self.loc

    @property
    def variance(self) -> Value:
        """scale² df / (df - 2); infinite up to df 2, NaN up to df 1."""
        df, variance = self.df, self.df.clone()
        variance[df > 2] = self.scale[df > 2].pow(2) * df[df > 2] / (df[df > 2] - 2)
        variance[(df <= 2) & (df > 1)] = math.inf
        variance[df <= 1] = math.nan
        return variance

    def rsample(self, sample_shape: Shape = ()) -> Value:
        """loc + scale * normal numbers * the inverse root of chi-squared ones per degree."""
        normal = standard_normal(self._extended_shape(sample_shape), self.df.dtype)
        squares = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (normal * (squares / self.df).rsqrt())

    def log_prob(self, value: Value) -> Value:
        """The log density."""
        if self._validate_args:
            self._validate_sample(value)
        y = (value - self.loc) / self.scale
        half = 0.5 * (self.df + 1.0)
        normalizer = self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi)
        normalizer = normalizer + (0.5 * self.df).lgamma() - half.lgamma()
        return -0.5 * (self.df + 1.0) * (y**2.0 / self.df).log1p() - normalizer

    def entropy(self) -> Value:
        """The entropy."""
        half = 0.5 * (self.df + 1)
        beta = (0.5 * self.df).lgamma() + math.lgamma(0.5) - half.lgamma()
        return self.scale.log() + half * (half.digamma() - (0.5 * self.df).digamma()) + 0.5 * self.df.log() + beta


class FisherSnedecor(Distribution):
    """The ratio of two chi-squared numbers, each per degree of freedom."""

    arg_constraints: ClassVar[Any] = {"df1": constraints.positive, "df2": constraints.positive}
    support: Constraint = constraints.positive
    has_rsample = True

    def __init__(self, df1: Value, df2: Value, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2)
        super().__init__(shape_of(self.df1, df1, df2), validate_args=validate_args)

    @property
    def mean(self) -> Value:
        """df2 / (df2 - 2); NaN up to df2 2."""
        df2 = self.df2.clone()
        df2[df2 <= 2] = math.nan
        return df2 / (df2 - 2)

    @property
    def mode(self) -> Value:
        """NaN up to df1 2."""
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        mode[self.df1 <= 2] = math.nan
        return mode

    @property
    def variance(self) -> Value:
        """NaN up to df2 4."""
        df2 = self.df2.clone()
        df2[df2 <= 4] = math.nan
        return 2 * df2.pow(2) * (self.df1 + df2 - 2) / (self.df1 * (df2 - 2).pow(2) * (df2 - 4))

    def rsample(self, sample_shape: Shape = ()) -> Value:
        """Ratios of gamma numbers."""
        shape = self._extended_shape(sample_shape)
        above = self._gamma1.rsample(sample_shape).view(shape)
        below = self._gamma2.rsample(sample_shape).view(shape)
        tiny = finfo(below.dtype).tiny
        below.clamp_(min=tiny)
        ratio = above / below
        ratio.clamp_(min=tiny)
        return ratio

    def log_prob(self, value: Value) -> Value:
        """The log density."""
        if self._validate_args:
            self._validate_sample(value)
        half1, half2, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        beta = (half1 + half2).lgamma() - half1.lgamma() - half2.lgamma()
        powers = half1 * ratio.log() + (half1 - 1) * value.log()
        return beta + powers - (half1 + half2) * (ratio * value).log1p()


class _Dirichlet(Function):
    @staticmethod
    def forward(ctx: Any, concentration: Value) -> Any:
        drawn = torch_functions["_sample_dirichlet"](concentration)
        ctx.save_for_backward(drawn, concentration)
        return drawn

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_output: Value) -> Any:
        drawn, concentration = ctx.saved_tensors
        total = concentration.sum(-1, True).expand_as(concentration)
        slope = torch_functions["_dirichlet_grad"](drawn, concentration, total)
        return slope * (grad_output - (drawn * grad_output).sum(-1, True))


class Dirichlet(ExponentialFamily):
    """Points of a simplex, drawn to its corners by `concentration`."""

    arg_constraints: ClassVar[Any] = {"concentration": constraints.independent(constraints.positive, 1)}
    support: Constraint = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Value, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    def rsample(self, sample_shape: Shape = ()) -> Value:
        """Gamma numbers over their sums."""
        return _Dirichlet.apply(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Value) -> Value:
        """The log density."""
        if self._validate_args:
            self._validate_sample(value)
        powers = torch_functions["xlogy"](self.concentration - 1.0, value).sum(-1)
        return powers + self.concentration.sum(-1).lgamma() - self.concentration.lgamma().sum(-1)

    @property
    def mean(self) -> Value:
        """The fraction that each concentration is of their sum."""
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Value:
        """The share of each concentration above 1; a corner where all are below."""
        above = (self.concentration - 1).clamp(min=0.0)
        mode = above / above.sum(-1, True)
        corner = (self.concentration < 1).all(dim=-1)
        mode[corner] = functional["one_hot"](mode[corner].argmax(dim=-1), above.shape[-1]).to(mode)
        return mode

    @property
    def variance(self) -> Value:
        """share (1 - share) / (sum + 1)."""
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def entropy(self) -> Value:
        """The entropy."""
        parts = self.concentration.size(-1)
        total = self.concentration.sum(-1)
        beta = self.concentration.lgamma().sum(-1) - total.lgamma()
        weighted = ((self.concentration - 1.0) * self.concentration.digamma()).sum(-1)
        return beta - (parts - total) * total.digamma() - weighted

    @property
    def _natural_params(self) -> Any:
        return (self.concentration,)

    def _log_normalizer(self, *natural_params: Any) -> Any:
        (x,) = natural_params
        return x.lgamma().sum(-1) - x.sum(-1).lgamma()


class Beta(ExponentialFamily):
    """A number of (0, 1): the first part of a Dirichlet point of two."""

    arg_constraints: ClassVar[Any] = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support: constraints.interval = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1: Value, concentration0: Value, validate_args: bool | None = None) -> None:
        if isinstance(concentration1, NUMBERS) and isinstance(concentration0, NUMBERS):
            both = torch_functions["tensor"]([float(c) for c in (concentration1, concentration0)])  # type: ignore[arg-type]
        else:
            both = torch_functions["stack"](broadcast_all(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(self._dirichlet._batch_shape, validate_args=validate_args)

    @property
    def mean(self) -> Value:
        """concentration1's share."""
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Value:
        """The likeliest value."""
        return self._dirichlet.mode[..., 0]

    @property
    def variance(self) -> Value:
        """share (1 - share) / (sum + 1)."""
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Shape = ()) -> Value:
        """First parts of Dirichlet points."""
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value: Value) -> Value:
        """The log density."""
        if self._validate_args:
            self._validate_sample(value)
        return self._dirichlet.log_prob(torch_functions["stack"]([value, 1.0 - value], -1))

    def entropy(self) -> Value:
        """The entropy."""
        return self._dirichlet.entropy()

    @property
    def concentration1(self) -> Value:
        """The parameter that moves values towards 1."""
        return self._dirichlet.concentration[..., 0]

    @property
    def concentration0(self) -> Value:
        """The parameter that moves values towards 0."""
        return self._dirichlet.concentration[..., 1]

    @property
    def _natural_params(self) -> Any:
        return self.concentration1, self.concentration0

    def _log_normalizer(self, *natural_params: Any) -> Any:
        x, y = natural_params
        return x.lgamma() + y.lgamma() - (x + y).lgamma()
