"""The names of `torch.nn`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.data_parallel import DataParallel
from backscope.nn.module.factory import factory_kwargs
from backscope.torch.missing import missing_name as _missing_name
from backscope.torch.nn import _reduction, attention, functional, grad, init, modules, parallel, parameter, utils
from backscope.torch.nn.modules import *  # noqa: F403
from backscope.torch.nn.modules import __all__ as _layers
from backscope.torch.nn.parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

__all__ = [
    "Buffer",
    "DataParallel",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "_reduction",
    "attention",
    "factory_kwargs",
    "functional",
    "grad",
    "init",
    "modules",
    "parallel",
    "parameter",
    "utils",
]
__all__ += _layers


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn", name, globals())
