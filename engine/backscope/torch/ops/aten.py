"""The names of `torch.ops.aten`."""

from __future__ import annotations

from typing import Any as _Any

import backscope.ops.names.all  # noqa: F401 - declares the ops
from backscope.ops.names.aten import names as _names, packet as _packet
from backscope.torch.missing import missing_name as _missing_name


def __getattr__(name: str) -> _Any:
    found = _packet(name)
    if found is None:
        raise _missing_name("torch.ops.aten", name, _names())
    return found
