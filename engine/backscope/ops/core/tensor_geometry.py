"""The geometry of a tensor's memory: sizes, strides, contiguity."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.arguments.dims import wrap_dim
from backscope.ops.core.declaration import primitives
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export, torch_functions
from backscope.runtime.given import MemoryFormat, Shape, Value
from backscope.tensor.serialization import pickled_as
from backscope.tensor.size import Size
from backscope.tensor.strides import shown_strides
from backscope.tensor.tensor import Tensor


@export(function=False)
def contiguous(self: Tensor, memory_format: MemoryFormat = None) -> Value:
    """The tensor itself when its elements are in order in memory, else a copy."""
    if is_contiguous(self, memory_format):
        return self
    return apply(primitives["clone"], self, memory_format or _CONTIGUOUS)


class memory_format:  # noqa: N801 - PyTorch's own name
    """A name for an order of dims in memory."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return memory_format_named, (self.name,)


@pickled_as("_memory_format")
def memory_format_named(name: str) -> MemoryFormat:
    """Return the memory format with the name that a pickle contains."""
    return constants[name]


memory_format.__module__ = "torch"
_CONTIGUOUS = memory_format("contiguous_format")
constants: dict[str, Any] = torch_functions
constants["memory_format"] = memory_format
constants["contiguous_format"] = constants["legacy_contiguous_format"] = _CONTIGUOUS
for _name in ("preserve_format", "channels_last", "channels_last_3d"):
    constants[_name] = memory_format(_name)


@export(function=False)
def is_contiguous(self: Tensor, memory_format: MemoryFormat = None) -> bool:
    """True when the elements are in order in memory: row-major, or with the channels innermost."""
    data = self._data
    if memory_format is None or not memory_format.name.startswith("channels_last"):
        return bool(data.flags.c_contiguous)
    return data.ndim == (5 if memory_format.name == "channels_last_3d" else 4) and bool(
        np.moveaxis(data, 1, -1).flags.c_contiguous
    )


@export(function=False)
def size(self: Tensor, dim: int | None = None) -> Shape:
    """The shape, or the length of one dim."""
    return Size(self._data.shape) if dim is None else int(self._data.shape[wrap_dim(dim, self._data.ndim)])


@export(function=False)
def stride(self: Tensor, dim: int | None = None) -> Shape:
    """The strides in elements."""
    array = self._data
    if not array.ndim:
        return () if dim is None else 1
    found = shown_strides(array)
    return found if dim is None else found[wrap_dim(dim, array.ndim)]


@export("dim", "ndimension", function=False)
def _dim(self: Tensor) -> int:
    """The number of dims."""
    return int(self._data.ndim)


@export("numel")
def _numel(input: Tensor) -> int:  # noqa: A002
    """The number of elements."""
    return int(input._data.size)


setattr(Tensor, "nelement", _numel)


@export(function=False)
def element_size(self: Tensor) -> int:
    """Bytes of one element."""
    return int(self._dtype.itemsize)
