"""Conversion of nested sequences of numbers to arrays: shape, dtype, and errors for invalid contents."""

from __future__ import annotations

from functools import reduce
from itertools import chain
from typing import Any

import numpy as np

from backscope.autograd.modes.grad_mode import mode
from backscope.runtime.given import Value
from backscope.runtime.warning import warn_once, warn_scalar_conversion
from backscope.tensor import dtype as types
from backscope.tensor.dtype import BOOL, COMPLEX, FLOATING, default, dtype
from backscope.tensor.number_conversion import check_numbers
from backscope.tensor.tensor import Tensor
from backscope.tensor.typename import c_name

_MOST_DIMS = 128
_PLAIN = frozenset({int, float, bool, complex})
_SLOW = (
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to a "
    "single numpy.ndarray with numpy.array() before converting to a tensor."
)


def as_array(data: Value, wanted: dtype | None = None) -> tuple[np.ndarray[Any, Any], dtype]:
    """Convert nested sequences of numbers to an array of the `wanted` dtype, by default the one their types imply."""
    shape = _shape(data)
    leaves = _leaves(data, shape)
    found = set(map(type, leaves))
    if np.ndarray in found:
        warn_once(_SLOW)
    kind = wanted or _kind(leaves, found)
    if kind is types.uint64 and found <= _PLAIN and complex not in found:
        array = _unsigned(leaves)
    elif found <= _PLAIN:
        if complex in found and kind.category < COMPLEX and kind.category != BOOL:
            raise TypeError("must be real number, not complex")
        array = np.array(leaves)
    else:
        array = np.array([_number(leaf, kind) for leaf in leaves])
    if array.dtype.kind == "O":
        if kind.category < FLOATING:
            raise ValueError("Overflow when unpacking long long")
        array = np.array([float(leaf) for leaf in leaves])
    check_numbers(array, kind)
    return types.cast(array.reshape(shape), kind), kind


def _unsigned(leaves: list[Any]) -> np.ndarray[Any, Any]:
    """Return whole numbers of up to 64 bits unsigned; NumPy would make mixtures with smaller ones real numbers."""
    if any(isinstance(leaf, float) for leaf in leaves):
        raise TypeError("an integer is required")
    if min(leaves, default=0) < 0:
        raise OverflowError("can't convert negative int to unsigned")
    if max(leaves, default=0) >= 1 << 64:
        raise OverflowError("int too big to convert")
    return np.array(leaves, np.uint64)


def _is_sequence(value: Value) -> bool:
    if isinstance(value, (list, tuple)):
        return True
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return hasattr(type(value), "__getitem__") and not isinstance(value, (dict, Tensor, np.generic))


def _shape(data: Value) -> tuple[int, ...]:
    """The lengths of the first sequence of each level."""
    shape: list[int] = []
    while _is_sequence(data):
        shape.append(len(data))
        if len(shape) > _MOST_DIMS:
            raise ValueError(f"too many dimensions '{c_name(type(data))}'")
        if not shape[-1]:
            break
        try:
            data = data[0]
        except Exception:
            raise ValueError(f"could not determine the shape of object type '{c_name(type(data))}'") from None
    return tuple(shape)


def _leaves(data: Value, shape: tuple[int, ...]) -> list[Any]:
    """Return the contents of the innermost sequences; all sequences of one depth must have the length of the first."""
    level = [data]
    for dim, length in enumerate(shape):
        for value in level:
            if not _is_sequence(value):
                raise TypeError("not a sequence")
            if len(value) != length:
                raise ValueError(f"expected sequence of length {length} at dim {dim} (got {len(value)})")
            if isinstance(value, np.ndarray):
                warn_once(_SLOW)
        level = list(chain.from_iterable(level))
    return level


def _kind(leaves: list[Any], found: set[type]) -> dtype:
    """Return the promoted dtype of the numbers: the default one for Python's, their own for NumPy's and tensors'."""
    kinds = []
    for each in found:
        if each in _PLAIN:
            kinds.append(types.of_number(each(0)))
        elif issubclass(each, Tensor):
            kinds += {leaf._dtype for leaf in leaves if type(leaf) is each}
        else:
            kinds += {_kind_of(leaf) for leaf in leaves if type(leaf) is each}
    return reduce(types.promote_types, kinds) if kinds else default.floating


def _kind_of(value: Value) -> dtype:
    if isinstance(value, (np.generic, np.ndarray)) and value.dtype in dtype.table:
        return dtype.table[value.dtype]
    if isinstance(value, (bool, int, float, complex)):
        return types.of_number(value)
    if isinstance(value, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(value).__name__}'")
    if _is_sequence(value):
        items = list(value)
        return _kind(items, set(map(type, items)))
    raise RuntimeError(f"Could not infer dtype of {c_name(type(value))}")


def _number(value: Value, kind: dtype) -> Any:
    """An element as Python's number."""
    category = kind.category
    if isinstance(value, Tensor):
        if value._requires_grad and mode.enabled:
            warn_scalar_conversion()
        if value._data.size != 1 and category != BOOL:
            if category < FLOATING:
                raise TypeError("only integer tensors of a single element can be converted to an index")
            raise ValueError("only one element tensors can be converted to Python scalars")
        return value.item()
    if isinstance(value, (np.generic, np.ndarray)):
        if isinstance(value, np.ndarray) and value.ndim:
            raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
        value = value.item()
    if category == BOOL:
        return bool(value)
    fits = ("__index__", "__float__", "__complex__")[: 3 if category == COMPLEX else 2]
    if isinstance(value, (str, bytes)) or not any(hasattr(value, name) for name in fits):
        given = c_name(type(value))
        if category >= FLOATING:
            raise TypeError(f"must be real number, not {given}")
        raise TypeError(f"'{given}' object cannot be interpreted as an integer")
    if isinstance(value, (int, float, complex)):
        return value
    if hasattr(value, "__index__"):
        return value.__index__()
    return float(value) if hasattr(value, "__float__") else complex(value)
