"""Absent: the value of a tensor that a vmap maps over.  It has a shape and a dtype, but no single value."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from backscope.runtime.given import Array, Option


class Absent(np.ndarray[Any, Any]):
    """An array with a shape, a dtype and strides; reading an element of it raises RuntimeError.

    Its memory is that of the first example, so that views of it have the right strides and offsets.  `whole` is the
    array of all examples.
    """

    whole: Array

    def min(self, *args: Option, **kwargs: Option) -> Array:
        """Return the smallest element of all examples, for checks of ranges."""
        return _refuse(self) if args or kwargs else self.whole.min()

    def max(self, *args: Option, **kwargs: Option) -> Array:
        """Return the largest element of all examples, for checks of ranges."""
        return _refuse(self) if args or kwargs else self.whole.max()

    def __array_ufunc__(self, *args: object, **kwargs: object) -> NoReturn:
        raise _unreadable()

    def __array_function__(self, *args: object, **kwargs: object) -> NoReturn:
        raise _unreadable()


def _unreadable() -> RuntimeError:
    return RuntimeError(
        "Batching rule not implemented for an operation that was used inside vmap: it reads the values of a tensor "
        "that stands for many."
    )


def _refuse(self: Absent, *args: object, **kwargs: object) -> Any:
    raise _unreadable()


_READING = (
    "__getitem__ __setitem__ __bool__ __int__ __float__ __index__ __complex__ __iter__ __contains__ all any argmax "
    "argmin argsort astype choose clip compress copy cumprod cumsum diagonal dot fill flatten item mean nonzero "
    "prod ptp put ravel repeat reshape round searchsorted sort squeeze std sum swapaxes take tobytes tolist trace "
    "transpose var"
)

for _name in _READING.split():
    setattr(Absent, _name, _refuse)


def stand_in(array: Array, dim: int) -> Absent:
    """Return an Absent with the shape, dtype and strides of `array` without its dim `dim`."""
    whole = array.whole if isinstance(array, Absent) else array
    if isinstance(array, Absent):
        array = np.ndarray.view(array, np.ndarray)
    if array.shape[dim]:
        part = array[(*(slice(None),) * dim, 0, ...)]
    else:
        part = np.zeros(array.shape[:dim] + array.shape[dim + 1 :], array.dtype)
    found = np.asarray(part).view(Absent)
    found.whole = whole
    return found
