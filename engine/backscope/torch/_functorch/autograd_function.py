"""The names of `torch._functorch.autograd_function`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.func.context_views import CtxWithSavedTensors, WrappedCtx, reductify, reductify_leaf
from backscope.func.function_transforms import VmapInfo
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "CtxWithSavedTensors",
    "VmapInfo",
    "WrappedCtx",
    "reductify",
    "reductify_leaf",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch._functorch.autograd_function", name, globals())
