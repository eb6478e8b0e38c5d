"""The names of `torch.nn.utils`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.torch.missing import missing_name as _missing_name
from backscope.torch.nn.utils import rnn

__all__ = ["rnn"]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.utils", name, globals())
