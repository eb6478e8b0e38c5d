"""The names of `torch.autograd.gradcheck`, which is a function too: importing it by name must not hide that."""

import sys as _sys
from types import ModuleType as _ModuleType
from typing import Any as _Any

from backscope.autograd.gradcheck.finite_difference import GradcheckError
from backscope.autograd.gradcheck.gradcheck import gradcheck, gradgradcheck
from backscope.autograd.gradcheck.lone_jacobian import get_analytical_jacobian, get_numerical_jacobian

__all__ = ["GradcheckError", "get_analytical_jacobian", "get_numerical_jacobian", "gradcheck", "gradgradcheck"]


class _Module(_ModuleType):
    def __call__(self, *args: _Any, **kwargs: _Any) -> bool:
        return gradcheck(*args, **kwargs)


_sys.modules[__name__].__class__ = _Module
