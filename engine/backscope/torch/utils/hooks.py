"""The names of `torch.utils.hooks`."""

from backscope.autograd.hooks.removable import RemovableHandle
from backscope.nn.module.backward_hook import BackwardHook

__all__ = ["BackwardHook", "RemovableHandle"]
