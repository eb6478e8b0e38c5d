"""Adding a gradient to a leaf's `.grad`, in place, out of place or by taking its memory over; assigning `.grad`."""

from __future__ import annotations

from sys import getrefcount
from typing import TYPE_CHECKING

import numpy as np

from backscope.autograd.grad_layout import check_layout, clone_in_layout, follows_layout, layout
from backscope.autograd.references import OWN
from backscope.autograd.views.lazy_views import follow, lazies
from backscope.runtime.error_facts import blame
from backscope.runtime.given import Value
from backscope.runtime.listening import hub
from backscope.tensor import meta
from backscope.tensor.dtype import C_NAMES, dtype
from backscope.tensor.sparse_values import Sparse
from backscope.tensor.strides import is_dense
from backscope.tensor.tensor import Tensor, make
from backscope.torch_dispatch.mode_stack import classes

if TYPE_CHECKING:
    from backscope.autograd.node import AccumulateGrad
    from backscope.autograd.task import Task

ndarray = np.ndarray


def accumulate(node: AccumulateGrad, task: Task) -> None:
    """Add the gradient waiting at `node` to its leaf's `.grad`.

    A first gradient becomes `.grad` in the leaf's memory layout, without a copy where nothing else refers to it (its
    memory may still be that of another tensor, as in PyTorch).  A later one is added in place, or out of place when the
    pass is recorded.
    """
    gradient = node.grad
    node.grad = None
    leaf = node.variable
    if gradient is None:
        return
    if leaf._grad_fn is not None or (leaf._view is not None and leaf._node() is not None):
        raise RuntimeError("leaf variable has been moved into the graph interior")
    if not leaf._requires_grad:
        return
    old = leaf._grad
    if classes and hasattr(type(gradient), "__torch_dispatch__"):
        _accumulate_subclass(leaf, gradient, task)
        return
    listener = hub.listener
    if old is None and listener is None and not meta.used:
        kind = leaf._dtype
        if gradient.__class__ is kind.scalar or (
            gradient.__class__ is ndarray
            and getrefcount(gradient) == OWN
            and gradient.dtype is kind.np
            and leaf._data.__class__ is ndarray
            and gradient.flags.c_contiguous
            and gradient.strides == leaf._data.strides
            and gradient.strides  # A value without dims may have been expanded, and could not be written to.
        ):
            leaf._grad = make(gradient, kind)
            return
    before_change: object = None
    stored = False
    if listener is not None:
        if (
            old is None
            and not task.on_tensors
            and (gradient.__class__ is ndarray or gradient.__class__ is leaf._dtype.scalar)
        ):
            stored = listener.waits is None or not listener.waits(node, leaf, gradient)
        if not stored:
            before_change = listener.accumulating(node, gradient, old)
            if hub.debugger is not None and leaf._grad is not old:  # The user assigned to it there.
                old = leaf._grad
                before_change = listener.grad_replaced(before_change, old)
    if task.on_tensors and not task.create_graph:
        gradient = gradient._data
    if task.create_graph:
        gradient = leaf._grad = _on_tape(gradient, leaf, old)
        if old is not None and gradient._data.__class__ is ndarray:
            check_layout(gradient, leaf)
    elif old is None:
        data = gradient
        copied = False
        if data.__class__ is ndarray:
            owners = OWN + (1 if node.hooks is None or not node.hooks.post else 2)  # `data` is another variable.
            if hub.keeper is not None and hub.keeper.holds(gradient):
                owners += 1
            owned = getrefcount(gradient) <= owners
            if not owned or (
                layout.enforced
                and not (data.flags.c_contiguous and data.strides == leaf._data.strides)
                and not follows_layout(data, leaf._data)
            ):
                data = clone_in_layout(data, leaf._data)
                copied = is_dense(leaf._data) if leaf._data.__class__ is ndarray else True
            if not data.ndim:
                data = data[()]  # An expanded value without dims may not be written to.
        elif isinstance(data, Sparse):
            owners = OWN + (1 if node.hooks is None or not node.hooks.post else 2)
            if getrefcount(gradient) > owners or not data.is_row_major:
                data = data.copy()
        elif not isinstance(data, np.generic):
            data = np.asanyarray(data)
        if meta.used and leaf.is_meta:
            data = meta.meta_array(data)
        kind = leaf._dtype
        made = leaf._grad = make(data, kind if data.dtype is kind.np else dtype.table[data.dtype])
        if copied:
            made._shared = [1]  # PyTorch writes the copy into new memory, which counts as a change.
    elif isinstance(old._data, Sparse) and not isinstance(gradient, Sparse):
        leaf._grad = make(gradient + old._data, leaf._dtype)
    else:
        _add_in_place(old, gradient)
        if old._data.__class__ is ndarray:
            check_layout(old, leaf)
    if listener is None:
        return
    if stored:
        listener.stored(node, leaf, gradient)
    else:
        listener.accumulated(leaf, before_change, in_place=old is not None and not task.create_graph)


