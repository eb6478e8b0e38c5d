"""Distributions of transformed values, and those that PyTorch makes that way: LogNormal, Gumbel, Weibull and others."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from backscope.autograd.modes.grad_mode import no_grad
from backscope.distributions import constraints
from backscope.distributions.continuous import Cauchy, Exponential, Uniform
from backscope.distributions.distribution import Distribution
from backscope.distributions.independent import Independent
from backscope.distributions.normal import Normal
from backscope.distributions.parameterization import NUMBERS, broadcast_all, euler_constant, sum_rightmost
from backscope.distributions.scalar_transforms import AbsTransform, AffineTransform, ExpTransform, PowerTransform
from backscope.distributions.transform import ComposeTransform, Transform
from backscope.distributions.vector_transforms import StickBreakingTransform
from backscope.ops.core.namespace import torch_functions
from backscope.runtime.given import Shape, Value
from backscope.tensor.number_limits import finfo
from backscope.tensor.size import Size


class TransformedDistribution(Distribution):
    """Values of `base_distribution` passed through `transforms`, one after the other."""

    arg_constraints: ClassVar[Any] = {}

    def __init__(self, base_distribution: Any, transforms: Any, validate_args: bool | None = None) -> None:
        if isinstance(transforms, Transform):
            transforms = [transforms]
        elif not isinstance(transforms, list):
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        elif not all(isinstance(t, Transform) for t in transforms):
            raise ValueError("transforms must be a Transform or a list of Transforms")
        self.transforms = transforms
        base_shape = base_distribution.batch_shape + base_distribution.event_shape
        base_dims = len(base_distribution.event_shape)
        chain: Any = ComposeTransform(self.transforms)
        if len(base_shape) < chain.domain.event_dim:
            raise ValueError(
                f"base_distribution needs to have shape with size at least {chain.domain.event_dim}, but got "
                f"{base_shape}."
            )
        shape = chain.forward_shape(base_shape)
        needed = chain.inverse_shape(shape)
        if base_shape != needed:
            base_distribution = base_distribution.expand(needed[: len(needed) - base_dims])
        extra = chain.domain.event_dim - base_dims
        self.base_dist: Any = Independent(base_distribution, extra) if extra > 0 else base_distribution
        change = chain.codomain.event_dim - chain.domain.event_dim
        cut = len(shape) - max(chain.codomain.event_dim, base_dims + change)
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        """This distribution over more batch dims."""
        made = self._blank() if _instance is None else _instance
        shape, dims = Size(batch_shape), len(self._batch_shape)
        for name, value in self.__dict__.items():
            expands = name in self.arg_constraints
            made.__dict__[name] = value.expand(shape + tuple(value.shape[dims:])) if expands else value
        inner = shape + self._event_shape
        for t in reversed(self.transforms):
            inner = t.inverse_shape(inner)
        made.base_dist = self.base_dist.expand(inner[: len(inner) - len(self.base_dist.event_shape)])
        Distribution.__init__(made, shape, self._event_shape, validate_args=False)
        made._validate_args = self._validate_args
        return made

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        """What the last transform gives."""
        if not self.transforms:
            return self.base_dist.support
        region = self.transforms[-1].codomain
        more = len(self._event_shape) - region.event_dim
        return constraints.independent(region, more) if more > 0 else region

    @property
    def has_rsample(self) -> Any:  # type: ignore[override]
        """As the base has it."""
        return self.base_dist.has_rsample

    def sample(self, sample_shape: Shape = ()) -> Any:
        """Values off the tape."""
        with no_grad():
            return self._transformed(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Shape = ()) -> Any:
        """Values through which gradients flow to the parameters of the base and of the transforms."""
        return self._transformed(self.base_dist.rsample(sample_shape))

    def _transformed(self, value: Value) -> Any:
        for transform in self.transforms:
            value = transform(value)
        return value

    def log_prob(self, value: Value) -> Any:
        """The base's log density where the value comes from, less the logarithms of the Jacobians."""
        if self._validate_args:
            self._validate_sample(value)
        dims = len(self._event_shape)
        result: Any = 0.0
        y = value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            dims += transform.domain.event_dim - transform.codomain.event_dim
            result = result - sum_rightmost(transform.log_abs_det_jacobian(x, y), dims - transform.domain.event_dim)
            y = x
        return result + sum_rightmost(self.base_dist.log_prob(y), dims - len(self.base_dist.event_shape))

    def _rising(self, value: Value) -> Any:
        """A probability as the base counts it: from above where the transforms fall."""
        sign: Any = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def cdf(self, value: Value) -> Any:
        """The probability of at most `value`."""
        for transform in self.transforms[::-1]:
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._rising(self.base_dist.cdf(value))

    def icdf(self, value: Value) -> Any:
        """The inverse of cdf."""
        return self._transformed(self.base_dist.icdf(self._rising(value)))


