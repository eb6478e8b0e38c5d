"""The names of `torch.distributions.binomial`."""

from backscope.distributions.counts import Binomial

__all__ = ["Binomial"]
