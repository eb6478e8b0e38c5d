"""The names of `torch._functorch.eager_transforms`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.func.forward_transforms import debug_unwrap, jacfwd, jvp, linearize
from backscope.func.functionalize import functionalize
from backscope.func.reverse_transforms import hessian, jacrev, vjp
from backscope.func.transform_arguments import Argnums as argnums_t, select as _slice_argnums
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "_slice_argnums",
    "argnums_t",
    "debug_unwrap",
    "functionalize",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "vjp",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch._functorch.eager_transforms", name, globals())
