"""The names of `torch.distributions.lowrank_multivariate_normal`."""

from backscope.distributions.low_rank import LowRankMultivariateNormal

__all__ = ["LowRankMultivariateNormal"]
