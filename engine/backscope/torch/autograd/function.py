"""The names of `torch.autograd.function`."""

from backscope.autograd.function.context import BackwardCFunction, FunctionCtx
from backscope.autograd.function.function import (
    Function,
    FunctionMeta,
    InplaceFunction,
    _SingleLevelFunction,
    once_differentiable,
)

__all__ = [
    "BackwardCFunction",
    "Function",
    "FunctionCtx",
    "FunctionMeta",
    "InplaceFunction",
    "_SingleLevelFunction",
    "once_differentiable",
]
