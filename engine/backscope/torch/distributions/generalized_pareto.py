"""The names of `torch.distributions.generalized_pareto`."""

from backscope.distributions.generalized_pareto import GeneralizedPareto

__all__ = ["GeneralizedPareto"]
