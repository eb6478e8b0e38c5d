"""The names of `torch.distributions.cauchy`."""

from backscope.distributions.continuous import Cauchy

__all__ = ["Cauchy"]
