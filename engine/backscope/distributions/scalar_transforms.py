"""Transforms of single numbers: Exp, Power, Sigmoid, Softplus, Tanh, Abs, Affine, and by a distribution's cdf."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from backscope.distributions import constraints
from backscope.distributions.parameterization import NUMBERS, broadcast_all, lazy_property
from backscope.distributions.transform import Transform
from backscope.ops.core.namespace import functional, torch_functions
from backscope.runtime.given import Shape, Value
from backscope.tensor.number_limits import finfo

if TYPE_CHECKING:
    from backscope.distributions.constraints import Constraint
    from backscope.distributions.distribution import Distribution


class _Fixed(Transform):
    """A transform without parameters: all of one class are equal."""

    domain: Any = constraints.real

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self))

    __hash__ = None


class _Rising(_Fixed):
    bijective = True
    sign = 1


class ExpTransform(_Rising):
    """y = exp(x)."""

    codomain = constraints.positive

    def _call(self, x: Value) -> Any:
        return x.exp()

    def _inverse(self, y: Value) -> Any:
        return y.log()

    def log_abs_det_jacobian(self, x: Value, y: Value) -> Value:
        """x."""
        return x


class PowerTransform(Transform):
    """y = x ** exponent."""

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True

    def __init__(self, exponent: Value, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    def with_cache(self, cache_size: int = 1) -> Transform:
        """This transform with a cache of this size."""
        return self if self._cache_size == cache_size else PowerTransform(self.exponent, cache_size=cache_size)

    @lazy_property
    def sign(self) -> Value:
        """The exponent's."""
        return self.exponent.sign()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and bool(self.exponent.eq(other.exponent).all().item())

    __hash__ = None

    def _call(self, x: Value) -> Any:
        return x.pow(self.exponent)

    def _inverse(self, y: Value) -> Any:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Value, y: Value) -> Value:
        """log |exponent y / x|."""
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Shape) -> Shape:
        """The shape broadcast with the exponent's."""
        return _broadcast(shape, self.exponent)

    def inverse_shape(self, shape: Shape) -> Shape:
        """The shape broadcast with the exponent's."""
        return _broadcast(shape, self.exponent)


def _broadcast(shape: Shape, *parameters: Any) -> Any:
    return torch_functions["broadcast_shapes"](shape, *[getattr(p, "shape", ()) for p in parameters])


def clipped_sigmoid(x: Value) -> Value:
    """Compute the logistic function, clamped to values between 0 and 1 by the precision of the dtype."""
    limits = finfo(x.dtype)
    return torch_functions["clamp"](x.sigmoid(), min=limits.tiny, max=1.0 - limits.eps)


class SigmoidTransform(_Rising):
    """y = 1 / (1 + exp(-x))."""

    codomain = constraints.unit_interval

    def _call(self, x: Value) -> Any:
        return clipped_sigmoid(x)

    def _inverse(self, y: Value) -> Any:
        limits = finfo(y.dtype)
        y = y.clamp(min=limits.tiny, max=1.0 - limits.eps)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Value, y: Value) -> Value:
        """log y + log (1 - y)."""
        return -functional["softplus"](-x) - functional["softplus"](x)


class SoftplusTransform(_Rising):
    """y = log(1 + exp(x))."""

    codomain = constraints.positive

    def _call(self, x: Value) -> Any:
        return functional["softplus"](x)

    def _inverse(self, y: Value) -> Any:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Value, y: Value) -> Value:
        """The logarithm of the logistic function."""
        return -functional["softplus"](-x)


class TanhTransform(_Rising):
    """y = tanh(x)."""

    codomain = constraints.interval(-1.0, 1.0)

    def _call(self, x: Value) -> Any:
        return x.tanh()

    def _inverse(self, y: Value) -> Any:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Value, y: Value) -> Value:
        """log (1 - y²), from x for precision."""
        return 2.0 * (math.log(2.0) - x - functional["softplus"](-2.0 * x))


class AbsTransform(_Fixed):
    """y = |x|."""

    codomain = constraints.positive

    def _call(self, x: Value) -> Any:
        return x.abs()

    def _inverse(self, y: Value) -> Any:
        return y


class AffineTransform(Transform):
    """y = loc + scale x."""

    bijective = True

    def __init__(self, loc: Value, scale: Value, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.loc = loc
        self.scale = scale
        self._event_dim = event_dim

    @property
    def event_dim(self) -> int:
        """The number of dims given to the constructor."""
        return self._event_dim

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Constraint:
        """Real numbers."""
        return constraints.independent(constraints.real, self.event_dim) if self.event_dim else constraints.real

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Constraint:
        """Real numbers."""
        found: Constraint = self.domain
        return found

    def with_cache(self, cache_size: int = 1) -> Transform:
        """This transform with a cache of this size."""
        if self._cache_size == cache_size:
            return self
        return AffineTransform(self.loc, self.scale, self.event_dim, cache_size=cache_size)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AffineTransform):
            return False
        return _same(self.loc, other.loc) and _same(self.scale, other.scale)

    __hash__ = None

    @property
    def sign(self) -> Value:
        """The scale's."""
        if isinstance(self.scale, NUMBERS):
            number: Any = self.scale
            return 1 if number > 0 else -1 if number < 0 else 0
        return self.scale.sign()

    def _call(self, x: Value) -> Any:
        return self.loc + self.scale * x

    def _inverse(self, y: Value) -> Any:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Value, y: Value) -> Value:
        """log |scale|, summed over the dims of one value."""
        shape, dims = x.shape, self.event_dim
        if isinstance(self.scale, NUMBERS):
            result = torch_functions["full_like"](x, math.log(abs(self.scale)))
        else:
            result = self.scale.abs().log()
        if dims:
            result = result.view((*result.shape[:-dims], -1)).sum(-1)
            shape = shape[:-dims]
        return result.expand(shape)

    def forward_shape(self, shape: Shape) -> Shape:
        """The shape broadcast with the parameters'."""
        return _broadcast(shape, self.loc, self.scale)

    def inverse_shape(self, shape: Shape) -> Shape:
        """The shape broadcast with the parameters'."""
        return _broadcast(shape, self.loc, self.scale)


def _same(a: Value, b: Value) -> bool:
    if isinstance(a, NUMBERS) and isinstance(b, NUMBERS):
        return a == b
    return bool((a == b).all().item())


class CumulativeDistributionTransform(Transform):
    """y = the probability that a distribution's value is at most x."""

    bijective = True
    codomain = constraints.unit_interval
    sign = 1

    def __init__(self, distribution: Distribution, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    @property
    def domain(self) -> Constraint:
        """The distribution's support."""
        found: Constraint = self.distribution.support
        return found

    def _call(self, x: Value) -> Any:
        return self.distribution.cdf(x)

    def _inverse(self, y: Value) -> Any:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Value, y: Value) -> Value:
        """The log density."""
        return self.distribution.log_prob(x)

    def with_cache(self, cache_size: int = 1) -> Transform:
        """This transform with a cache of this size."""
        if self._cache_size == cache_size:
            return self
        return CumulativeDistributionTransform(self.distribution, cache_size=cache_size)
