"""The names of `torch._C` by which programs query the engine."""

from backscope.autograd.engine_queries import (
    current_autograd_node as _current_autograd_node,
    current_graph_task_execution_order as _current_graph_task_execution_order,
    current_graph_task_id as _current_graph_task_id,
    will_engine_execute_node as _will_engine_execute_node,
)
from backscope.autograd.grad_layout import is_layout_enforced as _is_grad_layout_enforcement_enabled
from backscope.autograd.modes.grad_mode import is_grad_enabled, switch as _set_grad_enabled
from backscope.autograd.modes.inference_mode import is_inference_mode_enabled
from backscope.autograd.saved.weak_tensor import WeakTensorRef as _WeakTensorRef
from backscope.autograd.transforms.level import outside_transforms as _DisableFuncTorch
from backscope.func.dispatch_key import (
    DispatchKey,
    DispatchKeySet,
    below_autograd as _AutoDispatchBelowAutograd,
    excluded as _dispatch_tls_local_exclude_set,
    excluding as _ExcludeDispatchKeyGuard,
)
from backscope.func.forward_ad import _is_fwd_grad_enabled, set_fwd_grad_enabled as _set_fwd_grad_enabled
from backscope.tensor.overrides import (
    DisableTorchFunction,
    DisableTorchFunctionSubclass,
    disabled_torch_function as _disabled_torch_function_impl,
)
from backscope.tensor.tensor import Tensor as TensorBase
from backscope.torch._C import _autograd, _functions, _functorch, _nn
from backscope.torch.utils._mode_utils import no_dispatch as _DisableTorchDispatch

has_lapack = True
"""Linear algebra is numpy's."""

__all__ = [
    "DisableTorchFunction",
    "DisableTorchFunctionSubclass",
    "DispatchKey",
    "DispatchKeySet",
    "TensorBase",
    "_AutoDispatchBelowAutograd",
    "_DisableFuncTorch",
    "_DisableTorchDispatch",
    "_ExcludeDispatchKeyGuard",
    "_WeakTensorRef",
    "_autograd",
    "_current_autograd_node",
    "_current_graph_task_execution_order",
    "_current_graph_task_id",
    "_disabled_torch_function_impl",
    "_dispatch_tls_local_exclude_set",
    "_functions",
    "_functorch",
    "_is_fwd_grad_enabled",
    "_is_grad_layout_enforcement_enabled",
    "_nn",
    "_set_fwd_grad_enabled",
    "_set_grad_enabled",
    "_will_engine_execute_node",
    "has_lapack",
    "is_grad_enabled",
    "is_inference_mode_enabled",
]
