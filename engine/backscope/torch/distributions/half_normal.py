"""The names of `torch.distributions.half_normal`."""

from backscope.distributions.normal import HalfNormal

__all__ = ["HalfNormal"]
