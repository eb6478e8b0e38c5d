"""The names of `torch.optim.radam`."""

from backscope.optim.radam import RAdam

__all__ = ["RAdam"]
