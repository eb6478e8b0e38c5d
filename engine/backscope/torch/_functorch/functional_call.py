"""The names of `torch._functorch.functional_call`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.func.functional_call import functional_call, stack_module_state
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "functional_call",
    "stack_module_state",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch._functorch.functional_call", name, globals())
