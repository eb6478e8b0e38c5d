"""The names of `torch._functorch.deprecated`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.torch._backend.deprecated_transforms import (
    combine_state_for_ensemble,
    functionalize,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    make_functional,
    make_functional_with_buffers,
    vjp,
    vmap,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "combine_state_for_ensemble",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "make_functional",
    "make_functional_with_buffers",
    "vjp",
    "vmap",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch._functorch.deprecated", name, globals())
