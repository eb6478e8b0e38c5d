"""The names of `torch.__future__`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.module.module_dtype import (
    get_overwrite_module_params_on_conversion,
    get_swap_module_params_on_conversion,
    set_overwrite_module_params_on_conversion,
    set_swap_module_params_on_conversion,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "get_overwrite_module_params_on_conversion",
    "get_swap_module_params_on_conversion",
    "set_overwrite_module_params_on_conversion",
    "set_swap_module_params_on_conversion",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.__future__", name, globals())
