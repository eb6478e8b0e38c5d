"""The names of `torch.distributions.pareto`."""

from backscope.distributions.inverse_sampling import Pareto

__all__ = ["Pareto"]
