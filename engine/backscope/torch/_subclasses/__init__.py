"""The names of `torch._subclasses`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.torch._subclasses import fake_tensor
from backscope.torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "FakeTensor",
    "FakeTensorMode",
    "fake_tensor",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch._subclasses", name, globals())
