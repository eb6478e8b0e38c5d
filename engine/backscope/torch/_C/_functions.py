"""The names of `torch._C._functions`."""

from backscope.autograd.function.delayed_error import Error
from backscope.autograd.node import AccumulateGrad
from backscope.autograd.undefined_grad import DelayedError, UndefinedGrad

__all__ = ["AccumulateGrad", "DelayedError", "Error", "UndefinedGrad"]
