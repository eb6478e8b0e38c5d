"""Distributions of transformed values, and those of normal and Cauchy values: LogNormal, HalfNormal and others."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from backscope.autograd.modes.grad_mode import no_grad
from backscope.distributions import constraints
from backscope.distributions.continuous import Cauchy
from backscope.distributions.distribution import Distribution
from backscope.distributions.independent import Independent
from backscope.distributions.normal import Normal
from backscope.distributions.parameterization import sum_rightmost
from backscope.distributions.scalar_transforms import AbsTransform, ExpTransform
from backscope.distributions.transform import ComposeTransform, Transform
from backscope.distributions.vector_transforms import StickBreakingTransform
from backscope.ops.core.namespace import torch_functions
from backscope.runtime.given import Shape, Value
from backscope.tensor.size import Size

if TYPE_CHECKING:
    from backscope.distributions.constraints import Constraint


class TransformedDistribution(Distribution):
    """Values of `base_distribution` passed through `transforms`, one after the other."""

    arg_constraints: ClassVar[Any] = {}

    def __init__(
        self,
        base_distribution: Distribution,
        transforms: Transform | list[Transform],
        validate_args: bool | None = None,
    ) -> None:
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

    def expand(self, batch_shape: Shape, _instance: Distribution | None = None) -> TransformedDistribution:
        """This distribution over more batch dims."""
        made: Any = self._blank() if _instance is None else _instance
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
        found: TransformedDistribution = made
        return found

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Constraint:
        """The codomain of the last transform."""
        if not self.transforms:
            found: Constraint = self.base_dist.support
            return found
        region = self.transforms[-1].codomain
        more = len(self._event_shape) - region.event_dim
        return constraints.independent(region, more) if more > 0 else region

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """True when the base has rsample()."""
        found: bool = self.base_dist.has_rsample
        return found

    def sample(self, sample_shape: Shape = ()) -> Value:
        """Values off the tape."""
        with no_grad():
            return self._transformed(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Shape = ()) -> Value:
        """Values through which gradients flow to the parameters of the base and of the transforms."""
        return self._transformed(self.base_dist.rsample(sample_shape))

    def _transformed(self, value: Value) -> Any:
        for transform in self.transforms:
            value = transform(value)
        return value

    def log_prob(self, value: Value) -> Value:
        """Compute the base's log density at the inverse of the value, minus the logs of the Jacobians' determinants."""
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

    def cdf(self, value: Value) -> Value:
        """The probability of at most `value`."""
        for transform in self.transforms[::-1]:
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._rising(self.base_dist.cdf(value))

    def icdf(self, value: Value) -> Value:
        """The inverse of cdf."""
        return self._transformed(self.base_dist.icdf(self._rising(value)))


class _OfBase(TransformedDistribution):
    """A distribution with the parameters of its base."""

    has_rsample: Any = True
    _named: ClassVar[tuple[str, ...]] = ()

    def __getattr__(self, name: str) -> Any:
        if name in self._named:
            return getattr(self.base_dist, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


class LogNormal(_OfBase):
    """exp of a normal distribution."""

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support: Constraint = constraints.positive
    _named = ("loc", "scale")

    def __init__(self, loc: Value, scale: Value, validate_args: bool | None = None) -> None:
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args=validate_args)

    @property
    def mean(self) -> Value:
        """exp(loc + scale²/2)."""
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self) -> Value:
        """exp(loc - scale²)."""
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self) -> Value:
        """(exp(scale²) - 1) exp(2 loc + scale²)."""
        squared = self.scale.pow(2)
        return squared.expm1() * (2 * self.loc + squared).exp()

    def entropy(self) -> Value:
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
    def mean(self) -> Value:
        """scale sqrt(2 / pi)."""
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Value:
        """scale² (1 - 2 / pi)."""
        return self.scale.pow(2) * (1 - 2 / math.pi)


class HalfCauchy(_Half):
    """The absolute value of a Cauchy distribution around 0."""

    def __init__(self, scale: Value, validate_args: bool | None = None) -> None:
        super().__init__(Cauchy(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    @property
    def mean(self) -> Value:
        """Infinite."""
        return torch_functions["full"](self._extended_shape(), math.inf, dtype=self.scale.dtype)

    @property
    def variance(self) -> Value:
        """Infinite."""
        return self.base_dist.variance

    def _as_value(self, value: Value) -> Any:
        return torch_functions["as_tensor"](value, dtype=self.scale.dtype)


class LogisticNormal(_OfBase):
    """Normal vectors as points of a simplex."""

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support: Constraint = constraints.simplex

    def __init__(self, loc: Value, scale: Value, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        base = base if base.batch_shape else base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    @property
    def loc(self) -> Value:
        """The mean of the normal vectors."""
        return self.base_dist.base_dist.loc

    @property
    def scale(self) -> Value:
        """The standard deviations of the normal vectors."""
        return self.base_dist.base_dist.scale
