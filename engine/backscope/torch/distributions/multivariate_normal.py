"""The names of `torch.distributions.multivariate_normal`."""

from backscope.distributions.normal import MultivariateNormal

__all__ = ["MultivariateNormal"]
