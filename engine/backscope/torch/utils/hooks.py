"""The names of `torch.utils.hooks`."""

from backscope.autograd.removable import RemovableHandle

__all__ = ["RemovableHandle"]
