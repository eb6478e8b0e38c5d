"""The names of `torch._C._functorch`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.func.interpreter import (
    TransformType,
    add_batch_dim as _add_batch_dim,
    current_level,
    decrement as _grad_decrement_nesting,
    decrement as _jvp_decrement_nesting,
    decrement as _vmap_decrement_nesting,
    dlevel,
    get_single_level_autograd_function_allowed,
    get_unwrapped,
    increment_grad as _grad_increment_nesting,
    increment_jvp as _jvp_increment_nesting,
    increment_vmap as _vmap_increment_nesting,
    innermost as peek_interpreter_stack,
    interpreters as get_interpreter_stack,
    is_batchedtensor,
    is_dead_tensor_wrapper,
    is_functionaltensor,
    is_functorch_wrapped_tensor,
    is_gradtrackingtensor,
    maybe_current_level,
    maybe_get_bdim,
    maybe_get_level,
    remove_batch_dim as _remove_batch_dim,
    set_single_level_autograd_function_allowed,
    unwrap_batched as _unwrap_batched,
    unwrap_for_grad as _unwrap_for_grad,
    unwrap_if_dead,
    wrap_for_grad as _wrap_for_grad,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "TransformType",
    "_add_batch_dim",
    "_grad_decrement_nesting",
    "_grad_increment_nesting",
    "_jvp_decrement_nesting",
    "_jvp_increment_nesting",
    "_remove_batch_dim",
    "_unwrap_batched",
    "_unwrap_for_grad",
    "_vmap_decrement_nesting",
    "_vmap_increment_nesting",
    "_wrap_for_grad",
    "current_level",
    "dlevel",
    "get_interpreter_stack",
    "get_single_level_autograd_function_allowed",
    "get_unwrapped",
    "is_batchedtensor",
    "is_dead_tensor_wrapper",
    "is_functionaltensor",
    "is_functorch_wrapped_tensor",
    "is_gradtrackingtensor",
    "maybe_current_level",
    "maybe_get_bdim",
    "maybe_get_level",
    "peek_interpreter_stack",
    "set_single_level_autograd_function_allowed",
    "unwrap_if_dead",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch._C._functorch", name, globals())
