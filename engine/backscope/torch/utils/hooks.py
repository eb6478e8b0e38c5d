"""The names of `torch.utils.hooks`."""

from backscope.autograd.removable import RemovableHandle
from backscope.nn.backward_hook import BackwardHook

__all__ = ["BackwardHook", "RemovableHandle"]
