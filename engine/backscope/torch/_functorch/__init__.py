"""The names of `torch._functorch`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.torch._functorch import (
    aot_autograd,
    apis,
    autograd_function,
    batch_norm_replacement,
    deprecated,
    eager_transforms,
    functional_call,
    make_functional,
    pyfunctorch,
    python_key,
    utils,
    vmap,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "aot_autograd",
    "apis",
    "autograd_function",
    "batch_norm_replacement",
    "deprecated",
    "eager_transforms",
    "functional_call",
    "make_functional",
    "pyfunctorch",
    "python_key",
    "utils",
    "vmap",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch._functorch", name, globals())
