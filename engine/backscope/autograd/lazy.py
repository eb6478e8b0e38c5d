"""Views that PyTorch conjugates or negates lazily: their values are computed at once and follow the source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from backscope.listening import hub

if TYPE_CHECKING:
    from backscope.tensor import Tensor


class Lazy:
    """What a lazily conjugated or negated view, and each view of it, knows: its source and the buffer of its values.

    `conj` and `neg` are the flags that a program sees.
    """

    __slots__ = ("buffer", "compute", "conj", "neg", "seen", "source")

    def __init__(self, source: Tensor, buffer: Any, compute: Any) -> None:
        self.source = source
        self.buffer = buffer
        self.compute = compute
        self.conj = is_conj(source) ^ (compute is np.conjugate)
        self.neg = is_neg(source) ^ (compute is np.negative)
        self.seen = source._counter()[0]

    def refresh(self) -> None:
        """Compute the values anew where the source was changed since."""
        refresh(self.source)
        current = self.source._counter()[0]
        if current != self.seen:
            if hub.keeper is not None:
                hub.keeper.before_change(self.buffer)
            self.buffer[...] = self.compute(self.source._data)
            self.seen = current

    def write(self) -> None:
        """Bring a change of the values back to the source."""
        array = self.source._array()
        if hub.keeper is not None:
            hub.keeper.before_change(array)
        array[...] = self.compute(self.buffer)
        below = _of(self.source)
        if below is not None:
            below.write()
        self.seen = self.source._counter()[0]


def _of(tensor: Tensor) -> Lazy | None:
    return None if tensor._view is None else tensor._view.lazy


def refresh(tensor: Tensor) -> None:
    """Bring the values of a lazy view up to date; nothing for other tensors."""
    lazy = _of(tensor)
    if lazy is not None:
        lazy.refresh()


def is_conj(tensor: Tensor) -> bool:
    """True for a view that PyTorch would conjugate only when it is read."""
    lazy = _of(tensor)
    return lazy is not None and lazy.conj


def is_neg(tensor: Tensor) -> bool:
    """True for a view that PyTorch would negate only when it is read."""
    lazy = _of(tensor)
    return lazy is not None and lazy.neg
