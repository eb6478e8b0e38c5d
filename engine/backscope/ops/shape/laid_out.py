"""New tensors with a given memory layout: by strides, or by the order of their dims."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.transforms.level import levels
from backscope.autograd.transforms.new_tensor import created_like
from backscope.ops.core.arguments.dims import sizes
from backscope.ops.core.namespace import export
from backscope.ops.create.creation import born
from backscope.runtime.given import Device, Dtype, MemoryFormat, Shape, Value
from backscope.tensor.dtype import default
from backscope.tensor.strides import strided
from backscope.tensor.tensor import Tensor


@export(function=False)
def new_empty_strided(
    self: Tensor, size: Shape, stride: Shape, *, dtype: Dtype = None, device: Device = None, requires_grad: bool = False
) -> Value:
    """A tensor of this dtype with strides of its own; zeros here."""
    kind, where = dtype or self._dtype, self.device if device is None else device

    def make(_: Any, lead: tuple[int, ...]) -> Any:
        shape, steps = sizes((size,)), sizes((stride,))
        if len(shape) == len(steps):
            reach = 1 + sum((n - 1) * s for n, s in zip(shape, steps, strict=True)) if all(shape) else 0
            for n in reversed(lead):
                shape, steps, reach = (n, *shape), (reach, *steps), reach * n
        return empty_strided(shape, steps, dtype=kind, device=where, requires_grad=requires_grad)

    return created_like(self, make, own_shape=False) if levels else make(self, ())


@export(method=False)
def empty_strided(
    size: Shape, stride: Shape, *, dtype: Dtype = None, device: Device = None, requires_grad: bool = False
) -> Value:
    """A tensor with strides of its own; zeros here."""
    shape, steps = sizes((size,)), sizes((stride,))
    if len(shape) != len(steps):
        raise RuntimeError("mismatch in length of strides and shape")
    kind = dtype or default.floating
    reach = 1 + sum((n - 1) * s for n, s in zip(shape, steps, strict=True)) if all(shape) else 0
    data = strided(np.zeros(reach, kind.np), shape, steps, 0)
    return born(data if shape else data[()], kind, "empty_strided", requires_grad, device)


@export(method=False)
def empty_permuted(
    size: Shape,
    physical_layout: MemoryFormat,
    *,
    dtype: Dtype = None,
    device: Device = None,
    requires_grad: bool = False,
) -> Value:
    """Create a tensor with its dims in memory in the given order, filled with zeros."""
    shape, order = sizes((size,)), sizes((physical_layout,))
    if len(shape) != len(order):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = "
            f"{len(shape)} is not equal to len(physical_layout) = {len(order)}"
        )
    for i, d in enumerate(order):
        if not 0 <= d < len(shape):
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {len(shape) - 1}, but got {d} at index {i}).  "
                "NB: negative dims not currently supported; file an issue if you want it."
            )
        if d in order[:i]:
            raise RuntimeError("Duplicate dim not allowed")
    kind = dtype or default.floating
    data = np.zeros([shape[d] for d in order], kind.np).transpose(np.argsort(order))
    return born(data if shape else data[()], kind, "empty_permuted", requires_grad, device)
