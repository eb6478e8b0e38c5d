"""torch.Size: a shape that prints as PyTorch prints it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, SupportsIndex, overload

from backscope.runtime.given import Value


class Size(tuple[int, ...]):
    """A tuple of the lengths of each dim."""

    __slots__ = ()

    def __new__(cls, lengths: Iterable[int] = ()) -> Size:
        return tuple.__new__(cls, lengths)

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    __str__ = __repr__

    def numel(self) -> int:
        """The number of elements."""
        return math.prod(self)

    @overload
    def __getitem__(self, index: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Size: ...
    # Any: the overloads say what belongs together.
    def __getitem__(self, index: Any) -> Any:
        found = tuple.__getitem__(self, index)
        return Size(found) if isinstance(index, slice) else found

    def __add__(self, other: Value) -> Size:
        return Size(tuple.__add__(self, tuple(other)))

    def __radd__(self, other: Value) -> Size:
        return Size(tuple(other) + tuple(self))

    def __mul__(self, times: SupportsIndex) -> Size:
        return Size(tuple.__mul__(self, times))

    __rmul__ = __mul__


Size.__module__ = "torch"
