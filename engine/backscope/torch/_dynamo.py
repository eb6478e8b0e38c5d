"""The names of `torch._dynamo`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.torch._backend.compiler import disable, disable as allow_in_graph, disable as graph_break, is_compiling
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "allow_in_graph",
    "disable",
    "graph_break",
    "is_compiling",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch._dynamo", name, globals())