class _OfBase(TransformedDistribution):
    """A distribution whose parameters are those of its base."""

    has_rsample: Any = True
    _named: ClassVar[tuple[str, ...]] = ()

    def __getattr__(self, name: str) -> Any:
        if name in self._named:
            return getattr(self.base_dist, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


class LogNormal(_OfBase):
    """exp of a normal distribution."""

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support: Any = constraints.positive
    _named = ("loc", "scale")

    def __init__(self, loc: Value, scale: Value, validate_args: bool | None = None) -> None:
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args=validate_args)

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

    def entropy(self) -> Any:
        """The entropy."""
        return self.base_dist.entropy() + self.loc


class _Half(_OfBase):
    """The absolute value of a distribution around 0."""

    arg_constraints: ClassVar[Any] = {"scale": constraints.positive}
    support: Any = constraints.nonnegative
    _named = ("scale",)

    @property
    def mode(self) -> Any:
        """0."""
        return torch_functions["zeros_like"](self.scale)

    def log_prob(self, value: Value) -> Any:
        """The log density: twice the base's."""
        if self._validate_args:
            self._validate_sample(value)
        density = self.base_dist.log_prob(self._as_value(value)) + math.log(2)
        return torch_functions["where"](value >= 0, density, -math.inf)

    def _as_value(self, value: Value) -> Any:
        return value

    def cdf(self, value: Value) -> Any:
        """The probability of at most `value`."""
        if self._validate_args:
            self._validate_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob: Value) -> Any:
        """The inverse of cdf."""
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self) -> Any:
        """The entropy."""
        return self.base_dist.entropy() - math.log(2)


