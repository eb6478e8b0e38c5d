"""The names of `torch._functorch.utils`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.func.interpreter import enable_single_level_autograd_function
from backscope.func.transform_arguments import Argnums as argnums_t
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "argnums_t",
    "enable_single_level_autograd_function",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch._functorch.utils", name, globals())
