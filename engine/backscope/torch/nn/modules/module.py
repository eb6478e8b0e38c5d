"""The names of `torch.nn.modules.module`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.call import (
    register_module_backward_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
)
from backscope.nn.module import Module
from backscope.nn.registration import (
    register_module_buffer_registration_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from backscope.nn.state import _IncompatibleKeys
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "Module",
    "_IncompatibleKeys",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.modules.module", name, globals())
