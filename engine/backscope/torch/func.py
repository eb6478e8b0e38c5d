"""The names of `torch.func`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.func.forward_transforms import debug_unwrap, jacfwd, jvp, linearize
from backscope.func.functional_call import functional_call, stack_module_state
from backscope.func.functionalize import functionalize
from backscope.func.reverse_transforms import grad, grad_and_value, hessian, jacrev, vjp
from backscope.func.vmap import vmap
from backscope.nn.layers.batch_normalization import replace_all_batch_norm_modules_
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "debug_unwrap",
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.func", name, globals())
