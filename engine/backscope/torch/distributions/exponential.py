"""The names of `torch.distributions.exponential`."""

from backscope.distributions.continuous import Exponential

__all__ = ["Exponential"]
