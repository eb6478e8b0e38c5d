"""The names of `torch.distributions.multinomial`."""

from backscope.distributions.counts import Multinomial

__all__ = ["Multinomial"]
