"""Dual tensors: how a tensor gets a tangent in forward mode, and how the tangent is read back."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.modes.forward_mode import forward_mode
from backscope.autograd.transforms.level import dual_level
from backscope.autograd.transforms.transform_tensor import TransformTensor
from backscope.runtime.given import Value
from backscope.runtime.listening import hub


def tangent_of(tensor: Value) -> Value:
    """Return the tangent of a tensor at its level; None where it has none or its dual level has ended."""
    if not forward_mode.enabled:
        return None
    if tensor.__class__ is not TransformTensor:
        return (
            _inherited(tensor) if tensor._view is not None and tensor._view.base.__class__ is TransformTensor else None
        )
    found = tensor.tangent
    if found is None:
        return _inherited(tensor) if tensor._view is not None else None
    return found if tensor.tangent_level is not None and tensor.tangent_level.is_open else None


def _inherited(view: Value) -> Any:
    """Give a view the same view of its base's tangent, where the base got its tangent after the view was made."""
    base = view._view.base
    found = base.tangent if base.__class__ is TransformTensor else None
    if found is None or not base.tangent_level.is_open:
        return None
    part = _viewed_alike(view, base, found)
    set_tangent(view, part)
    return part


def _viewed_alike(view: Value, base: Value, tangent: Value) -> Any:
    """Return the view of `tangent` that covers the same elements as `view` does of `base`."""
    from backscope.autograd.views.view_history import replayed
    from backscope.tensor.strides import geometry, offset_in_storage

    if view._view.replay is not None:
        return replayed(view._view.replay, tangent)
    shape, strides, offset = geometry(base._array(), view._array())
    return tangent.as_strided(shape, strides, offset_in_storage(tangent._array()) + offset)


def laid_out_like(tangent: Value, primal: Value) -> Value:
    """Return a new tensor with the strides and offset of `primal`, mapped over by the vmaps that map over `tangent`."""
    from backscope.tensor.strides import element_strides

    array = primal._array()
    strides = element_strides(array)
    offset = primal.storage_offset() if isinstance(array, np.ndarray) else 0
    if not offset or (tangent.__class__ is TransformTensor and tangent.batched):
        return tangent.new_empty_strided(array.shape, strides)
    reach = 1 + sum((n - 1) * s for n, s in zip(array.shape, strides, strict=True))
    return tangent.new_empty_strided((offset + reach,), (1,)).as_strided(array.shape, strides, offset)


def _in_layout(tangent: Value, primal: Value) -> Any:
    """Return the tangent with the strides of its primal, copied if need be, so that both can be viewed alike."""
    own, wanted = tangent._data, primal._data
    if own.strides == wanted.strides or own.itemsize != wanted.itemsize or own.shape != wanted.shape:
        return tangent
    if all(n == 1 or a == b for n, a, b in zip(own.shape, own.strides, wanted.strides, strict=True)) or not own.size:
        return tangent
    if any(n > 1 and not b for n, b in zip(own.shape, wanted.strides, strict=True)):
        return tangent
    listener, hub.listener = hub.listener, None
    try:
        return laid_out_like(tangent, primal).copy_(tangent)
    finally:
        hub.listener = listener


def set_tangent(tensor: Value, tangent: Value) -> None:
    """Make a tensor a dual tensor in place, with this tangent for as long as the dual level is open."""
    if tensor.__class__ is not TransformTensor:
        tensor.__class__ = TransformTensor
    tensor.tangent = _in_layout(tangent, tensor)
    tensor.tangent_level = dual_level()
