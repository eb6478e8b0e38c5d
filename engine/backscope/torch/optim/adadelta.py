"""The names of `torch.optim.adadelta`."""

from backscope.optim.adadelta import Adadelta

__all__ = ["Adadelta"]
