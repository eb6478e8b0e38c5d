"""The names of `torch.autograd.graph`."""

from backscope.autograd.node import Node
from backscope.autograd.saved import saved_tensors_hooks

__all__ = ["Node", "saved_tensors_hooks"]
