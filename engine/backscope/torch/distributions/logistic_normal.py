"""The names of `torch.distributions.logistic_normal`."""

from backscope.distributions.transformed import LogisticNormal

__all__ = ["LogisticNormal"]
