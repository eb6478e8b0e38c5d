"""Tensors from other objects, without a copy where possible: asarray, scalar_tensor."""

from __future__ import annotations

import numpy as np

from backscope.ops.core.namespace import export
from backscope.ops.create.creation import as_tensor, copied
from backscope.runtime.given import Device, Dtype, Value
from backscope.tensor.dtype import default


@export(method=False)
def scalar_tensor(s: Value, *, dtype: Dtype = None, device: Device = None, requires_grad: bool = False) -> Value:
    """Create a 0-d tensor, by default of the default floating point type."""
    return copied(s, dtype or default.floating, device, requires_grad)


@export(method=False)
def asarray(
    obj: Value, *, dtype: Dtype = None, device: Device = None, copy: bool | None = None, requires_grad: bool = False
) -> Value:
    """Data as a tensor, over the same memory where that is possible and no copy is requested."""
    out = as_tensor(obj, dtype=dtype, device=device)
    if copy and (out is obj or isinstance(obj, np.ndarray)):
        out = out.clone()
    if requires_grad and not (out._dtype.is_floating_point or out._dtype.is_complex):
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    if requires_grad:
        out.requires_grad = True
    return out
