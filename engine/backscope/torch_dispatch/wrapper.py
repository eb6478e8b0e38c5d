"""Tensor._make_wrapper_subclass: a tensor without values of its own, with a class that computes on what it wraps."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.runtime.given import Device, MemoryFormat, Option, Shape, Value
from backscope.tensor.dtype import default, dtype as dtype_type
from backscope.tensor.subclass import subclassed
from backscope.tensor.tensor import Tensor


def make_wrapper_subclass(
    cls: type,
    size: Shape,
    strides: Shape = None,
    storage_offset: Shape = None,
    memory_format: MemoryFormat = None,
    dtype: dtype_type | None = None,
    layout: MemoryFormat = None,
    device: Device = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    *policies: Option,
    **named_policies: Option,
) -> Value:
    """Create an instance of `cls`, a class with a __torch_dispatch__, with a shape and a dtype and without values.

    Its memory is zeros, so that code that bypasses the class reads defined values.
    """
    if getattr(cls, "__torch_dispatch__", None) is None:
        raise TypeError(f"{cls.__name__} must define __torch_dispatch__")
    kind = dtype or default.floating
    shape = tuple(int(n) for n in size)
    if strides is None:
        data = np.zeros(shape, kind.np)
    else:
        offset = int(storage_offset or 0)
        last = sum((n - 1) * int(s) for n, s in zip(shape, strides, strict=True)) if all(shape) else -1
        memory = np.zeros(offset + last + 1, kind.np)
        steps = tuple(int(s) * memory.itemsize for s in strides)
        data = np.lib.stride_tricks.as_strided(memory[offset:], shape, steps)
    subclassed[:] = [True]
    t: Any = object.__new__(cls)
    t._data = data
    t._dtype = kind
    t._requires_grad = bool(requires_grad)
    t._grad_fn = t._output_nr = t._grad = t._shared = t._view = t._accumulator = t._extra = t._token = None
    return t


Tensor._make_wrapper_subclass = staticmethod(make_wrapper_subclass)  # type: ignore[attr-defined]
