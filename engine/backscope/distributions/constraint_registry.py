"""biject_to and transform_to: the transforms from all real numbers to a constrained region."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from backscope.distributions import constraints
from backscope.distributions.parameterization import NUMBERS
from backscope.distributions.scalar_transforms import AffineTransform, ExpTransform, SigmoidTransform
from backscope.distributions.transform import ComposeTransform, IndependentTransform, identity_transform
from backscope.distributions.vector_transforms import (
    CatTransform,
    CorrCholeskyTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    SoftmaxTransform,
    StackTransform,
    StickBreakingTransform,
)
from backscope.runtime.given import Value
from backscope.runtime.process import process_wide

if TYPE_CHECKING:
    from backscope.distributions.constraints import Constraint


class ConstraintRegistry:
    """Makes a transform for a constraint by the factory registered for its class."""

    def __init__(self) -> None:
        self._registry: dict[type, Callable[[Any], Any]] = {}

    def register(self, constraint: object, factory: Callable[..., Any] | None = None) -> Callable[..., Any]:
        """Use `factory(constraint)` for constraints of one class; a decorator where no factory is given."""
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        kind = type(constraint) if isinstance(constraint, constraints.Constraint) else constraint
        if not isinstance(kind, type) or not issubclass(kind, constraints.Constraint):
            raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {kind}")
        self._registry[kind] = factory
        return factory

    # Any: a factory returns a transform of any class.
    def __call__(self, constraint: Constraint) -> Any:
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _to_interval(region: Value) -> Any:
    low, high = region.lower_bound, region.upper_bound
    if isinstance(low, NUMBERS) and low == 0 and isinstance(high, NUMBERS) and high == 1:
        return SigmoidTransform()
    return ComposeTransform([SigmoidTransform(), AffineTransform(low, high - low)])


def _to_above(region: Value) -> Any:
    return ComposeTransform([ExpTransform(), AffineTransform(region.lower_bound, 1)])


def _to_below(region: Value) -> Any:
    return ComposeTransform([ExpTransform(), AffineTransform(region.upper_bound, -1)])


for _to in (biject_to, transform_to):
    _to.register(constraints.real, lambda region: identity_transform)
    _to.register(
        constraints.independent,
        lambda region, to=_to: IndependentTransform(to(region.base_constraint), region.reinterpreted_batch_ndims),
    )
    for _above in (constraints.greater_than, constraints.greater_than_eq):
        _to.register(_above, _to_above)
    _to.register(constraints.less_than, _to_below)
    for _between in (constraints.interval, constraints.half_open_interval):
        _to.register(_between, _to_interval)
    _to.register(constraints.corr_cholesky, lambda region: CorrCholeskyTransform())
    _to.register(
        constraints.cat,
        lambda region, to=_to: CatTransform([to(c) for c in region.cseq], region.dim, region.lengths),
    )
    _to.register(constraints.stack, lambda region, to=_to: StackTransform([to(c) for c in region.cseq], region.dim))

biject_to.register(constraints.simplex, lambda region: StickBreakingTransform())
transform_to.register(constraints.simplex, lambda region: SoftmaxTransform())
transform_to.register(constraints.lower_cholesky, lambda region: LowerCholeskyTransform())
transform_to.register(constraints.positive_definite, lambda region: PositiveDefiniteTransform())
transform_to.register(constraints.positive_semidefinite, lambda region: PositiveDefiniteTransform())

process_wide(biject_to._registry)
process_wide(transform_to._registry)
