"""The names of `torch._functorch.pyfunctorch`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.func.interpreter import (
    Interpreter as FuncTorchInterpreter,
    innermost as retrieve_current_functorch_interpreter,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "FuncTorchInterpreter",
    "retrieve_current_functorch_interpreter",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch._functorch.pyfunctorch", name, globals())
