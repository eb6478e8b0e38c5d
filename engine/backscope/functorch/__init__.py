"""The names of the package functorch, which came before torch.func."""

from __future__ import annotations

from typing import Any as _Any

from backscope.func.uncompiled import uncompiled as _uncompiled
from backscope.nn.make_functional import FunctionalModule, FunctionalModuleWithBuffers
from backscope.runtime.version import TORCH_VERSION as __version__
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

make_fx = _uncompiled("make_fx")

__all__ = [
    "FunctionalModule",
    "FunctionalModuleWithBuffers",
    "__version__",
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
    "make_fx",
    "vjp",
    "vmap",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("functorch", name, globals())
