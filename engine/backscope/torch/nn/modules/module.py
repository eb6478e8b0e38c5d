"""The names of `torch.nn.modules.module`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.module.call import (
    has_any_global_hook as _has_any_global_hook,
    register_module_backward_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
)
from backscope.nn.module.module import (
    Module,
    T,
    _forward_unimplemented as _forward_unimplemented,
    indented as _addindent,
)
from backscope.nn.module.module_state import (
    EXTRA_STATE as _EXTRA_STATE_KEY_SUFFIX,
    WrappedHook as _WrappedHook,
    _IncompatibleKeys,
)
from backscope.nn.module.registration import (
    register_module_buffer_registration_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "_EXTRA_STATE_KEY_SUFFIX",
    "Module",
    "T",
    "_IncompatibleKeys",
    "_WrappedHook",
    "_addindent",
    "_has_any_global_hook",
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
