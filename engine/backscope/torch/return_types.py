"""The names of `torch.return_types`."""

from __future__ import annotations

from typing import Any as _Any

import backscope.ops.names.all  # noqa: F401 - declares the ops
from backscope.ops.core.return_types import out_type as _out_type, return_types as _return_types
from backscope.torch.missing import missing_name as _missing_name

__all__: list[str] = []


def __getattr__(name: str) -> _Any:
    kind = _return_types.get(name)
    if kind is None and name.removesuffix("_out") in _return_types:
        kind = _out_type(_return_types[name.removesuffix("_out")])
    if kind is None:
        raise _missing_name("torch.return_types", name, _return_types)
    return kind
