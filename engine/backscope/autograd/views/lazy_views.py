"""Views that PyTorch conjugates or negates lazily: here their values are kept in memory of their own.

What is kept follows each change of the source.  `follow` brings it up to date right after an op wrote to memory,
`refresh` before an op reads a view: a program can also write to the source by way of a numpy array.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from backscope.autograd.transforms.absent import Absent
from backscope.runtime.listening import hub
from backscope.runtime.process import process_wide
from backscope.tensor.sparse_values import Sparse

if TYPE_CHECKING:
    from backscope.tensor.tensor import Tensor


_UNREAD = (Absent, Sparse)
"""What is no memory: of tensors that a vmap maps over what they wrap is kept up to date."""


class Lazy:
    """What a lazily conjugated or negated view, and each view of it, knows: its source and the buffer of its values.

    `array` is the memory that it is a view of, `below` the lazy view that this memory is the buffer of, where it is
    one.  `conj` and `neg` are the flags that a program sees.
    """

    __slots__ = ("__weakref__", "array", "below", "buffer", "compute", "conj", "neg")

    def __init__(self, source: Tensor, out: Tensor, compute: Any) -> None:
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
        """Compute the values anew; a listener that keeps the old ones is given a copy where they differ."""
        if self.below is not None:
            self.below.refresh()
        if self.array.__class__ in _UNREAD:
            return
        values = self.compute(self.array)
        if hub.keeper is not None and values.tobytes() != self.buffer.tobytes():
            hub.keeper.before_change(self.buffer)
        self.buffer[...] = values

    def write(self) -> None:
        """Bring a change of the values back to the source."""
        if hub.keeper is not None:
            hub.keeper.before_change(self.array)
        self.array[...] = self.compute(self.buffer)
        if self.below is not None:
            self.below.write()

    def source(self) -> Any:
        """The memory that a program knows."""
        return self.array if self.below is None else self.below.source()


def _laid_out_like(array: Any, values: Any) -> Any:
    """Values with the strides of the memory that they are a view of, and as far from its beginning."""
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
"""What there is of them, which is nothing in most programs."""


class LazyAlias:
    """What a detached lazy view has in place of a View: it is no view to autograd, and its values are kept as such."""

    __slots__ = ("inherits", "lazy", "made", "version")

    base = None
    replay = ()

    def __init__(self, lazy: Lazy) -> None:
        self.lazy = lazy
        self.made = "default"
        self.inherits = False
        self.version = 0

    def renew(self, tensor: Tensor) -> bool:
        """Bring the values up to date."""
        self.lazy.refresh()
        return False

    def inherit(self, tensor: Tensor) -> None:
        """There is nothing to inherit from."""

    regenerate = inherit

    def refuse(self, tensor: Tensor, *, indirect: bool) -> None:
        """Nothing is refused."""


def _of(tensor: Tensor) -> Lazy | None:
    return None if tensor._view is None else tensor._view.lazy


def viewed_array(tensor: Tensor) -> Any:
    """The memory of a tensor, of a lazy view that of its source; None for a tensor without memory."""
    array, lazy = tensor._array(), _of(tensor)
    if array.__class__ is not np.ndarray:
        return None
    while lazy is not None and array is lazy.buffer:
        array, lazy = lazy.array, lazy.below
    return array


def refresh(tensor: Tensor) -> None:
    """Bring the values of a lazy view up to date; nothing for other tensors."""
    lazy = _of(tensor)
    if lazy is not None:
        lazy.refresh()


def follow(written: Tensor) -> None:
    """Bring what was written to a tensor to the memory that it is a lazy view of, and to all lazy views of that."""
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
    """True for a view that PyTorch would conjugate only when it is read."""
    lazy = _of(tensor)
    return lazy is not None and lazy.conj


def is_neg(tensor: Tensor) -> bool:
    """True for a view that PyTorch would negate only when it is read."""
    lazy = _of(tensor)
    return lazy is not None and lazy.neg
