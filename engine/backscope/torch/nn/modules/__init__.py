"""The names of `torch.nn.modules`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.torch.missing import missing_name as _missing_name
from backscope.torch.nn.modules import activation, container, linear, module
from backscope.torch.nn.modules.activation import *  # noqa: F403
from backscope.torch.nn.modules.activation import __all__ as _activation
from backscope.torch.nn.modules.container import *  # noqa: F403
from backscope.torch.nn.modules.container import __all__ as _container
from backscope.torch.nn.modules.linear import *  # noqa: F403
from backscope.torch.nn.modules.linear import __all__ as _linear
from backscope.torch.nn.modules.module import Module

__all__ = ["Module", "activation", "container", "linear", "module", *_activation, *_container, *_linear]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.modules", name, globals())
