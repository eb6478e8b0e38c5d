"""The names of `torch._C._nn`: the functions of layers, as torch.nn.functional has them."""

from __future__ import annotations

from typing import Any as _Any

from backscope.torch.missing import missing_name as _missing_name
from backscope.torch.nn import functional as _functional


def __getattr__(name: str) -> _Any:
    found = None if name.startswith("__") else vars(_functional).get(name)
    if found is None:
        raise _missing_name("torch._C._nn", name, vars(_functional))
    return found
