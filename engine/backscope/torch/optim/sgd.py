"""The names of `torch.optim.sgd`."""

from backscope.optim.sgd import SGD

__all__ = ["SGD"]