class HalfNormal(_Half):
    """The absolute value of a normal distribution with mean 0."""

    def __init__(self, scale: Value, validate_args: bool | None = None) -> None:
        super().__init__(Normal(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        """scale sqrt(2 / pi)."""
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Any:
        """scale² (1 - 2 / pi)."""
        return self.scale.pow(2) * (1 - 2 / math.pi)


class HalfCauchy(_Half):
    """The absolute value of a Cauchy distribution around 0."""

    def __init__(self, scale: Value, validate_args: bool | None = None) -> None:
        super().__init__(Cauchy(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        """Infinite."""
        return torch_functions["full"](self._extended_shape(), math.inf, dtype=self.scale.dtype)

    @property
    def variance(self) -> Any:
        """Infinite."""
        return self.base_dist.variance

    def _as_value(self, value: Value) -> Any:
        return torch_functions["as_tensor"](value, dtype=self.scale.dtype)


class LogisticNormal(_OfBase):
    """Normal vectors as points of a simplex."""

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support: Any = constraints.simplex

    def __init__(self, loc: Value, scale: Value, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        base = base if base.batch_shape else base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    @property
    def loc(self) -> Any:
        """The mean of the normal vectors."""
        return self.base_dist.base_dist.loc

    @property
    def scale(self) -> Any:
        """The standard deviations of the normal vectors."""
        return self.base_dist.base_dist.scale


class Gumbel(TransformedDistribution):
    """The distribution of the largest of many numbers, around `loc`."""

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support: Any = constraints.real

    def __init__(self, loc: Value, scale: Value, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        limits = finfo(self.loc.dtype)
        low, high = limits.tiny, 1 - limits.eps
        if not (isinstance(loc, NUMBERS) and isinstance(scale, NUMBERS)):
            low, high = (torch_functions["full_like"](self.loc, bound) for bound in (low, high))
        transforms = [
            ExpTransform().inv,
            AffineTransform(loc=0, scale=-torch_functions["ones_like"](self.scale)),
            ExpTransform().inv,
            AffineTransform(loc=loc, scale=-self.scale),
        ]
        super().__init__(Uniform(low, high, validate_args=validate_args), transforms, validate_args=validate_args)

    def log_prob(self, value: Value) -> Any:
        """The log density."""
        if self._validate_args:
            self._validate_sample(value)
        y = (self.loc - value) / self.scale
        return y - y.exp() - self.scale.log()

    @property
    def mean(self) -> Any:
        """loc + scale times Euler's constant."""
        return self.loc + self.scale * euler_constant

    @property
    def mode(self) -> Any:
        """loc."""
        return self.loc

    @property
    def stddev(self) -> Any:
        """pi / sqrt(6) scale."""
        return math.pi / math.sqrt(6) * self.scale

    @property
    def variance(self) -> Any:
        """pi² / 6 scale²."""
        return self.stddev.pow(2)

    def entropy(self) -> Any:
        """The entropy."""
        return self.scale.log() + (1 + euler_constant)


class Kumaraswamy(TransformedDistribution):
    """A distribution over (0, 1) much like Beta, with a simple cdf."""

    arg_constraints: ClassVar[Any] = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support: Any = constraints.unit_interval
    has_rsample: Any = True

    def __init__(self, concentration1: Value, concentration0: Value, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        low, high = (torch_functions["full_like"](self.concentration0, end) for end in (0, 1))
        transforms = [
            PowerTransform(exponent=self.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=self.concentration1.reciprocal()),
        ]
        super().__init__(Uniform(low, high, validate_args=validate_args), transforms, validate_args=validate_args)

    def _moment(self, n: int) -> Any:
        a, b = self.concentration1, self.concentration0
        first = 1 + n / a
        return b * (first.lgamma() + b.lgamma() - (first + b).lgamma()).exp()

    @property
    def mean(self) -> Any:
        """The first moment."""
        return self._moment(1)

    @property
    def mode(self) -> Any:
        """The likeliest value; NaN where a concentration is below 1."""
        a, b = self.concentration1, self.concentration0
        logarithm = b.reciprocal() * (-b).log1p() - (-b * a).log1p()
        logarithm[(b < 1) | (a < 1)] = math.nan
        return logarithm.exp()

    @property
    def variance(self) -> Any:
        """The second moment less the square of the first."""
        return self._moment(2) - self.mean.pow(2)

    def entropy(self) -> Any:
        """The entropy."""
        a, b = self.concentration1, self.concentration0
        harmonic = (b + 1).digamma() + euler_constant
        return (1 - b.reciprocal()) + (1 - a.reciprocal()) * harmonic - a.log() - b.log()


class Pareto(TransformedDistribution):
    """Numbers above `scale` whose density falls with the power alpha + 1."""

    arg_constraints: ClassVar[Any] = {"alpha": constraints.positive, "scale": constraints.positive}

    def __init__(self, scale: Value, alpha: Value, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        base = Exponential(self.alpha, validate_args=validate_args)
        transforms = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, transforms, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        """alpha scale / (alpha - 1); infinite up to alpha 1."""
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    @property
    def mode(self) -> Any:
        """scale."""
        return self.scale

    @property
    def variance(self) -> Any:
        """Infinite up to alpha 2."""
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """scale and above."""
        return constraints.greater_than_eq(self.scale)

    def entropy(self) -> Any:
        """The entropy."""
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())


class Weibull(TransformedDistribution):
    """scale times the 1/concentration-th power of an exponential number."""

    arg_constraints: ClassVar[Any] = {"scale": constraints.positive, "concentration": constraints.positive}
    support: Any = constraints.positive

    def __init__(self, scale: Value, concentration: Value, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(torch_functions["ones_like"](self.scale), validate_args=validate_args)
        transforms = [PowerTransform(self.concentration_reciprocal), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, transforms, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        """scale Γ(1 + 1/concentration)."""
        return self.scale * (1 + self.concentration_reciprocal).lgamma().exp()

    @property
    def mode(self) -> Any:
        """scale ((concentration - 1) / concentration) ** (1 / concentration)."""
        return self.scale * ((self.concentration - 1) / self.concentration) ** self.concentration.reciprocal()

    @property
    def variance(self) -> Any:
        """By the first two moments."""
        inverse = self.concentration_reciprocal
        return self.scale.pow(2) * ((1 + 2 * inverse).lgamma().exp() - (2 * (1 + inverse).lgamma()).exp())

    def entropy(self) -> Any:
        """The entropy."""
        inverse = self.concentration_reciprocal
        return euler_constant * (1 - inverse) + (self.scale * inverse).log() + 1
