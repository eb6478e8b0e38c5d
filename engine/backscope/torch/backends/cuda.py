"""The names of `torch.backends.cuda`."""

from backscope.cuda import is_available, is_available as is_built

__all__ = ["is_available", "is_built"]
