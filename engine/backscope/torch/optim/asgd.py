"""The names of `torch.optim.asgd`."""

from backscope.optim.asgd import ASGD

__all__ = ["ASGD"]
