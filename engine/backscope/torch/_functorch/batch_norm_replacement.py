"""The names of `torch._functorch.batch_norm_replacement`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.layers.batch_normalization import replace_all_batch_norm_modules_
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "replace_all_batch_norm_modules_",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch._functorch.batch_norm_replacement", name, globals())