def _accumulate_subclass(leaf: Tensor, gradient: Tensor, task: Task) -> None:
    """Accumulate a gradient of a class with a __torch_dispatch__, which handles the sum too."""
    if leaf._grad is None:
        leaf._grad = gradient if task.create_graph else gradient.detach()
    elif task.create_graph:
        leaf._grad = leaf._grad + gradient  # type: ignore[operator]
    else:
        leaf._grad.add_(gradient)  # type: ignore[attr-defined]


def _on_tape(gradient: Tensor, leaf: Tensor, old: Tensor | None) -> Tensor:
    if old is not None:
        total: Tensor = old + gradient  # type: ignore[operator]
        if total._data.__class__ is ndarray and total._data.strides != old._data.strides and is_dense(old._data):
            total._data = clone_in_layout(total._data, old._data)
        return total
    from backscope.ops.create.conversion import copied_in_layout

    return copied_in_layout(gradient, leaf)


def _unfitting(shape: tuple[int, ...], other: tuple[int, ...]) -> RuntimeError:
    """Return the error for a gradient that does not fit a `.grad` of another shape."""
    from backscope.ops.core.elementwise import broadcast_shape

    common = broadcast_shape(shape, other)
    return RuntimeError(f"output with shape {list(shape)} doesn't match the broadcast shape {list(common)}")


def _add_in_place(old: Tensor, gradient: Value) -> None:
    data = old._data
    given = gradient.dtype
    if given is not data.dtype and dtype.table[given].category > old._dtype.category:
        raise RuntimeError(
            f"result type {dtype.table[given].type_name} can't be cast to the desired output type "
            f"{old._dtype.type_name}"
        )
    if isinstance(gradient, Sparse):
        old._data = data.joined(gradient) if isinstance(data, Sparse) else gradient.added_to(data)
    elif isinstance(data, ndarray):
        if 0 in data.strides:
            from backscope.ops.core.writing import check_written

            check_written(old)
        if hub.keeper is not None:
            hub.keeper.before_change(data)
        try:
            np.add(data, gradient, out=data, casting="unsafe")
        except ValueError:
            raise _unfitting(data.shape, gradient.shape) from None
    else:
        old._data = (data + gradient).astype(data.dtype)
    old._counter()[0] += 1
    if lazies:
        follow(old)


def assign_grad(tensor: Tensor, value: Tensor | None) -> None:
    """Set `tensor.grad`; raise for a value of another type, dtype or shape, and for the tensor itself."""
    old = tensor._grad  # It must not be freed before the listener is called.
    if value is None:
        tensor._grad = None
        if hub.listener is not None and old is not None:
            hub.listener.grad_cleared(tensor, "none")
        return
    if not isinstance(value, Tensor):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
    if value is tensor:
        raise RuntimeError("can't assign Variable as its own grad")
    kind = tensor._dtype if tensor._extra is None else tensor._extra.grad_dtype(tensor)
    if kind is not None and value._dtype is not kind:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{_c_type(value)}' to a tensor with grad_dtype "
            f"'{kind.type_name}'. The gradient must match the tensor's grad_dtype (defaults to the tensor's "
            "dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. "
            "Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break downstream "
            "systems that assume they match."
        )
    if value._data.shape != tensor._data.shape:
        error = RuntimeError(
            f"attempting to assign a gradient of size '{list(value._data.shape)}' to a tensor of size "
            f"'{list(tensor._data.shape)}'. Please ensure that the gradient and the tensor are the same size"
        )
        raise blame(error, "assigned_gradient", tensor=tensor)
    if value._data.__class__ is not tensor._data.__class__ and value.device != tensor.device:
        raise RuntimeError(
            f"attempting to assign a gradient with device type '{value.device}' to a tensor with device type "
            f"'{tensor.device}'. Please ensure that the gradient and the tensor are on the same device"
        )
    tensor._grad = value
    if hub.listener is not None:
        hub.listener.grad_cleared(tensor, "assigned")


def _c_type(tensor: Tensor) -> str:
    return C_NAMES.get(tensor._dtype.name, tensor._dtype.name)
