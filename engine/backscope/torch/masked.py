"""The names of `torch.masked`."""

from __future__ import annotations

from typing import Any as _Any

import backscope.ops.names.all  # noqa: F401 - declares the ops
from backscope.ops.reduce.masked_reduction import masked as _masked
from backscope.torch.missing import missing_name as _missing_name

globals().update(_masked)


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.masked", name, globals())
