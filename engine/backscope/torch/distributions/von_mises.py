"""The names of `torch.distributions.von_mises`."""

from backscope.distributions.von_mises import VonMises

__all__ = ["VonMises"]
