"""The names of `torch.optim.adamax`."""

from backscope.optim.adamax import Adamax

__all__ = ["Adamax"]
