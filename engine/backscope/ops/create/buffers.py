"""Tensors over the memory of other objects: by the buffer protocol and by DLPack."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.namespace import export
from backscope.ops.create.creation import born, from_numpy
from backscope.runtime.given import Device, Dtype, Value
from backscope.runtime.shared_memory import expose
from backscope.runtime.warning import warn_once
from backscope.tensor.tensor import Tensor

_READ_ONLY = (
    "The given buffer is not writable, and PyTorch does not support non-writable tensors. This means you can write to "
    "the underlying (supposedly non-writable) buffer using the tensor. You may want to copy the buffer to protect its "
    "data or make it writable before converting it to a tensor. This type of warning will be suppressed for the rest "
    "of this program."
)


@export(method=False)
def frombuffer(buffer: Value, *, dtype: Dtype, count: int = -1, offset: int = 0, requires_grad: bool = False) -> Value:
    """A row of elements over the memory of a buffer; ValueError where they don't fit into it."""
    try:
        view = memoryview(buffer)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    size, wide = view.nbytes, dtype.np.itemsize
    if view.readonly:
        warn_once(_READ_ONLY)
    if not size or not count:
        raise ValueError(f"both buffer length ({size}) and count ({count}) must not be 0")
    if not 0 <= offset < size:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({size} bytes) minus 1"
        )
    if count < 0 and (size - offset) % wide:
        raise ValueError(
            f"buffer length ({size - offset} bytes) after offset ({offset} bytes) must be a multiple of element size "
            f"({wide})"
        )
    if count > 0 and offset + count * wide > size:
        raise ValueError(
            f"requested buffer length ({count} * {wide} bytes) after offset ({offset} bytes) must not be greater than "
            f"actual buffer length ({size} bytes)"
        )
    array = np.frombuffer(view, np.uint8, (size - offset) // wide * wide if count < 0 else count * wide, offset)
    array = array.view(dtype.np)
    expose(array)
    return born(array, dtype, "frombuffer", requires_grad)


@export(method=False)
def from_dlpack(ext_tensor: object, *, device: Device = None, copy: bool | None = None) -> Value:
    """A tensor over the memory of an object that supports DLPack."""
    if isinstance(ext_tensor, Tensor):
        return ext_tensor.detach() if not copy else ext_tensor.detach().clone()  # type: ignore[attr-defined]
    if not hasattr(ext_tensor, "__dlpack__"):
        return from_numpy(np.from_dlpack(_Capsule(ext_tensor)))
    return from_numpy(np.from_dlpack(ext_tensor))


class _Capsule:
    """Wraps a bare capsule in an object with __dlpack__."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


# Any: a capsule; Python has no type for it.
@export(method=False)
def to_dlpack(tensor: Tensor) -> Any:
    """The memory of a tensor as a DLPack capsule."""
    return tensor.__dlpack__()
