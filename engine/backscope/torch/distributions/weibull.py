"""The names of `torch.distributions.weibull`."""

from backscope.distributions.inverse_sampling import Weibull

__all__ = ["Weibull"]
