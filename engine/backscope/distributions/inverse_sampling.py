"""Distributions drawn by inverting their cumulative distribution function: Gumbel, Kumaraswamy, Pareto, Weibull."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from backscope.distributions import constraints
from backscope.distributions.continuous import Exponential, Uniform
from backscope.distributions.parameterization import NUMBERS, broadcast_all, euler_constant
from backscope.distributions.scalar_transforms import AffineTransform, ExpTransform, PowerTransform
from backscope.distributions.transformed import TransformedDistribution
from backscope.ops.core.namespace import torch_functions
from backscope.runtime.given import Value
from backscope.tensor.number_limits import finfo

if TYPE_CHECKING:
    from backscope.distributions.constraints import Constraint


class Gumbel(TransformedDistribution):
    """The distribution of the largest of many numbers, around `loc`."""

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support: Constraint = constraints.real

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

    def log_prob(self, value: Value) -> Value:
        """The log density."""
        if self._validate_args:
            self._validate_sample(value)
        y = (self.loc - value) / self.scale
        return y - y.exp() - self.scale.log()

    @property
    def mean(self) -> Value:
        """loc + scale times Euler's constant."""
        return self.loc + self.scale * euler_constant

    @property
    def mode(self) -> Value:
        """loc."""
        return self.loc

    @property
    def stddev(self) -> Value:
        """pi / sqrt(6) scale."""
        return math.pi / math.sqrt(6) * self.scale

    @property
    def variance(self) -> Value:
        """pi² / 6 scale²."""
        return self.stddev.pow(2)

    def entropy(self) -> Value:
        """The entropy."""
        return self.scale.log() + (1 + euler_constant)


class Kumaraswamy(TransformedDistribution):
    """A distribution over (0, 1) much like Beta, with a simple cdf."""

    arg_constraints: ClassVar[Any] = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support: Constraint = constraints.unit_interval
    has_rsample: bool = True

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
    def mean(self) -> Value:
        """The first moment."""
        return self._moment(1)

    @property
    def mode(self) -> Value:
        """The likeliest value; NaN where a concentration is below 1."""
        a, b = self.concentration1, self.concentration0
        logarithm = b.reciprocal() * (-b).log1p() - (-b * a).log1p()
        logarithm[(b < 1) | (a < 1)] = math.nan
        return logarithm.exp()

    @property
    def variance(self) -> Value:
        """The second moment less the square of the first."""
        return self._moment(2) - self.mean.pow(2)

    def entropy(self) -> Value:
        """The entropy."""
        a, b = self.concentration1, self.concentration0
        harmonic = (b + 1).digamma() + euler_constant
        return (1 - b.reciprocal()) + (1 - a.reciprocal()) * harmonic - a.log() - b.log()


class Pareto(TransformedDistribution):
    """Numbers above `scale` with a density that falls with the power alpha + 1."""

    arg_constraints: ClassVar[Any] = {"alpha": constraints.positive, "scale": constraints.positive}

    def __init__(self, scale: Value, alpha: Value, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        base = Exponential(self.alpha, validate_args=validate_args)
        transforms = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, transforms, validate_args=validate_args)

    @property
    def mean(self) -> Value:
        """alpha scale / (alpha - 1); infinite up to alpha 1."""
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    @property
    def mode(self) -> Value:
        """scale."""
        return self.scale

    @property
    def variance(self) -> Value:
        """Infinite up to alpha 2."""
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> constraints.greater_than_eq:
        """scale and above."""
        return constraints.greater_than_eq(self.scale)

    def entropy(self) -> Value:
        """The entropy."""
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())


class Weibull(TransformedDistribution):
    """scale times the 1/concentration-th power of an exponential number."""

    arg_constraints: ClassVar[Any] = {"scale": constraints.positive, "concentration": constraints.positive}
    support: Constraint = constraints.positive

    def __init__(self, scale: Value, concentration: Value, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(torch_functions["ones_like"](self.scale), validate_args=validate_args)
        transforms = [PowerTransform(self.concentration_reciprocal), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, transforms, validate_args=validate_args)

    @property
    def mean(self) -> Value:
        """scale Γ(1 + 1/concentration)."""
        return self.scale * (1 + self.concentration_reciprocal).lgamma().exp()

    @property
    def mode(self) -> Value:
        """scale ((concentration - 1) / concentration) ** (1 / concentration)."""
        return self.scale * ((self.concentration - 1) / self.concentration) ** self.concentration.reciprocal()

    @property
    def variance(self) -> Value:
        """The second moment less the square of the first."""
        inverse = self.concentration_reciprocal
        return self.scale.pow(2) * ((1 + 2 * inverse).lgamma().exp() - (2 * (1 + inverse).lgamma()).exp())

    def entropy(self) -> Value:
        """The entropy."""
        inverse = self.concentration_reciprocal
        return euler_constant * (1 - inverse) + (self.scale * inverse).log() + 1
