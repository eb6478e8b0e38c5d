"""Distributions of counts: Binomial, Multinomial, NegativeBinomial, Poisson."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from backscope.autograd.modes.grad_mode import no_grad
from backscope.distributions import constraints
from backscope.distributions.discrete import Categorical, OfCategories, _enumerated
from backscope.distributions.distribution import Distribution, ExponentialFamily
from backscope.distributions.gamma import Gamma
from backscope.distributions.parameterization import Chance, broadcast_all, lazy_property, only_given, shape_of
from backscope.ops.core.namespace import functional, torch_functions
from backscope.runtime.given import Shape, Value
from backscope.tensor.size import Size

if TYPE_CHECKING:
    from backscope.distributions.constraints import Constraint


class _Trials(Chance, Distribution):
    """The base of distributions with a number of trials or successes, and the probability or log odds of one."""

    def __init__(
        self, total_count: Value = 1, probs: Value = None, logits: Value = None, validate_args: bool | None = None
    ) -> None:
        name, given = only_given(probs, logits)
        self.total_count, self._param = broadcast_all(total_count, given)
        self.__dict__[name] = self._param
        self.total_count = self.total_count.type_as(self._param)
        super().__init__(self._param.shape, validate_args=validate_args)


class Binomial(_Trials):
    """The number of successes in `total_count` trials."""

    arg_constraints: ClassVar[Any] = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Constraint:
        """0 to total_count."""
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Value:
        """total_count probs."""
        return self.total_count * self.probs

    @property
    def mode(self) -> Value:
        """The likeliest count."""
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> Value:
        """total_count probs (1 - probs)."""
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Shape = ()) -> Value:
        """Counts."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return torch_functions["binomial"](self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Value) -> Value:
        """The log probability."""
        if self._validate_args:
            self._validate_sample(value)
        count, logits = self.total_count, self.logits
        chosen, left = (value + 1).lgamma(), (count - value + 1).lgamma()
        positive = (logits.clamp(min=0) + logits - logits.clamp(max=0)) / 2
        normalizer = count * positive + count * (-logits.abs()).exp().log1p() - (count + 1).lgamma()
        return value * logits - chosen - left - normalizer

    def entropy(self) -> Value:
        """The entropy, over all counts."""
        self._one_count("entropy")
        logarithm = self.log_prob(self.enumerate_support(False))
        return -(logarithm.exp() * logarithm).sum(0)

    def enumerate_support(self, expand: bool = True) -> Value:
        """Return all counts."""
        values = torch_functions["arange"](1 + self._one_count("enumerate_support"), dtype=self._param.dtype)
        return _enumerated(values, self._batch_shape, expand)

    def _one_count(self, what: str) -> int:
        count = int(self.total_count.max())
        if not self.total_count.min() == count:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{what}`.")
        return count


class NegativeBinomial(_Trials):
    """The number of successes before `total_count` failures."""

    arg_constraints: ClassVar[Any] = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support: Constraint = constraints.nonnegative_integer

    @property
    def mean(self) -> Value:
        """total_count times the odds."""
        return self.total_count * self.logits.exp()

    @property
    def mode(self) -> Value:
        """The likeliest count."""
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Value:
        """The mean over the chance of failure."""
        return self.mean / (-self.logits).sigmoid()

    @lazy_property
    def _gamma(self) -> Any:
        return Gamma(concentration=self.total_count, rate=(-self.logits).exp(), validate_args=False)

    def sample(self, sample_shape: Shape = ()) -> Value:
        """Poisson numbers of gamma rates."""
        with no_grad():
            return torch_functions["poisson"](self._gamma.sample(sample_shape=sample_shape))

    def log_prob(self, value: Value) -> Value:
        """The log probability."""
        if self._validate_args:
            self._validate_sample(value)
        count, log_of = self.total_count, functional["logsigmoid"]
        trials = count * log_of(-self.logits) + value * log_of(self.logits)
        normalizer = -(count + value).lgamma() + (1.0 + value).lgamma() + count.lgamma()
        return trials - normalizer.masked_fill(count + value == 0.0, 0.0)


class Poisson(ExponentialFamily):
    """The number of events, with a mean of `rate`."""

    arg_constraints: ClassVar[Any] = {"rate": constraints.nonnegative}
    support: Constraint = constraints.nonnegative_integer

    def __init__(self, rate: Value, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(shape_of(self.rate, rate), validate_args=validate_args)

    @property
    def mean(self) -> Value:
        """rate."""
        return self.rate

    @property
    def mode(self) -> Value:
        """rate rounded down."""
        return self.rate.floor()

    @property
    def variance(self) -> Value:
        """rate."""
        return self.rate

    def sample(self, sample_shape: Shape = ()) -> Value:
        """Counts."""
        with no_grad():
            return torch_functions["poisson"](self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Value) -> Value:
        """The log probability."""
        if self._validate_args:
            self._validate_sample(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self) -> Any:
        return (self.rate.log(),)

    def _log_normalizer(self, *natural_params: Any) -> Any:
        return natural_params[0].exp()


class Multinomial(OfCategories):
    """The number of occurrences of each category in `total_count` draws."""

    arg_constraints: ClassVar[Any] = {"probs": constraints.simplex, "logits": constraints.real_vector}

    def __init__(
        self, total_count: int = 1, probs: Value = None, logits: Value = None, validate_args: bool | None = None
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        shape = self._categorical.param_shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Value:
        """probs total_count."""
        return self.probs * self.total_count

    @property
    def variance(self) -> Value:
        """total_count probs (1 - probs)."""
        return self.total_count * self.probs * (1 - self.probs)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Constraint:
        """Counts that sum to total_count."""
        return constraints.multinomial(self.total_count)

    def sample(self, sample_shape: Shape = ()) -> Value:
        """Counts of each category."""
        sample_shape = Size(sample_shape)
        drawn = self._categorical.sample(Size((self.total_count,)) + sample_shape)
        drawn = drawn.permute(*range(1, drawn.dim()), 0)
        counts = torch_functions["zeros"](self._extended_shape(sample_shape), dtype=drawn.dtype)
        counts.scatter_add_(-1, drawn, torch_functions["ones_like"](drawn))
        return counts.type_as(self.probs)

    def entropy(self) -> Value:
        """The entropy."""
        count = torch_functions["tensor"](self.total_count)
        draws = count * self._categorical.entropy() - (count + 1).lgamma()
        support = self._binomial.enumerate_support(expand=False)[1:]
        weights = self._binomial.log_prob(support).exp()
        return draws + (weights * (support + 1).lgamma()).sum([0, -1])

    def log_prob(self, value: Value) -> Value:
        """The log probability."""
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.clone()
        ways = (value.sum(-1) + 1).lgamma()
        each = (value + 1).lgamma().sum(-1)
        logits[(value == 0) & (logits == -math.inf)] = 0
        return ways - each + (logits * value).sum(-1)
