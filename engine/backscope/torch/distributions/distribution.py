"""The names of `torch.distributions.distribution`."""

from backscope.distributions.distribution import Distribution

__all__ = ["Distribution"]
