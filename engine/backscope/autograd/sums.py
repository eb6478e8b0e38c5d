"""Sums along dims: products with ones where these are faster than a reduction."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from backscope.autograd.ones import ones
from backscope.runtime.given import Array, Dtype

LONG = 4096
"""Rows of up to this many elements are summed one by one, longer ones in pairs."""

_LARGE = 4096
"""Elements from which products are faster; of fewer, whose digits are read, the order of a reduction stays."""

_reduce: Any = np.add.reduce


def is_wide_float(kind: Dtype) -> bool:
    """Return True for float32 and float64, which BLAS multiplies and sums are kept in."""
    return bool(kind.kind == "f" and kind.itemsize >= 4)


# Any: an array, or a number where all dims are summed.
def sums(value: Array, dims: Sequence[int], keepdims: bool = False) -> Any:
    """Return the sums of a raw value along dims, which are counted from the front, in its own type."""
    if (
        value.__class__ is not np.ndarray
        or value.size < _LARGE
        or not 0 < len(dims) < value.ndim
        or not is_wide_float(value.dtype)
        or not value.flags.c_contiguous
    ):
        return _reduce(value, tuple(dims), None, None, keepdims)
    shape = value.shape
    found = value
    end = value.ndim
    for dim in sorted(dims, reverse=True):
        if dim >= end:
            continue  # One of the dims that were summed together.
        start = dim
        while start - 1 in dims:
            start -= 1
        rest = prod([1 if k in dims else shape[k] for k in range(dim + 1, len(shape))])
        found = _block(found.reshape(prod(shape[:start]), prod(shape[start : dim + 1]), rest))
        end = start
    return found.reshape([1 if k in dims else n for k, n in enumerate(shape) if keepdims or k not in dims])


def _block(value: Array) -> Any:
    """Return the sums along the middle of three dims."""
    lead, count, rest = value.shape
    if rest == 1:
        if count <= LONG:
            return value.reshape(lead, count).dot(ones(count, value.dtype))
    elif lead == 1:
        if count >= 128:  # Adding a few long rows is faster.
            return ones(count, value.dtype).dot(value.reshape(count, rest))
    elif count * rest >= 256:
        return np.matmul(ones(count, value.dtype), value)
    return _reduce(value, 1)
