"""Memory layouts of images: the test for channels last, and results with the layout of their inputs."""

from __future__ import annotations

import numpy as np

from backscope.runtime.given import Array, Value

_ORDERS = {4: (1, 3, 2, 0), 5: (1, 4, 3, 2, 0)}


def is_channels_last(array: Array) -> bool:
    """Return True where PyTorch treats the strides of a batch of images or volumes as channels last."""
    order = _ORDERS.get(array.ndim)
    if order is None:
        return False
    strides = array.strides
    if strides[-1] < strides[1] or strides[1] == 0:  # Most arrays are row-major, which needs no further check.
        return False
    least = 0
    for d in order:
        if array.shape[d] == 0 or array.strides[d] < least:
            return False
        if d == 0 and least == array.strides[1]:
            return False
        least = array.strides[d] * max(array.shape[d], 1)
    return True


def channels_last(array: Array) -> Array:
    """A copy of the values with the channels last in memory."""
    if array.ndim not in _ORDERS:
        return array
    made = np.ascontiguousarray(np.moveaxis(array, 1, -1))
    if 1 in made.shape:
        made = made.reshape(-1).reshape(made.shape)  # NumPy's strides may differ for dims of length 1.
    return np.moveaxis(made, -1, 1)


def row_major(array: Array) -> Array:
    """Copy the values with the last dim innermost in memory, as kernels do that ignore the input's layout."""
    if array.ndim < 2 or (array.flags.c_contiguous and 1 not in array.shape):
        return array
    made = np.ascontiguousarray(array)
    return (
        made.reshape(-1).reshape(made.shape) if 1 in made.shape else made
    )  # NumPy's strides may differ for dims of length 1.


def following(out: Value, *inputs: Array) -> Array:
    """`out` row-major, or channels last where one of `inputs` is."""
    for array in inputs:
        if is_channels_last(array):
            return channels_last(out)
    if not out.flags.c_contiguous:
        return np.ascontiguousarray(out)
    # Cut out of a larger array, dims of length 1 still have its strides; made from one row, they have their own.
    return out if out.base is None else out.reshape(-1).reshape(out.shape)
