"""The names of `torch.distributions.chi2`."""

from backscope.distributions.gamma import Chi2

__all__ = ["Chi2"]
