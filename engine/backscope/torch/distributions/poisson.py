"""The names of `torch.distributions.poisson`."""

from backscope.distributions.counts import Poisson

__all__ = ["Poisson"]
