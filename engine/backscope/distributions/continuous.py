"""Distributions over intervals of numbers: Uniform, Exponential, Laplace, Cauchy."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from backscope.distributions import constraints
from backscope.distributions.distribution import Distribution, ExponentialFamily, Located
from backscope.distributions.parameterization import broadcast_all, epsilon, random_like, shape_of
from backscope.ops.core.namespace import torch_functions
from backscope.runtime.given import Shape, Value


class Uniform(Distribution):
    """Any number from `low` to below `high`, all alike."""

    has_rsample = True

    def __init__(self, low: Value, high: Value, validate_args: bool | None = None) -> None:
        self.low, self.high = broadcast_all(low, high)
        super().__init__(shape_of(self.low, low, high), validate_args=validate_args)

    @property
    def arg_constraints(self) -> dict[str, Any]:
        """low is below high."""
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> constraints.interval:
        """low to high."""
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> Value:
        """The middle."""
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Value:
        """NaN: all are alike."""
        return math.nan * self.high

    @property
    def stddev(self) -> Value:
        """(high - low) / sqrt(12)."""
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self) -> Value:
        """(high - low)² / 12."""
        return (self.high - self.low).pow(2) / 12

    def rsample(self, sample_shape: Shape = ()) -> Value:
        """low + (high - low) * numbers in [0, 1)."""
        noise = random_like(torch_functions["rand"], self._extended_shape(sample_shape), self.low)
        return self.low + noise * (self.high - self.low)

    def log_prob(self, value: Value) -> Value:
        """The log density."""
        if self._validate_args:
            self._validate_sample(value)
        inside = self.low.le(value).type_as(self.low) * self.high.gt(value).type_as(self.low)
        return inside.log() - (self.high - self.low).log()

    def cdf(self, value: Value) -> Value:
        """The probability of at most `value`."""
        if self._validate_args:
            self._validate_sample(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Value) -> Value:
        """The inverse of cdf."""
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Value:
        """The entropy."""
        return (self.high - self.low).log()


class Exponential(ExponentialFamily):
    """The time to the first of events with the rate `rate`."""

    arg_constraints: ClassVar[dict[str, Any]] = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, rate: Value, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(shape_of(self.rate, rate), validate_args=validate_args)

    @property
    def mean(self) -> Value:
        """1 / rate."""
        return self.rate.reciprocal()

    @property
    def mode(self) -> Value:
        """0."""
        return torch_functions["zeros_like"](self.rate)

    @property
    def stddev(self) -> Value:
        """1 / rate."""
        return self.rate.reciprocal()

    @property
    def variance(self) -> Value:
        """1 / rate²."""
        return self.rate.pow(-2)

    def rsample(self, sample_shape: Shape = ()) -> Value:
        """Exponential numbers over rate."""
        empty = random_like(torch_functions["empty"], self._extended_shape(sample_shape), self.rate)
        return empty.exponential_() / self.rate

    def log_prob(self, value: Value) -> Value:
        """The log density."""
        if self._validate_args:
            self._validate_sample(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value: Value) -> Value:
        """The probability of at most `value`."""
        if self._validate_args:
            self._validate_sample(value)
        return 1 - (-self.rate * value).exp()

    def icdf(self, value: Value) -> Value:
        """The inverse of cdf."""
        return -torch_functions["log1p"](-value) / self.rate

    def entropy(self) -> Value:
        """The entropy."""
        return 1.0 - self.rate.log()

    @property
    def _natural_params(self) -> Any:
        return (-self.rate,)

    def _log_normalizer(self, *natural_params: Any) -> Any:
        (x,) = natural_params
        return -(-x).log()


class Laplace(Located):
    """The double exponential distribution around `loc`."""

    @property
    def variance(self) -> Value:
        """2 scale²."""
        return 2 * self.scale.pow(2)

    @property
    def stddev(self) -> Value:
        """sqrt(2) scale."""
        return (2**0.5) * self.scale

    def rsample(self, sample_shape: Shape = ()) -> Value:
        """Draw loc plus or minus an exponential number; gradients flow to the parameters."""
        u = random_like(torch_functions["empty"], self._extended_shape(sample_shape), self.loc)
        u.uniform_(epsilon(self.loc) - 1, 1)
        return self.loc - self.scale * u.sign() * torch_functions["log1p"](-u.abs())

    def log_prob(self, value: Value) -> Value:
        """The log density."""
        if self._validate_args:
            self._validate_sample(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def cdf(self, value: Value) -> Value:
        """The probability of at most `value`."""
        if self._validate_args:
            self._validate_sample(value)
        away = value - self.loc
        return 0.5 - 0.5 * away.sign() * (-away.abs() / self.scale).expm1()

    def icdf(self, value: Value) -> Value:
        """The inverse of cdf."""
        term = value - 0.5
        return self.loc - self.scale * term.sign() * torch_functions["log1p"](-2 * term.abs())

    def entropy(self) -> Value:
        """The entropy."""
        return 1 + (2 * self.scale).log()


class Cauchy(Located):
    """The distribution of the ratio of two normal numbers, around `loc`."""

    @property
    def mean(self) -> Value:
        """NaN: the mean does not exist."""
        return torch_functions["full"](self._extended_shape(), math.nan, dtype=self.loc.dtype)

    @property
    def variance(self) -> Value:
        """Infinite."""
        return torch_functions["full"](self._extended_shape(), math.inf, dtype=self.loc.dtype)

    def rsample(self, sample_shape: Shape = ()) -> Value:
        """loc + Cauchy numbers * scale."""
        empty = random_like(torch_functions["empty"], self._extended_shape(sample_shape), self.loc)
        return self.loc + empty.cauchy_() * self.scale

    def log_prob(self, value: Value) -> Value:
        """The log density."""
        if self._validate_args:
            self._validate_sample(value)
        return -math.log(math.pi) - self.scale.log() - torch_functions["log1p"](((value - self.loc) / self.scale) ** 2)

    def cdf(self, value: Value) -> Value:
        """The probability of at most `value`."""
        if self._validate_args:
            self._validate_sample(value)
        return ((value - self.loc) / self.scale).atan() / math.pi + 0.5

    def icdf(self, value: Value) -> Value:
        """The inverse of cdf."""
        return (math.pi * (value - 0.5)).tan() * self.scale + self.loc

    def entropy(self) -> Value:
        """The entropy."""
        return math.log(4 * math.pi) + self.scale.log()
