"""Lazy views: views that PyTorch conjugates or negates lazily; here they have a buffer with their values.

The buffer is updated after each change of the source: `follow` does so right after an op wrote to memory, and `refresh`
before an op reads a view, since a program can also write to the source through a numpy array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from backscope.autograd.transforms.absent import Absent
from backscope.runtime.given import Array, Values
from backscope.runtime.listening import hub
from backscope.runtime.process import process_wide
from backscope.tensor.sparse_values import Sparse

if TYPE_CHECKING:
    from backscope.tensor.tensor import Tensor


_UNREAD = (Absent, Sparse)
"""Values without memory of their own.  Of a tensor that a vmap maps over, the wrapped tensor is updated."""


class Lazy:
    """The source and the buffer of a lazily conjugated or negated view, shared by all views of it.

    `array` is the memory of the source, `below` the lazy view that this memory is the buffer of, where it is
    one.  `conj` and `neg` are the flags that a program sees.
    """

    __slots__ = ("__weakref__", "array", "below", "buffer", "compute", "conj", "neg")

    def __init__(self, source: Tensor, out: Tensor, compute: Callable[..., Any]) -> None:
        self.array = source._array()
        self.below = _of(source)
        self.buffer = out._array()
        if self.array.__class__ is np.ndarray and self.buffer.__class__ is np.ndarray:
            self.buffer = out._data = _laid_out_like(self.array, self.buffer)
        self.compute = compute
        self.conj = is_conj(source) ^ (compute is np.conjugate)
        self.neg = is_neg(source) ^ (compute is np.negative)
        if self.array.__class__ not in _UNREAD:
            lazies.append(ref(self, lazies.remove))

    def refresh(self) -> None:
        """Compute the values again; where they differ, a keeper of the old ones gets a copy first."""
        if self.below is not None:
            self.below.refresh()
        if self.array.__class__ in _UNREAD:
            return
        values = self.compute(self.array)
        if hub.keeper is not None and values.tobytes() != self.buffer.tobytes():
            hub.keeper.before_change(self.buffer)
        self.buffer[...] = values

    def write(self) -> None:
        """Write a change of the values back to the source."""
        if hub.keeper is not None:
            hub.keeper.before_change(self.array)
        self.array[...] = self.compute(self.buffer)
        if self.below is not None:
            self.below.write()

    def source(self) -> Array:
        """Return the memory of the source, which a program can reach."""
        return self.array if self.below is None else self.below.source()


def _laid_out_like(array: Array, values: Values) -> Any:
    """Return the values with the strides and the offset that `array` has in its memory."""
    from backscope.tensor.strides import extent, offset_in_storage, storage_of

    offset = offset_in_storage(array)
    if (not offset and array.strides == values.strides) or not array.size:
        return values
    whole = storage_of(array)
    memory = np.empty(extent(whole) * whole.itemsize // array.itemsize, array.dtype)
    made = np.ndarray(array.shape, array.dtype, memory, offset * array.itemsize, array.strides)
    made[...] = values
    return made


lazies: list[ref[Lazy]] = process_wide([])
"""All lazy views that exist; most programs have none."""


class LazyAlias:
    """The `_view` of a detached lazy view, which is no view to autograd but still has values to update."""

    __slots__ = ("inherits", "lazy", "made", "version")

    base = None
    replay = ()

    def __init__(self, lazy: Lazy) -> None:
        self.lazy = lazy
        self.made = "default"
        self.inherits = False
        self.version = 0

    def renew(self, tensor: Tensor) -> bool:
        """Update the values."""
        self.lazy.refresh()
        return False

    def inherit(self, tensor: Tensor) -> None:
        """Do nothing: it has no base to inherit from."""

    regenerate = inherit

    def refuse(self, tensor: Tensor, *, indirect: bool) -> None:
        """Do nothing: every in-place change is allowed."""


def _of(tensor: Tensor) -> Lazy | None:
    return None if tensor._view is None else tensor._view.lazy


def viewed_array(tensor: Tensor) -> Array:
    """Return the memory of a tensor, for a lazy view that of its source; None for a tensor without memory."""
    array, lazy = tensor._array(), _of(tensor)
    if array.__class__ is not np.ndarray:
        return None
    while lazy is not None and array is lazy.buffer:
        array, lazy = lazy.array, lazy.below
    return array


def refresh(tensor: Tensor) -> None:
    """Update the values of a lazy view; nothing for other tensors."""
    lazy = _of(tensor)
    if lazy is not None:
        lazy.refresh()


def follow(written: Tensor) -> None:
    """After a write to a tensor, update the source that it is a lazy view of, and all lazy views of that source."""
    own = _of(written)
    if own is not None:
        own.write()
    memory = written._data if own is None else own.source()
    if not isinstance(memory, np.ndarray):
        return
    for known in tuple(lazies):
        lazy = known()
        if lazy is not None and lazy is not own and np.may_share_memory(lazy.source(), memory):
            lazy.refresh()


def is_conj(tensor: Tensor) -> bool:
    """Return True for a view that PyTorch would conjugate only when it is read."""
    lazy = _of(tensor)
    return lazy is not None and lazy.conj


def is_neg(tensor: Tensor) -> bool:
    """Return True for a view that PyTorch would negate only when it is read."""
    lazy = _of(tensor)
    return lazy is not None and lazy.neg
