"""The names of `torch.distributions.gumbel`."""

from backscope.distributions.transformed import Gumbel

__all__ = ["Gumbel"]
