"""The names of `torch.nn.modules.container`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.module.containers import Container, ModuleDict, ModuleList, Sequential
from backscope.nn.module.parameter_containers import ParameterDict, ParameterList
from backscope.torch.missing import missing_name as _missing_name

__all__ = ["Container", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.modules.container", name, globals())
