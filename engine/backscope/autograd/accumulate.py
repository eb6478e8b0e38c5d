"""Adding gradients to `.grad`: PyTorch's layout contract, when a buffer may be stolen, and assignment by the user."""

from __future__ import annotations

from sys import getrefcount
from typing import TYPE_CHECKING, Any

import numpy as np

from backscope.autograd.geometry import is_dense
from backscope.listening import hub
from backscope.tensor import Tensor, make

if TYPE_CHECKING:
    from backscope.autograd.node import AccumulateGrad
    from backscope.autograd.task import Task

ndarray = np.ndarray


def accumulate(node: AccumulateGrad, task: Task) -> None:
    """Add the gradient waiting at `node` to its leaf's `.grad`.

    A first gradient becomes `.grad` in the leaf's memory layout, without a copy where nobody else can see its buffer.
    A later one is added in place, or out of place when the pass is recorded.
    """
    gradient = node.grad
    node.grad = None
    leaf = node.variable
    if node.hooks is not None:
        from backscope.autograd.formula import as_tensor

        gradient = node.hooks.before(node, [as_tensor(gradient)])[0]
        if gradient is not None and not task.create_graph:
            gradient = gradient._data
    if gradient is None or not leaf._requires_grad:
        return
    old = leaf._grad
    listener = hub.listener
    before = added = None
    if listener is not None:
        listener.accumulating(node, gradient)
        before = listener.snapshot(old)
        added = listener.gradient(gradient)
    if task.create_graph:
        gradient = _on_tape(gradient, leaf, old)
        leaf._grad = gradient
    elif old is None:
        data = gradient
        if data.__class__ is ndarray:
            owned = getrefcount(gradient) <= 3 if data.base is None else _owns_base(data)
            if not owned or not follows_layout(data, leaf._data):
                data = clone_in_layout(data, leaf._data)
        elif not isinstance(data, np.generic):
            data = np.asarray(data)
        leaf._grad = make(data, leaf._dtype)
    else:
        _add_in_place(old, gradient)
    if listener is not None:
        listener.accumulated(node, leaf, before, added, in_place=old is not None and not task.create_graph)
    if node.hooks is not None:
        node.hooks.accumulated(node, leaf)


def _on_tape(gradient: Tensor, leaf: Tensor, old: Tensor | None) -> Tensor:
    if old is not None:
        return old + gradient  # type: ignore[operator, no-any-return]
    from backscope.ops.conversion import copy_in_layout

    copied: Tensor = copy_in_layout(gradient, leaf)
    return copied


def _add_in_place(old: Tensor, gradient: Any) -> None:
    data = old._data
    if isinstance(data, ndarray):
        np.add(data, gradient, out=data, casting="unsafe")
    else:
        old._data = (data + gradient).astype(data.dtype)
    old._counter()[0] += 1


def _owns_base(data: Any) -> bool:
    base = data.base
    return isinstance(base, ndarray) and base.base is None and getrefcount(base) <= 3


def follows_layout(gradient: Any, leaf: Any) -> bool:
    """The layout contract: the strides of a dense leaf, row-major for any other; a broadcast never does."""
    flags = gradient.flags
    if gradient.strides == leaf.strides and flags.forc:
        return True
    if not flags.writeable:
        return False
    if not isinstance(leaf, ndarray) or not is_dense(leaf):
        return bool(flags.c_contiguous)
    return all(a == b for a, b, n in zip(gradient.strides, leaf.strides, gradient.shape, strict=True) if n != 1)


def clone_in_layout(gradient: Any, leaf: Any) -> Any:
    """A copy of a raw gradient that keeps the layout contract."""
    if isinstance(leaf, ndarray) and is_dense(leaf) and leaf.shape == gradient.shape:
        out = np.empty_like(leaf, dtype=gradient.dtype, order="K")
        out[...] = gradient
        return out
    return np.array(gradient, order="C")


def assign_grad(tensor: Tensor, value: Tensor | None) -> None:
    """What `tensor.grad = value` does; refuses another type, dtype, shape, or the tensor itself."""
    if value is None:
        had = tensor._grad is not None
        tensor._grad = None
        if hub.listener is not None and had:
            hub.listener.grad_cleared(tensor, "none")
        return
    if not isinstance(value, Tensor):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
    if value is tensor:
        raise RuntimeError("can't assign Variable as its own grad")
    if value._dtype is not tensor._dtype:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{_c_type(value)}' to a tensor with grad_dtype "
            f"'{tensor._dtype.type_name}'. The gradient must match the tensor's grad_dtype (defaults to the tensor's "
            "dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. "
            "Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break downstream "
            "systems that assume they match."
        )
    if value._data.shape != tensor._data.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(value._data.shape)}' to a tensor of size "
            f"'{list(tensor._data.shape)}'. Please ensure that the gradient and the tensor are the same size"
        )
    tensor._grad = value
    if hub.listener is not None:
        hub.listener.grad_cleared(tensor, "assigned")


def _c_type(tensor: Tensor) -> str:
    names = {"float32": "float", "float64": "double", "float16": "c10::Half", "bfloat16": "c10::BFloat16"}
    return names.get(tensor._dtype.name, tensor._dtype.name)
