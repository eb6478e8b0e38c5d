"""The names of `torch.optim.rprop`."""

from backscope.optim.rprop import Rprop

__all__ = ["Rprop"]
