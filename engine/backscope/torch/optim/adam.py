"""The names of `torch.optim.adam`."""

from backscope.optim.adam import Adam

__all__ = ["Adam"]
