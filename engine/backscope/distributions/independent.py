"""Independent: batch dims of a distribution taken as parts of one event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from backscope.distributions import constraints
from backscope.distributions.distribution import Distribution
from backscope.distributions.parameterization import sum_rightmost
from backscope.runtime.given import Shape, Value

if TYPE_CHECKING:
    from backscope.distributions.constraints import Constraint


class Independent(Distribution):
    """`base_dist` with its last `reinterpreted_batch_ndims` batch dims as event dims."""

    arg_constraints: ClassVar[Any] = {}

    def __init__(
        self, base_distribution: Distribution, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ) -> None:
        if reinterpreted_batch_ndims > len(base_distribution.batch_shape):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual "
                f"{reinterpreted_batch_ndims} vs {len(base_distribution.batch_shape)}"
            )
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        shape = base_distribution.batch_shape + base_distribution.event_shape
        split = len(base_distribution.batch_shape) - reinterpreted_batch_ndims
        super().__init__(shape[:split], shape[split:], validate_args=validate_args)

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """True when the base has rsample()."""
        return self.base_dist.has_rsample

    @property
    def has_enumerate_support(self) -> bool:  # type: ignore[override]
        """True when the base has enumerate_support() and no batch dim became an event dim."""
        return self.reinterpreted_batch_ndims <= 0 and self.base_dist.has_enumerate_support

    @constraints.dependent_property
    def support(self) -> Constraint:
        """The base's for each part."""
        dims = self.reinterpreted_batch_ndims
        return constraints.independent(self.base_dist.support, dims) if dims else self.base_dist.support

    @property
    def mean(self) -> Value:
        """The base's."""
        return self.base_dist.mean

    @property
    def mode(self) -> Value:
        """The base's."""
        return self.base_dist.mode

    @property
    def variance(self) -> Value:
        """The base's."""
        return self.base_dist.variance

    def sample(self, sample_shape: Shape = ()) -> Value:
        """The base's."""
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Shape = ()) -> Value:
        """The base's."""
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Value) -> Value:
        """The sum over the parts of an event."""
        return sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Value:
        """The sum over the parts of an event."""
        return sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Value:
        """The base's, where no dim was taken."""
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    def expand(self, batch_shape: Shape, _instance: Distribution | None = None) -> Independent:
        """This distribution over more batch dims."""
        inner = (*batch_shape, *self._event_shape[: self.reinterpreted_batch_ndims])
        return Independent(self.base_dist.expand(inner), self.reinterpreted_batch_ndims, self._validate_args)

    def __repr__(self) -> str:
        return f"Independent({self.base_dist}, {self.reinterpreted_batch_ndims})"
