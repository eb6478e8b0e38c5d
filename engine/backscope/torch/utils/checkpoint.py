"""The names of `torch.utils.checkpoint`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.autograd.checkpoint.checkpoint import (
    CheckpointFunction,
    DefaultDeviceType,
    check_backward_validity,
    checkpoint,
    checkpoint_sequential,
    detach_variable,
    get_device_states,
    noop_context_fn,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
    set_device_states,
)
from backscope.autograd.checkpoint.recomputation import (
    CheckpointError,
    GraphExecGroup,
    _Enough as _StopRecomputationError,
)
from backscope.torch.missing import missing_name as _missing_name
from backscope.torch_dispatch.selective_checkpoint import (
    SAC_IGNORED_OPS,
    CheckpointPolicy,
    SelectiveCheckpointContext,
    _CachedTorchDispatchMode,
    _CachingTorchDispatchMode,
    create_selective_checkpoint_contexts,
)

__all__ = [
    "SAC_IGNORED_OPS",
    "CheckpointError",
    "CheckpointFunction",
    "CheckpointPolicy",
    "DefaultDeviceType",
    "GraphExecGroup",
    "SelectiveCheckpointContext",
    "_CachedTorchDispatchMode",
    "_CachingTorchDispatchMode",
    "_StopRecomputationError",
    "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential",
    "create_selective_checkpoint_contexts",
    "detach_variable",
    "get_device_states",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
    "set_device_states",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.utils.checkpoint", name, globals())
