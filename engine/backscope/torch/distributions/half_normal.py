"""The names of `torch.distributions.half_normal`."""

from backscope.distributions.transformed import HalfNormal

__all__ = ["HalfNormal"]
