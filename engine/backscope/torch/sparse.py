"""The names of `torch.sparse`."""

from __future__ import annotations

from typing import Any as _Any

import backscope.ops.names.all  # noqa: F401 - declares the ops
from backscope.ops.sparse.sparse_arithmetic import sparse as _sparse
from backscope.torch.missing import missing_name as _missing_name

globals().update(_sparse)


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.sparse", name, globals())
