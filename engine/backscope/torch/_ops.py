"""The names of `torch._ops`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.func.higher_order_ops import HigherOrderOperator
from backscope.ops.names.aten import OpOverload, OpOverloadPacket
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "HigherOrderOperator",
    "OpOverload",
    "OpOverloadPacket",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch._ops", name, globals())
