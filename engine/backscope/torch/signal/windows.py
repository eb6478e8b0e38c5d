"""The names of `torch.signal.windows`."""

from __future__ import annotations

from typing import Any as _Any

import backscope.ops.names.all  # noqa: F401 - declares the ops
from backscope.ops.fft.windows import windows as _windows
from backscope.torch.missing import missing_name as _missing_name

globals().update(_windows)


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.signal.windows", name, globals())
