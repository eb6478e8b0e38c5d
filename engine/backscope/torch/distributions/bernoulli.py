"""The names of `torch.distributions.bernoulli`."""

from backscope.distributions.discrete import Bernoulli

__all__ = ["Bernoulli"]
