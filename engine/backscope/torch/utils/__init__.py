"""The names of `torch.utils`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.torch.missing import missing_name as _missing_name
from backscope.torch.utils import (
    _foreach_utils,
    _mode_utils,
    _python_dispatch,
    _pytree,
    checkpoint,
    data,
    dlpack,
    hooks,
    model_zoo,
)

__all__ = [
    "_foreach_utils",
    "_mode_utils",
    "_python_dispatch",
    "_pytree",
    "checkpoint",
    "data",
    "dlpack",
    "hooks",
    "model_zoo",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.utils", name, globals())
