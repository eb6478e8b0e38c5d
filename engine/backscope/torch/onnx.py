"""The names of `torch.onnx`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.torch._backend.downloads import no_export as export
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "export",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.onnx", name, globals())
