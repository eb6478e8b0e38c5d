"""The names of `torch.distributions.lowrank_multivariate_normal`."""

from backscope.distributions.low_rank_normal import LowRankMultivariateNormal

__all__ = ["LowRankMultivariateNormal"]
