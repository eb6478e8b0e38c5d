"""The names of `torch._subclasses.fake_tensor`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.func.uncompiled import uncompiled as _uncompiled
from backscope.torch.missing import missing_name as _missing_name

FakeTensor = _uncompiled("FakeTensor")
FakeTensorMode = _uncompiled("FakeTensorMode")

__all__ = [
    "FakeTensor",
    "FakeTensorMode",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch._subclasses.fake_tensor", name, globals())
