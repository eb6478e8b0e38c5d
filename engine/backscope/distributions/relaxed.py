"""Distributions near discrete ones that gradients pass: RelaxedBernoulli and its kin, ContinuousBernoulli."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from backscope.autograd.modes.grad_mode import no_grad
from backscope.distributions import constraints
from backscope.distributions.discrete import Categorical, OfCategories, _Binary
from backscope.distributions.distribution import ExponentialFamily
from backscope.distributions.parameterization import (
    Chance,
    broadcast_all,
    clamp_probs,
    lazy_property,
    logits_to_probs,
    only_given,
    random_like,
    shape_of,
)
from backscope.distributions.scalar_transforms import ExpTransform, SigmoidTransform
from backscope.distributions.transformed import _OfBase
from backscope.ops.core.namespace import functional, torch_functions
from backscope.runtime.given import Option, Shape, Tree, Value

if TYPE_CHECKING:
    from backscope.distributions.constraints import Constraint


class LogitRelaxedBernoulli(_Binary):
    """The log odds of a relaxed Bernoulli value."""

    arg_constraints: ClassVar[Any] = {"probs": constraints.unit_interval, "logits": constraints.real}
    support: Constraint = constraints.real

    def __init__(
        self, temperature: Value, probs: Value = None, logits: Value = None, validate_args: bool | None = None
    ) -> None:
        self.temperature = temperature
        super().__init__(probs, logits, validate_args)

    def rsample(self, sample_shape: Shape = ()) -> Value:
        """Log odds with logistic noise over the temperature."""
        probs = clamp_probs(self.probs.expand(self._extended_shape(sample_shape)))
        u = clamp_probs(random_like(torch_functions["rand"], probs.shape, probs))
        return (u.log() - (-u).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: Value) -> Value:
        """The log density."""
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        difference = logits - value.mul(self.temperature)
        return self.temperature.log() + difference - 2 * difference.exp().log1p()


class RelaxedBernoulli(_OfBase):
    """A number of (0, 1) near 0 or 1, the nearer the lower the temperature."""

    arg_constraints: ClassVar[Any] = {"probs": constraints.unit_interval, "logits": constraints.real}
    support: Constraint = constraints.unit_interval
    _named = ("temperature", "logits", "probs")

    def __init__(
        self, temperature: Value, probs: Value = None, logits: Value = None, validate_args: bool | None = None
    ) -> None:
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)


class ExpRelaxedCategorical(OfCategories):
    """The logarithm of a relaxed one-hot vector."""

    arg_constraints: ClassVar[Any] = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support: Constraint = constraints.real_vector
    has_rsample = True

    def __init__(
        self, temperature: Value, probs: Value = None, logits: Value = None, validate_args: bool | None = None
    ) -> None:
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        shape = self._categorical.param_shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    def rsample(self, sample_shape: Shape = ()) -> Value:
        """Log probabilities with Gumbel noise over the temperature, normalized."""
        u = clamp_probs(random_like(torch_functions["rand"], self._extended_shape(sample_shape), self.logits))
        scores = (self.logits + -(-u.log()).log()) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: Value) -> Value:
        """The log density."""
        count = self._categorical._num_events
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        full = torch_functions["full_like"](self.temperature, float(count))
        scale = full.lgamma() - self.temperature.log().mul(-(count - 1))
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + scale


class RelaxedOneHotCategorical(_OfBase):
    """A point of a simplex near a corner, the nearer the lower the temperature."""

    arg_constraints: ClassVar[Any] = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support: Constraint = constraints.simplex
    _named = ("temperature", "logits", "probs")

    def __init__(
        self, temperature: Value, probs: Value = None, logits: Value = None, validate_args: bool | None = None
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)


class ContinuousBernoulli(Chance, ExponentialFamily):
    """Numbers of (0, 1) with a density like Bernoulli's; a series between `lims`, where its formulas are unstable."""

    arg_constraints: ClassVar[Any] = {"probs": constraints.unit_interval, "logits": constraints.real}
    support: constraints.interval = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        probs: Value = None,
        logits: Value = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        name, given = only_given(probs, logits)
        (value,) = broadcast_all(given)
        if probs is not None:
            if validate_args is not None and not constraints.unit_interval.check(value).all():
                raise ValueError("The parameter probs has invalid values")
            value = clamp_probs(value)
        self._param = self.__dict__[name] = value
        self._lims = lims
        super().__init__(shape_of(self._param, given), validate_args=validate_args)

    @lazy_property
    def probs(self) -> Value:
        """The parameter as a probability."""
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def _stable(self) -> Any:
        low, high = self._lims
        return torch_functions["max"](self.probs.le(low), self.probs.gt(high))

    def _chosen(self, stable: Option, series: Tree) -> Any:
        return torch_functions["where"](self._stable(), stable, series)

    def _cut_probs(self) -> Any:
        return self._chosen(self.probs, self._lims[0] * torch_functions["ones_like"](self.probs))

    def _cont_bern_log_norm(self) -> Any:
        where, p = torch_functions["where"], self._cut_probs()
        below = where(p.le(0.5), p, torch_functions["zeros_like"](p))
        above = where(p.ge(0.5), p, torch_functions["ones_like"](p))
        denominator = where(p.le(0.5), (-2.0 * below).log1p(), (2.0 * above - 1.0).log())
        x = (self.probs - 0.5).pow(2)
        series = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        return self._chosen(((-p).log1p() - p.log()).abs().log() - denominator, series)

    @property
    def mean(self) -> Value:
        """The mean."""
        p, x = self._cut_probs(), self.probs - 0.5
        mean = p / (2.0 * p - 1.0) + 1.0 / ((-p).log1p() - p.log())
        return self._chosen(mean, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x.pow(2)) * x)

    @property
    def variance(self) -> Value:
        """The variance."""
        p, x = self._cut_probs(), (self.probs - 0.5).pow(2)
        variance = p * (p - 1.0) / (1.0 - 2.0 * p).pow(2) + 1.0 / ((-p).log1p() - p.log()).pow(2)
        return self._chosen(variance, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x)

    def sample(self, sample_shape: Shape = ()) -> Value:
        """Values off the tape."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Shape = ()) -> Value:
        """Uniform numbers through icdf."""
        return self.icdf(random_like(torch_functions["rand"], self._extended_shape(sample_shape), self.probs))

    def log_prob(self, value: Value) -> Value:
        """The log density."""
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        entropy = functional["binary_cross_entropy_with_logits"](logits, value, reduction="none")
        return -entropy + self._cont_bern_log_norm()

    def cdf(self, value: Value) -> Value:
        """The probability of at most `value`."""
        if self._validate_args:
            self._validate_sample(value)
        where, p, power = torch_functions["where"], self._cut_probs(), torch_functions["pow"]
        inner = (power(p, value) * power(1.0 - p, 1.0 - value) + p - 1.0) / (2.0 * p - 1.0)
        zeros, ones = torch_functions["zeros_like"](value), torch_functions["ones_like"](value)
        return where(value.le(0.0), zeros, where(value.ge(1.0), ones, self._chosen(inner, value)))

    def icdf(self, value: Value) -> Value:
        """The inverse of cdf."""
        p = self._cut_probs()
        found = ((-p + value * (2.0 * p - 1.0)).log1p() - (-p).log1p()) / (p.log() - (-p).log1p())
        return self._chosen(found, value)

    def entropy(self) -> Value:
        """The entropy."""
        low, high = (-self.probs).log1p(), self.probs.log()
        return self.mean * (low - high) - self._cont_bern_log_norm() - low

    @property
    def _natural_params(self) -> Any:
        return (self.logits,)

    def _log_normalizer(self, *natural_params: Any) -> Any:
        (x,) = natural_params
        where, (low, high) = torch_functions["where"], self._lims
        stable = torch_functions["max"](x.le(low - 0.5), x.gt(high - 0.5))
        cut = where(stable, x, (low - 0.5) * torch_functions["ones_like"](x))
        series = 0.5 * x + x.pow(2) / 24.0 - x.pow(4) / 2880.0
        return where(stable, cut.expm1().abs().log() - cut.abs().log(), series)
