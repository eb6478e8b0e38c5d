"""The names of `torch.distributions.negative_binomial`."""

from backscope.distributions.counts import NegativeBinomial

__all__ = ["NegativeBinomial"]
