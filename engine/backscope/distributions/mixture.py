"""MixtureSameFamily: one of several distributions of a batch, chosen by a categorical one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from backscope.autograd.modes.grad_mode import no_grad
from backscope.distributions import constraints
from backscope.distributions.discrete import Categorical
from backscope.distributions.distribution import Distribution
from backscope.ops.core.namespace import torch_functions
from backscope.runtime.given import Shape, Value
from backscope.tensor.size import Size

if TYPE_CHECKING:
    from backscope.distributions.constraints import Constraint


class MixtureSameFamily(Distribution):
    """A mixture: `mixture_distribution` chooses along the last batch dim of `component_distribution`."""

    arg_constraints: ClassVar[Any] = {}

    def __init__(
        self, mixture_distribution: Categorical, component_distribution: Distribution, validate_args: bool | None = None
    ) -> None:
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution needs to be an instance of torch.distributions.Distribution")
        chosen, batch = mixture_distribution.batch_shape, component_distribution.batch_shape[:-1]
        for i, j in zip(reversed(chosen), reversed(batch), strict=False):
            if i != 1 and j != 1 and i != j:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({chosen}) is not compatible with "
                    f"`component_distribution.batch_shape`({batch})"
                )
        count, given = mixture_distribution.logits.shape[-1], component_distribution.batch_shape[-1]
        if count != given:
            raise ValueError(
                f"`mixture_distribution component` ({count}) does not equal `component_distribution.batch_shape[-1]` "
                f"({given})"
            )
        self._num_component = count
        self._event_ndims = len(component_distribution.event_shape)
        super().__init__(batch, component_distribution.event_shape, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Distribution | None = None) -> MixtureSameFamily:
        """This distribution over more batch dims."""
        made: Any = self._blank() if _instance is None else _instance
        shape = Size(batch_shape)
        made.__dict__.update(self.__dict__)
        made._component_distribution = self._component_distribution.expand((*shape, self._num_component))
        made._mixture_distribution = self._mixture_distribution.expand(shape)
        Distribution.__init__(made, shape, self._event_shape, validate_args=False)
        made._validate_args = self._validate_args
        found: MixtureSameFamily = made
        return found

    @constraints.dependent_property
    def support(self) -> Constraint:
        """The components'."""
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self) -> Categorical:
        """The distribution of the component's index."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Distribution:
        """The components."""
        return self._component_distribution

    @property
    def mean(self) -> Value:
        """The components' means by their weights."""
        return (self._weights() * self.component_distribution.mean).sum(-1 - self._event_ndims)

    @property
    def variance(self) -> Value:
        """The mean of the components' variances and the variance of their means."""
        weights, dim = self._weights(), -1 - self._event_ndims
        inner = (weights * self.component_distribution.variance).sum(dim)
        return inner + (weights * (self.component_distribution.mean - self._pad(self.mean)).pow(2.0)).sum(dim)

    def cdf(self, x: Value) -> Value:
        """The probability of at most `x`."""
        return (self.component_distribution.cdf(self._pad(x)) * self.mixture_distribution.probs).sum(-1)

    def log_prob(self, x: Value) -> Value:
        """The log density."""
        if self._validate_args:
            self._validate_sample(x)
        inner = self.component_distribution.log_prob(self._pad(x))
        weights = torch_functions["log_softmax"](self.mixture_distribution.logits, dim=-1)
        return (inner + weights).logsumexp(dim=-1)

    def sample(self, sample_shape: Shape = ()) -> Value:
        """Values of one component each, of values drawn from all."""
        with no_grad():
            dim = len(sample_shape) + len(self._batch_shape)
            chosen = self.mixture_distribution.sample(sample_shape)
            values = self.component_distribution.sample(sample_shape)
            ones = (1,) * (self._event_ndims + 1)
            index = chosen.reshape((*chosen.shape, *ones))
            index = index.repeat((*(1,) * len(chosen.shape), 1, *self._event_shape))
            return torch_functions["gather"](values, dim, index).squeeze(dim)

    def _pad(self, x: Value) -> Any:
        return x.unsqueeze(-1 - self._event_ndims)

    def _weights(self) -> Any:
        """Return the weights with dims of length 1 for missing batch and event dims."""
        x, dims = self.mixture_distribution.probs, len(self.mixture_distribution.batch_shape)
        more = 0 if dims == 1 else len(self._batch_shape) - dims
        return x.reshape((*x.shape[:-1], *(1,) * more, x.shape[-1], *(1,) * self._event_ndims))

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
