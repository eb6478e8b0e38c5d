"""GeneralizedPareto: excesses over a threshold, with a tail given by `concentration`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from backscope.distributions import constraints
from backscope.distributions.distribution import Distribution
from backscope.distributions.parameterization import broadcast_all, random_like, shape_of
from backscope.ops.core.namespace import torch_functions
from backscope.runtime.given import Shape, Value

if TYPE_CHECKING:
    from backscope.distributions.constraints import Constraint


class GeneralizedPareto(Distribution):
    """Numbers from `loc` up; exponential for concentration 0, bounded for a negative one."""

    arg_constraints: ClassVar[Any] = {
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }
    has_rsample = True

    def __init__(self, loc: Value, scale: Value, concentration: Value, validate_args: bool | None = None) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(shape_of(self.loc, loc, scale, concentration), validate_args=validate_args)

    def rsample(self, sample_shape: Shape = ()) -> Value:
        """Uniform numbers through icdf."""
        return self.icdf(random_like(torch_functions["rand"], self._extended_shape(sample_shape), self.loc))

    def _split(self) -> Any:
        """Return a mask of concentrations of 0, and the concentrations with 1 in place of 0."""
        shape = self.concentration
        zero = torch_functions["isclose"](shape, torch_functions["zeros_like"](shape))
        return zero, torch_functions["where"](zero, torch_functions["ones_like"](shape), shape)

    def _standardized(self, value: Value) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        return (value - self.loc) / self.scale

    def log_prob(self, value: Value) -> Value:
        """The log density."""
        where, z = torch_functions["where"], self._standardized(value)
        zero, shape = self._split()
        y = 1 / shape + torch_functions["ones_like"](z)
        curved = where(y == 0, y, y * (shape * z).log1p())
        return -self.scale.log().expand(self._batch_shape) - where(zero, z, curved)

    def log_survival_function(self, value: Value) -> Value:
        """The logarithm of the probability of more than `value`."""
        z = self._standardized(value)
        zero, shape = self._split()
        return torch_functions["where"](zero, -z, -(shape * z).log1p() / shape)

    def log_cdf(self, value: Value) -> Value:
        """The logarithm of cdf."""
        return (-self.log_survival_function(value).exp()).log1p()

    def cdf(self, value: Value) -> Value:
        """The probability of at most `value`."""
        return self.log_cdf(value).exp()

    def icdf(self, value: Value) -> Value:
        """The inverse of cdf."""
        zero, shape = self._split()
        logarithm = torch_functions["log1p"](-value)
        curved = self.loc + self.scale / shape * (-shape * logarithm).expm1()
        return torch_functions["where"](zero, self.loc - self.scale * logarithm, curved)

    @property
    def mean(self) -> Value:
        """loc + scale / (1 - concentration); NaN from concentration 1."""
        where, valid = torch_functions["where"], self.concentration < 1
        mean = self.loc + self.scale / (1 - where(valid, self.concentration, 0.5))
        return where(valid, mean, math.nan)

    @property
    def variance(self) -> Value:
        """NaN from concentration 1/2."""
        where, valid = torch_functions["where"], self.concentration < 0.5
        shape = where(valid, self.concentration, 0.25)
        return where(valid, self.scale**2 / ((1 - shape) ** 2 * (1 - 2 * shape)), math.nan)

    def entropy(self) -> Value:
        """The entropy."""
        return torch_functions["broadcast_to"](self.scale.log() + self.concentration + 1, self._batch_shape)

    @property
    def mode(self) -> Value:
        """loc."""
        return self.loc

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Constraint:
        """Numbers from loc on, up to the end that a negative concentration sets."""
        end = self.loc - self.scale / self.concentration
        return constraints.interval(self.loc, torch_functions["where"](self.concentration < 0, end, math.inf))
