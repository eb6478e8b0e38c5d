"""The names of `torch.nn.modules.utils`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.layers.lengths import (
    pair as _pair,
    quadruple as _quadruple,
    repeated_backwards as _reverse_repeat_tuple,
    single as _single,
    triple as _triple,
    tuples_of as _ntuple,
    with_defaults as _list_with_default,
)
from backscope.nn.module.state_prefix import consume_prefix_in_state_dict_if_present
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "_list_with_default",
    "_ntuple",
    "_pair",
    "_quadruple",
    "_reverse_repeat_tuple",
    "_single",
    "_triple",
    "consume_prefix_in_state_dict_if_present",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.modules.utils", name, globals())
