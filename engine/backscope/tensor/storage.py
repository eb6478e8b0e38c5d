"""Storages: the memory under tensors, as bytes or as elements of one type."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from backscope.runtime.given import Array, Option, Shape, Value
from backscope.runtime.shared_memory import expose
from backscope.runtime.warning import warn_once
from backscope.tensor.device import device
from backscope.tensor.dtype import dtype, uint8
from backscope.tensor.strides import address, extent, storage_of
from backscope.tensor.tensor import Tensor

TYPED_DEPRECATED = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. "
    "This should only matter to you if you are using storages directly.  To access UntypedStorage directly, use "
    "tensor.untyped_storage() instead of tensor.storage()"
)


def flat_memory(array: Array) -> Array:
    """The whole memory that an array lies in, as a row of its elements."""
    whole = storage_of(array)
    count = extent(whole)
    flat = np.lib.stride_tricks.as_strided(whole, (count,), (whole.itemsize,))
    return flat if whole.dtype == array.dtype else flat.view(array.dtype)


def check_bounds(memory: Value, shape: Shape, strides: Shape, offset: int, step: int) -> None:
    """Raise RuntimeError where a view by strides would leave the memory."""
    if prod(shape) == 0:
        return
    needed = (offset + 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))) * step
    if needed > memory.nbytes:
        raise RuntimeError(
            f"setStorage: sizes {list(shape)}, strides {list(strides)}, storage offset {offset}, and itemsize {step} "
            f"requiring a storage size of {needed} are out of bounds for storage of size {memory.nbytes}"
        )


class _Storage:
    """Elements of one type, one after the other."""

    _kind: dtype
    _memory: Any

    def __init__(self, *args: Value, **kwargs: Any) -> None:
        kind = kwargs.get("dtype") or uint8
        given = args[0] if args else 0
        self._kind = kind
        self._memory = np.zeros(given, kind.np) if isinstance(given, int) else np.array(given, kind.np)

    @classmethod
    def _over(cls, memory: Value, kind: dtype) -> Any:
        made = object.__new__(cls)
        made._memory, made._kind = memory, kind
        return made

    @property
    def device(self) -> Any:
        """The device of the memory."""
        return device("cpu")

    @property
    def is_cuda(self) -> bool:
        """False: there is no other device."""
        return False

    @property
    def filename(self) -> None:
        """None: no file lies under this memory."""
        return

    @property
    def _cdata(self) -> int:
        return self.data_ptr()

    def data_ptr(self) -> int:
        """The address of the first byte."""
        return address(self._memory) if self._memory.size else 0

    def nbytes(self) -> int:
        """Bytes."""
        return int(self._memory.nbytes)

    def element_size(self) -> int:
        """Bytes of one element."""
        return int(self._kind.itemsize)

    def size(self) -> int:
        """The number of elements."""
        return int(self._memory.size)

    def __len__(self) -> int:
        return self.size()

    def __getitem__(self, index: Value) -> Any:
        found = self._memory[index]
        return type(self)._over(found, self._kind) if isinstance(found, np.ndarray) else found.item()

    def __setitem__(self, index: Value, value: Value) -> None:
        self._memory[index] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def tolist(self) -> list[Any]:
        """The elements as Python numbers."""
        found: list[Any] = self._memory.tolist()
        return found

    def fill_(self, value: Value) -> Any:
        """Set all elements to one value."""
        self._memory[...] = value
        return self

    def copy_(self, source: Value, non_blocking: Option = None) -> Any:
        """Overwrite the elements with those of another storage."""
        self._memory[...] = source._memory
        return self

    def clone(self) -> Any:
        """A copy."""
        return type(self)._over(self._memory.copy(), self._kind)

    def __repr__(self) -> str:
        return " " + "\n ".join(str(v) for v in self.tolist()) + f"\n[{self._described()} of size {self.size()}]"

    def _described(self) -> str:
        raise NotImplementedError


class UntypedStorage(_Storage):
    """Memory as bytes."""

    def untyped(self) -> UntypedStorage:
        """The storage itself."""
        return self

    def resize_(self, size: int) -> UntypedStorage:
        """Not possible: numpy's arrays keep the memory they have, unless that stays as it is."""
        if size != self.nbytes():
            raise RuntimeError(
                f"Backscope can't resize the storage of a tensor from {self.nbytes()} to {size} bytes; resize the "
                "tensor with resize_() instead"
            )
        return self

    def _described(self) -> str:
        return "torch.storage.UntypedStorage(device=cpu)"


class TypedStorage(_Storage):
    """Memory as elements of a dtype."""

    @property
    def dtype(self) -> dtype:
        """The element type."""
        return self._kind

    def untyped(self) -> UntypedStorage:
        """A view of the memory as bytes."""
        made: UntypedStorage = UntypedStorage._over(self._memory.view(np.uint8), uint8)
        return made

    def _described(self) -> str:
        return f"torch.storage.TypedStorage(dtype={self._kind!r}, device=cpu)"


UntypedStorage.__module__ = TypedStorage.__module__ = "torch.storage"


def untyped_storage(tensor: Tensor) -> UntypedStorage:
    """See Tensor.untyped_storage."""
    array = tensor._array()
    expose(array)
    found: UntypedStorage = UntypedStorage._over(flat_memory(array).view(np.uint8), uint8)
    return found


def typed_storage(tensor: Tensor) -> TypedStorage:
    """See Tensor.storage; warns once that it is deprecated."""
    warn_once(TYPED_DEPRECATED, whatever=True)
    array = tensor._array()
    expose(array)
    found: TypedStorage = TypedStorage._over(flat_memory(array), tensor._dtype)
    return found
