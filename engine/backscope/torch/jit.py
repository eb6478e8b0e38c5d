"""The names of `torch.jit`."""

from __future__ import annotations

from typing import Any as _Any, Final

from backscope.nn.module.module import Module as ScriptModule
from backscope.torch._backend.scripting import (
    annotate,
    fork,
    never as is_scripting,
    never as is_tracing,
    no_archive as load,
    no_archive as save,
    script,
    trace,
    trace as trace_module,
    unchanged as export,
    unchanged as freeze,
    unchanged as ignore,
    unchanged as interface,
    unchanged as optimize_for_inference,
    unchanged as script_if_tracing,
    unchanged as script_method,
    unchanged as unused,
    wait,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "Final",
    "ScriptModule",
    "annotate",
    "export",
    "fork",
    "freeze",
    "ignore",
    "interface",
    "is_scripting",
    "is_tracing",
    "load",
    "optimize_for_inference",
    "save",
    "script",
    "script_if_tracing",
    "script_method",
    "trace",
    "trace_module",
    "unused",
    "wait",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.jit", name, globals())
