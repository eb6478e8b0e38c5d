"""The names of `torch.distributions.pareto`."""

from backscope.distributions.transformed import Pareto

__all__ = ["Pareto"]
