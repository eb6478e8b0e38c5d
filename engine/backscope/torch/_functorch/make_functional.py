"""The names of `torch._functorch.make_functional`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.make_functional import (
    FunctionalModule,
    FunctionalModuleWithBuffers,
    combine_state_for_ensemble,
    extract_buffers,
    extract_weights,
    functional_init,
    functional_init_with_buffers,
    load_buffers,
    load_state,
    load_weights,
    make_functional,
    make_functional_deprecated_v1,
    make_functional_with_buffers,
    make_functional_with_buffers_deprecated_v1,
    transpose_stack,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "FunctionalModule",
    "FunctionalModuleWithBuffers",
    "combine_state_for_ensemble",
    "extract_buffers",
    "extract_weights",
    "functional_init",
    "functional_init_with_buffers",
    "load_buffers",
    "load_state",
    "load_weights",
    "make_functional",
    "make_functional_deprecated_v1",
    "make_functional_with_buffers",
    "make_functional_with_buffers_deprecated_v1",
    "transpose_stack",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch._functorch.make_functional", name, globals())
