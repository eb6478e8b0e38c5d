"""The names of `torch.overrides`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.tensor.overrides import (
    BaseTorchFunctionMode,
    TorchFunctionMode,
    handle_torch_function,
    has_torch_function,
    has_torch_function_unary,
    has_torch_function_variadic,
    is_tensor_like,
    is_tensor_method_or_property,
    resolve_name,
    wrap_torch_function,
)
from backscope.torch.missing import missing_name as _missing_name
from backscope.torch_dispatch.interception import enable_reentrant_dispatch

__all__ = [
    "BaseTorchFunctionMode",
    "TorchFunctionMode",
    "enable_reentrant_dispatch",
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "resolve_name",
    "wrap_torch_function",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.overrides", name, globals())
