"""The names of `torch.distributions.gamma`."""

from backscope.distributions.gamma import Gamma

__all__ = ["Gamma"]
