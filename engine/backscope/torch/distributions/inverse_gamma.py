"""The names of `torch.distributions.inverse_gamma`."""

from backscope.distributions.gamma import InverseGamma

__all__ = ["InverseGamma"]
