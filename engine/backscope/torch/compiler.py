"""The names of `torch.compiler`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.torch._backend.compiler import (
    compile,  # noqa: A004
    disable,
    disable as allow_in_graph,
    disable as assume_constant_result,
    is_compiling,
    is_compiling as is_dynamo_compiling,
    is_compiling as is_exporting,
    list_backends,
    reset,
    reset as cudagraph_mark_step_begin,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "cudagraph_mark_step_begin",
    "disable",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "reset",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.compiler", name, globals())
