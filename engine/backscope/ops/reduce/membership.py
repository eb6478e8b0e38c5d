"""Occurrences of values: bincount, isin."""

from __future__ import annotations

import numpy as np

from backscope.ops.core.namespace import export
from backscope.ops.core.unsupported import no_kernel
from backscope.runtime.given import Value, Values
from backscope.tensor import dtype as types
from backscope.tensor.dtype import BOOL, COMPLEX, INTEGER
from backscope.tensor.tensor import Tensor, of_raw


@export()
def bincount(input: Tensor, weights: Values = None, minlength: int = 0) -> Value:  # noqa: A002
    """Count how often each whole number occurs, or add up its weights."""
    if input._dtype.category != INTEGER:
        raise no_kernel("bincount_cpu", input._dtype)
    if input.ndim != 1 or (input.numel() and input._data.min() < 0):  # type: ignore[attr-defined]
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is not None and tuple(weights._data.shape) != tuple(input._data.shape):
        raise RuntimeError("weights should be 1-d and have the same length as input")
    counted = np.bincount(input._array(), None if weights is None else weights._array(), minlength)
    single = weights is not None and weights._dtype is types.float32
    return of_raw(counted.astype(np.int64 if weights is None else np.float32 if single else np.float64))


@export(method=False)
def isin(elements: Value, test_elements: Value, *, assume_unique: bool = False, invert: bool = False) -> Value:
    """True for elements that are among others."""
    for x in (elements, test_elements):
        if isinstance(x, Tensor) and x._dtype.category in (BOOL, COMPLEX):
            raise RuntimeError(f"Unsupported input type encountered for isin(): {x._dtype.type_name}")
    a, b = (x._data if isinstance(x, Tensor) else np.asarray(x) for x in (elements, test_elements))
    return of_raw(np.asarray(np.isin(a, b, invert=invert))[()])
