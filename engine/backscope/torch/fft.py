"""The names of `torch.fft`."""

from __future__ import annotations

from typing import Any as _Any

import backscope.ops.names.all  # noqa: F401 - declares the ops
from backscope.ops.core.arguments.out_arguments import with_out as _with_out
from backscope.ops.fft.fourier import fft as _fft
from backscope.torch.missing import missing_name as _missing_name

globals().update(_with_out(_fft, "fft"))


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.fft", name, globals())
