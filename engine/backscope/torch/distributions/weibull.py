"""The names of `torch.distributions.weibull`."""

from backscope.distributions.transformed import Weibull

__all__ = ["Weibull"]
