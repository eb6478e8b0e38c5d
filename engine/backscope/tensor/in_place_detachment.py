"""Tensor.detach_: takes a tensor off the tape in place."""

from __future__ import annotations

from backscope.autograd.hooks.user_hooks import keep_detached
from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.transforms.transform_refusals import refuse_captured
from backscope.ops.core.writing import announce
from backscope.runtime.listening import hub
from backscope.tensor.tensor import Tensor
from backscope.tensor.version_counter import DetachedCounter

VIEW_DETACHED = (
    "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) "
    "for training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and "
    "hence detach_() cannot be called on these gradients. To fix this error, please refer to the "
    "Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution."
)


def detach_in_place(tensor: Tensor) -> None:
    """Make `tensor` a leaf that does not require grad; RuntimeError for a view."""
    refuse_captured(tensor, "detach_")
    if mode.inference:
        announce(tensor)
        return
    if tensor._is_view():
        raise RuntimeError(VIEW_DETACHED)
    if tensor._extra is not None:
        keep_detached(tensor)
    if tensor._grad_fn is not None:
        tensor._shared = DetachedCounter(tensor._counter())
    tensor._grad_fn = tensor._output_nr = None
    tensor._requires_grad = False
    if hub.listener is not None:
        hub.listener.requires_grad_changed(tensor)
