"""The names of `torch.utils.flop_counter`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.flop_counter import FlopCounterMode, register_flop_formula, registry as flop_registry
from backscope.torch.missing import missing_name as _missing_name

__all__ = ["FlopCounterMode", "flop_registry", "register_flop_formula"]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.utils.flop_counter", name, globals())
