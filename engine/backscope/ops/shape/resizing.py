"""Giving a tensor other memory: resize_, set_, and the storages under tensors."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.not_implemented import not_implemented
from backscope.autograd.transforms.level import only_up_to
from backscope.autograd.transforms.transform_refusals import refuse_captured
from backscope.autograd.transforms.transform_tensor import TransformTensor, synchronize
from backscope.autograd.views.view_history import check_in_place, requires_grad, set_history
from backscope.ops.core.arguments.dims import sizes
from backscope.ops.core.channels_last import is_channels_last
from backscope.ops.core.namespace import export
from backscope.ops.core.tensor_geometry import constants
from backscope.ops.core.writing import announce
from backscope.ops.create.shapes import check_storage
from backscope.runtime.given import MemoryFormat, Shape, Value
from backscope.runtime.listening import hub
from backscope.tensor.dtype import C_NAMES
from backscope.tensor.storage import _Storage, check_bounds, flat_memory, typed_storage, untyped_storage
from backscope.tensor.strides import element_strides, offset_in_storage, strided
from backscope.tensor.tensor import Tensor


def row_major(shape: Shape) -> tuple[int, ...]:
    """The strides in elements of a contiguous tensor."""
    found: list[int] = []
    step = 1
    for n in reversed(shape):
        found.append(step)
        step *= max(n, 1)
    return tuple(reversed(found))


@export("resize_", function=False)
def _resize_(self: Tensor, *size: Any, memory_format: MemoryFormat = None) -> Tensor:
    """resize; RuntimeError inside grad, vjp or jvp for a tensor from outside of it."""
    refuse_captured(self, "resize_")
    return resize(self, *size, memory_format=memory_format)


def resize(self: Tensor, *size: Shape, memory_format: MemoryFormat = None) -> Tensor:
    """Give an untracked tensor another shape over its memory, or over new memory where that is too small."""
    if not size:
        raise TypeError('resize_() missing 1 required positional arguments: "size"')
    if isinstance(size[0], str):
        raise TypeError("resize_(): argument 'size' (position 1) must be tuple of ints, not str")
    if requires_grad(self) and not self.is_inference():
        raise RuntimeError("cannot resize variables that require grad")
    return resized(self, size, memory_format)


def resized(self: Tensor, size: tuple[Any, ...], memory_format: MemoryFormat = None) -> Tensor:
    """resize_ of a tensor, whether or not it is tracked."""
    shape = sizes(size)
    if any(n < 0 for n in shape):
        raise RuntimeError("numel: integer multiplication overflow")
    announce(self)
    array = self._array()
    if array.shape == shape:
        return _restrided(self, memory_format)
    if self.__class__ is TransformTensor and self.inner is not None and self.batch_dim is None:
        with only_up_to(self.level, without=True):
            resized(self.inner, size, memory_format)
        synchronize(self)
        self._counter()[0] += 1
        return self
    if prod(shape) >= 1 << 63:
        raise RuntimeError("numel: integer multiplication overflow")
    check_storage(shape, self._dtype)
    memory = flat_memory(array)
    offset = offset_in_storage(array)
    if offset + prod(shape) > memory.size:
        larger = np.zeros(offset + prod(shape), array.dtype)
        larger[: memory.size] = memory
        memory = larger
    self._data = memory[offset : offset + prod(shape)].reshape(shape)
    self._accumulator = None
    self._counter()[0] += 1
    if hub.listener is not None:
        hub.listener.mutated(self, "resize_")
    return _restrided(self, memory_format)


def _restrided(tensor: Tensor, memory_format: MemoryFormat) -> Tensor:
    """Lay out the dims of a resized tensor as the format requires; RuntimeError for a wrong number of dims."""
    if memory_format is None:
        return tensor
    array, name = tensor._array(), memory_format.name
    if name == "preserve_format":
        raise RuntimeError("Unsupported memory formatPreserve")
    if name == "contiguous_format":
        tensor._data = strided(flat_memory(array), array.shape, row_major(array.shape), offset_in_storage(array))
        return tensor
    rank = 5 if name.endswith("3d") else 4
    if array.ndim != rank:
        raise RuntimeError(f"required rank {rank} tensor to use {name} format")
    order = (0, *range(2, rank), 1)
    steps = row_major([array.shape[d] for d in order])
    by_dim = [steps[order.index(d)] for d in range(rank)]
    tensor._data = strided(flat_memory(array), array.shape, by_dim, offset_in_storage(array))
    return tensor


@export(function=False)
def resize_as_(self: Tensor, the_template: Tensor, *, memory_format: MemoryFormat = None) -> Tensor:
    """resize_ to the shape of another tensor."""
    refuse_captured(self, "resize_as_")
    if memory_format is not None and memory_format.name == "preserve_format":
        memory_format = constants["channels_last" if is_channels_last(the_template._data) else "contiguous_format"]
    resized: Tensor = resize(self, the_template._data.shape, memory_format=memory_format)
    return resized


setattr(Tensor, "resize_as_", resize_as_)


_SET = (
    " * ()\n      didn't match because some of the arguments have invalid types: ({0})\n"
    " * (torch.Storage source)\n      didn't match because some of the arguments have invalid types: ({0})\n"
    " * (torch.Storage source, int storage_offset, tuple of ints size, tuple of ints stride = None)\n"
    " * (Tensor source)\n      didn't match because some of the arguments have invalid types: ({0})\n"
    " * (Tensor source, int storage_offset, tuple of ints size, tuple of ints stride = None)\n"
)


@export(function=False)
def set_(
    self: Tensor, source: Value = None, storage_offset: int = 0, size: Shape = None, stride: Shape = None
) -> Tensor:
    """Make a tensor use the memory of another, or of a storage; the version counters remain separate."""
    tensors = (self, source) if isinstance(source, Tensor) else (self,)
    tracked = mode.enabled and any(requires_grad(t) for t in tensors)
    if source is not None and not isinstance(source, (Tensor, _Storage)):
        raise TypeError(
            "set_() received an invalid combination of arguments - got "
            f"({type(source).__name__}), but expected one of:\n" + _SET.format(f"!{type(source).__name__}!")
        )
    overload = "" if source is None else ".source_Tensor" if isinstance(source, Tensor) else ".source_Storage"
    refuse_captured(self, "set_" + overload)
    check_in_place(self, tracked)
    announce(self)
    kind = source._dtype if isinstance(source, Tensor) else getattr(source, "dtype", self._dtype)
    if kind is not self._dtype:
        raise RuntimeError(
            f"Could not set tensor of type {C_NAMES[kind.name]} to a tensor of type {C_NAMES[self._dtype.name]}"
        )
    node = not_implemented("set_", (self, self)[: len(tensors)], self) if tracked else None
    if node is not None and len(tensors) > 1:
        node = not_implemented("set_", tensors, self)
    if source is None:
        self._data = np.empty(0, self._dtype.np)
    elif isinstance(source, Tensor) and size is None:
        self._data = source._array()
    else:
        memory = flat_memory(source._array()) if isinstance(source, Tensor) else source._memory.view(self._dtype.np)
        shape = (memory.size - storage_offset,) if size is None else sizes((size,))
        strides = row_major(shape) if stride is None else sizes((stride,))
        check_bounds(memory, shape, strides, storage_offset, memory.itemsize)
        self._data = strided(memory, shape, strides, storage_offset)
    self._counter()[0] += 1
    self._accumulator = None
    if node is not None:
        node.shape = self._data.shape
        set_history(self, node)
    if hub.listener is not None:
        hub.listener.mutated(self, "set_")
    return self


@export(function=False)
def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """True where both are the same elements of the same memory in the same order."""
    a, b = self._array(), tensor._array()
    return bool(
        self.data_ptr() == tensor.data_ptr()
        and flat_memory(a).nbytes == flat_memory(b).nbytes
        and a.shape == b.shape
        and element_strides(a) == element_strides(b)
    )


setattr(Tensor, "untyped_storage", untyped_storage)
setattr(Tensor, "storage", typed_storage)
setattr(Tensor, "_typed_storage", typed_storage)
