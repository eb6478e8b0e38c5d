"""The backward pass while a mode is entered: nodes' formulas run op by op, each dispatched to the modes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backscope.autograd.formula import as_tensor, run_recorded
from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.node import SavedResult
from backscope.autograd.saved.saved_tensors import unpack
from backscope.ops.core.tensor_geometry import constants
from backscope.runtime.given import Value
from backscope.runtime.listening import hub
from backscope.tensor.tensor import Tensor, of_raw
from backscope.torch_dispatch.interception import detach_saved, emit
from backscope.torch_dispatch.mode_stack import stack

if TYPE_CHECKING:
    from backscope.autograd.node import Node


def unpacking(node: Node) -> None:
    """Report to the modes that a node unpacks its own saved results."""
    for k, entry in enumerate(node.saved or ()):
        if entry.__class__ is SavedResult:
            result = unpack(node, k)
            if result._requires_grad:
                detach_saved(result)


def run(node: Node, g: Value, needs: tuple[bool, ...] | None = None) -> list[Any]:
    """Return the gradients of a node's inputs as raw values; `needs` marks the wanted ones, None means all."""
    gradient = [as_tensor(x) for x in g] if node.multi else of_raw(g)
    before = mode.enabled
    mode.enabled = False
    listener, hub.listener = hub.listener, None
    try:
        return [None if x is None else x._data for x in _gradients(node, gradient, needs)]
    finally:
        hub.listener = listener
        mode.enabled = before


_KERNELS = {"silu": "silu_backward", "mish": "mish_backward"}
"""Ops with a gradient that PyTorch computes by one kernel unless it is recorded itself."""


def _gradients(node: Any, gradient: Value, needs: tuple[bool, ...] | None) -> Any:
    name = None if node.composite else node.op.name
    if name in _KERNELS:
        (raw,) = node.plan.run(node, gradient._data)
        return [emit(_KERNELS[name], "default", (gradient, unpack(node, 0)), {}, as_tensor(raw))]
    return run_recorded(node, gradient, needs)


def seed(gradient: Tensor, root: Value) -> Value:
    """Return the gradient of ones that a pass starts from, dispatched to the modes."""
    options = {"pin_memory": False, "memory_format": constants["preserve_format"]}
    found = emit("ones_like", "default", (root,), options, gradient)
    return found if isinstance(found, Tensor) else gradient


def total(before: Value, gradient: Value, result: Value) -> None:
    """Add two raw gradients for one node, dispatched to the modes."""
    if stack.modes:
        emit("add", "Tensor", (as_tensor(before), as_tensor(gradient)), {}, as_tensor(result))


def accumulated(leaf: Value, old: Value, added: Value) -> None:
    """Report the accumulation of a gradient in a leaf: stored, copied to memory of its own, or `added` to `old`."""
    now = leaf._grad
    if old is not None:
        emit("add_", "Tensor", (old, as_tensor(added)), {}, old)
    elif now._shared is None:
        emit("detach", "default", (now,), {}, now)
    else:
        data = now._array()
        layout = {"dtype": now._dtype, "layout": now.layout, "device": now.device}
        strides = [s // data.itemsize for s in data.strides]
        emit("new_empty_strided", "default", (now, list(data.shape), strides), layout, now)
        emit("copy_", "default", (now, now), {}, now)
