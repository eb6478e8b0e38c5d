"""The names of `torch.autograd`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.autograd.anomaly import detect_anomaly, set_detect_anomaly
from backscope.autograd.backward_and_grad import backward, grad
from backscope.autograd.function.function import Function
from backscope.autograd.grad_layout import enforce_grad_layout_policy
from backscope.autograd.modes.grad_mode import enable_grad, no_grad, set_grad_enabled
from backscope.autograd.modes.inference_mode import inference_mode
from backscope.autograd.modes.multithreading import is_multithreading_enabled, set_multithreading_enabled
from backscope.autograd.root_gradients import compared_shapes as _calculate_shape
from backscope.autograd.saved.saved_hooks import SavedTensor
from backscope.autograd.variable import Variable
from backscope.autograd.views.version_access import _unsafe_preserve_version_counter
from backscope.autograd.views.view_tracking import _force_original_view_tracking, is_view_replay_enabled
from backscope.torch._backend.profiling import has_kineto as kineto_available, is_profiling as _profiler_enabled
from backscope.torch.autograd import (
    anomaly_mode,
    forward_ad,
    function,
    functional,
    grad_mode,
    graph,
    profiler,
    profiler_util,
    variable,
)
from backscope.torch.autograd.gradcheck import gradcheck, gradgradcheck
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "Function",
    "SavedTensor",
    "Variable",
    "_calculate_shape",
    "_force_original_view_tracking",
    "_profiler_enabled",
    "_unsafe_preserve_version_counter",
    "anomaly_mode",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "enforce_grad_layout_policy",
    "forward_ad",
    "function",
    "functional",
    "grad",
    "grad_mode",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "is_multithreading_enabled",
    "is_view_replay_enabled",
    "kineto_available",
    "no_grad",
    "profiler",
    "profiler_util",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
    "variable",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.autograd", name, globals())
