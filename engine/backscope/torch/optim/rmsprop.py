"""The names of `torch.optim.rmsprop`."""

from backscope.optim.rmsprop import RMSprop

__all__ = ["RMSprop"]
