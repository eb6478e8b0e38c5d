"""The names of `torch.autograd.forward_ad`."""

from typing import Any as _Any

from backscope.func.forward_ad import (
    UnpackedDualTensor,
    _is_fwd_grad_enabled,
    _set_fwd_grad_enabled,
    current_level as _level,
    dual_level,
    enter_dual_level,
    exit_dual_level,
    make_dual,
    unpack_dual,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "UnpackedDualTensor",
    "_is_fwd_grad_enabled",
    "_set_fwd_grad_enabled",
    "dual_level",
    "enter_dual_level",
    "exit_dual_level",
    "make_dual",
    "unpack_dual",
]


def __getattr__(name: str) -> _Any:
    if name == "_current_level":
        return _level()
    raise _missing_name("torch.autograd.forward_ad", name, globals())
