"""The names of `torch.autograd.grad_mode`."""

from backscope.autograd.grad_layout import enforce_grad_layout_policy
from backscope.autograd.modes.grad_mode import enable_grad, no_grad, set_grad_enabled
from backscope.autograd.modes.inference_mode import inference_mode
from backscope.autograd.modes.multithreading import set_multithreading_enabled
from backscope.autograd.views.version_access import _unsafe_preserve_version_counter
from backscope.autograd.views.view_tracking import _force_original_view_tracking

__all__ = [
    "_force_original_view_tracking",
    "_unsafe_preserve_version_counter",
    "enable_grad",
    "enforce_grad_layout_policy",
    "inference_mode",
    "no_grad",
    "set_grad_enabled",
    "set_multithreading_enabled",
]
