"""The names of `torch.distributions.continuous_bernoulli`."""

from backscope.distributions.relaxed import ContinuousBernoulli

__all__ = ["ContinuousBernoulli"]
