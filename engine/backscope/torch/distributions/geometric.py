"""The names of `torch.distributions.geometric`."""

from backscope.distributions.discrete import Geometric

__all__ = ["Geometric"]
