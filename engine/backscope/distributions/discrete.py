"""Distributions over finitely or countably many values: Bernoulli, Categorical, OneHotCategorical, Geometric."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from backscope.autograd.modes.grad_mode import no_grad
from backscope.distributions import constraints
from backscope.distributions.distribution import Distribution, ExponentialFamily
from backscope.distributions.parameterization import (
    Chance,
    broadcast_all,
    lazy_property,
    logits_to_probs,
    only_given,
    probs_to_logits,
    random_like,
    shape_of,
)
from backscope.ops.core.namespace import functional, torch_functions
from backscope.runtime.given import Shape, Value, Values
from backscope.tensor.number_limits import finfo
from backscope.tensor.size import Size

if TYPE_CHECKING:
    from backscope.distributions.constraints import Constraint


class _Binary(Chance, Distribution):
    """The base of distributions given by probabilities or log odds; the other is computed when it is read."""

    def __init__(self, probs: Value = None, logits: Value = None, validate_args: bool | None = None) -> None:
        name, given = only_given(probs, logits)
        (self._param,) = broadcast_all(given)
        self.__dict__[name] = self._param
        super().__init__(shape_of(self._param, given), validate_args=validate_args)


class Bernoulli(_Binary, ExponentialFamily):
    """1 with probability `probs`, else 0."""

    arg_constraints: ClassVar[dict[str, Any]] = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True

    @property
    def mean(self) -> Value:
        """probs."""
        return self.probs

    @property
    def mode(self) -> Value:
        """The likelier of 0 and 1, NaN for a tie."""
        likelier = (self.probs >= 0.5).to(self.probs)
        return likelier.masked_fill(self.probs == 0.5, math.nan)

    @property
    def variance(self) -> Value:
        """probs (1 - probs)."""
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Shape = ()) -> Value:
        """Zeros and ones."""
        with no_grad():
            return torch_functions["bernoulli"](self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Value) -> Value:
        """The log probability."""
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -functional["binary_cross_entropy_with_logits"](logits, value, reduction="none")

    def entropy(self) -> Value:
        """The entropy."""
        return functional["binary_cross_entropy_with_logits"](self.logits, self.probs, reduction="none")

    @property
    def _natural_params(self) -> Any:
        return (self.probs.logit(),)

    def _log_normalizer(self, *natural_params: Any) -> Any:
        return natural_params[0].exp().log1p()

    def enumerate_support(self, expand: bool = True) -> Value:
        """0 and 1."""
        return _enumerated(torch_functions["arange"](2, dtype=self._param.dtype), self._batch_shape, expand)


class Geometric(_Binary):
    """The number of failures before the first success."""

    arg_constraints: ClassVar[dict[str, Any]] = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer

    @property
    def mean(self) -> Value:
        """1 / probs - 1."""
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Value:
        """0."""
        return torch_functions["zeros_like"](self.probs)

    @property
    def variance(self) -> Value:
        """(1 / probs - 1) / probs."""
        return (1.0 / self.probs - 1.0) / self.probs

    def __init__(self, probs: Value = None, logits: Value = None, validate_args: bool | None = None) -> None:
        super().__init__(probs, logits, validate_args)
        if self._validate_args and probs is not None and not (self.probs > 0).all():
            value = self.probs
            raise ValueError(
                f"Expected parameter probs ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                f"{self!r} to be positive but found invalid values:\n{value.data[~(value > 0)]}"
            )

    def sample(self, sample_shape: Shape = ()) -> Value:
        """Whole numbers from 0 up."""
        empty = random_like(torch_functions["empty"], self._extended_shape(sample_shape), self.probs)
        with no_grad():
            return (empty.uniform_(finfo(self.probs.dtype).tiny, 1).log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Value) -> Value:
        """The log probability."""
        if self._validate_args:
            self._validate_sample(value)
        value, probs = broadcast_all(value, self.probs)
        probs = probs.masked_fill((probs == 1) & (value == 0), 0)
        return value * torch_functions["log1p"](-probs) + self.probs.log()

    def entropy(self) -> Value:
        """The entropy."""
        return functional["binary_cross_entropy_with_logits"](self.logits, self.probs, reduction="none") / self.probs


class Categorical(Distribution):
    """An index, with probabilities in proportion to `probs` or to exp(`logits`)."""

    arg_constraints: ClassVar[dict[str, Any]] = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True

    def __init__(self, probs: Value = None, logits: Value = None, validate_args: bool | None = None) -> None:
        name, given = only_given(probs, logits)
        if given.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        total = given.sum(-1, keepdim=True) if logits is None else given.logsumexp(dim=-1, keepdim=True)
        self._param = self.__dict__[name] = given / total if logits is None else given - total
        self._num_events = self._param.shape[-1]
        super().__init__(self._param.shape[:-1], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Constraint:
        """0 to the number of categories less 1."""
        return constraints.integer_interval(0, self._num_events - 1)

    @lazy_property
    def logits(self) -> Value:
        """Log probabilities."""
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self) -> Value:
        """Probabilities."""
        return logits_to_probs(self.logits)

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        found: Size = self._param.shape
        return found

    @property
    def mean(self) -> Value:
        """NaN: indices have no mean."""
        return torch_functions["full"](self._extended_shape(), math.nan, dtype=self.probs.dtype)

    @property
    def mode(self) -> Value:
        """The likeliest index."""
        return self.probs.argmax(dim=-1)

    @property
    def variance(self) -> Value:
        """NaN: indices have no variance."""
        return self.mean

    def sample(self, sample_shape: Shape = ()) -> Value:
        """Indices."""
        rows = self.probs.reshape(-1, self._num_events)
        drawn = torch_functions["multinomial"](rows, math.prod(sample_shape), True).T
        return drawn.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value: Value) -> Value:
        """The log probability."""
        if self._validate_args:
            self._validate_sample(value)
        index, log_pmf = torch_functions["broadcast_tensors"](value.long().unsqueeze(-1), self.logits)
        return log_pmf.gather(-1, index[..., :1]).squeeze(-1)

    def entropy(self) -> Value:
        """The entropy."""
        smallest = -3.4028234663852886e38 if self.logits.dtype.name == "float32" else -1.7976931348623157e308
        return -(self.logits.clamp(min=smallest) * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Value:
        """Return all indices."""
        return _enumerated(torch_functions["arange"](self._num_events), self._batch_shape, expand)


class OfCategories(Distribution):
    """A distribution based on a Categorical, with its parameters."""

    _categorical: Categorical

    @property
    def probs(self) -> Value:
        """Probabilities."""
        return self._categorical.probs

    @property
    def logits(self) -> Value:
        """Log probabilities."""
        return self._categorical.logits

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return self._categorical.param_shape


class OneHotCategorical(OfCategories):
    """A one-hot vector, with probabilities in proportion to `probs` or to exp(`logits`)."""

    arg_constraints: ClassVar[dict[str, Any]] = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(self, probs: Value = None, logits: Value = None, validate_args: bool | None = None) -> None:
        self._categorical = Categorical(probs, logits)
        shape = self._categorical.param_shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    @property
    def _param(self) -> Any:
        return self._categorical._param

    @property
    def mean(self) -> Value:
        """probs."""
        return self.probs

    @property
    def mode(self) -> Value:
        """The likeliest vector."""
        return functional["one_hot"](self.probs.argmax(-1), self._event_shape[0]).to(self.probs)

    @property
    def variance(self) -> Value:
        """probs (1 - probs)."""
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Shape = ()) -> Value:
        """Draw one-hot vectors."""
        drawn = self._categorical.sample(Size(sample_shape))
        return functional["one_hot"](drawn, self._event_shape[0]).to(self.probs)

    def log_prob(self, value: Value) -> Value:
        """The log probability."""
        if self._validate_args:
            self._validate_sample(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self) -> Value:
        """The entropy."""
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Value:
        """Return all one-hot vectors."""
        size = self._event_shape[0]
        values = torch_functions["eye"](size, dtype=self.probs.dtype)
        values = values.view((size, *(1,) * len(self._batch_shape), size))
        return values.expand((size, *self._batch_shape, size)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """One-hot vectors with the gradient of the probabilities."""

    has_rsample = True

    def rsample(self, sample_shape: Shape = ()) -> Value:
        """Draw one-hot vectors; gradients flow to the probabilities."""
        samples, probs = self.sample(sample_shape), self.probs
        return samples + (probs - probs.detach())


def _enumerated(values: Values, batch_shape: Shape, expand: bool) -> Any:
    values = values.view((-1, *(1,) * len(batch_shape)))
    return values.expand((-1, *batch_shape)) if expand else values
