"""The names of `torch.optim.nadam`."""

from backscope.optim.nadam import NAdam

__all__ = ["NAdam"]
