"""The names of `torch.autograd`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.autograd.functions import backward, grad
from backscope.autograd.grad_mode import enable_grad, no_grad, set_grad_enabled
from backscope.autograd.variable import Variable
from backscope.torch.autograd import functional, graph
from backscope.torch.missing import missing_name as _missing_name

__all__ = ["Variable", "backward", "enable_grad", "functional", "grad", "graph", "no_grad", "set_grad_enabled"]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.autograd", name, globals())
