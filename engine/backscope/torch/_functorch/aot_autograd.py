"""The names of `torch._functorch.aot_autograd`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.func.uncompiled import uncompiled as _uncompiled
from backscope.torch.missing import missing_name as _missing_name

aot_export_module = _uncompiled("aot_export_module")
aot_function = _uncompiled("aot_function")
aot_module = _uncompiled("aot_module")
aot_module_simplified = _uncompiled("aot_module_simplified")
make_boxed_compiler = _uncompiled("make_boxed_compiler")

__all__ = [
    "aot_export_module",
    "aot_function",
    "aot_module",
    "aot_module_simplified",
    "make_boxed_compiler",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch._functorch.aot_autograd", name, globals())
