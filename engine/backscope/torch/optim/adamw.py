"""The names of `torch.optim.adamw`."""

from backscope.optim.adam import AdamW

__all__ = ["AdamW"]
