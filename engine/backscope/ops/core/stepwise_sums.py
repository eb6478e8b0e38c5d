"""Sums that PyTorch's kernels add up in memory of a low precision type, rounding after each element."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.runtime.given import Array, Value, Values


def added_in_order(count: int, places: Values, values: Values) -> Array:
    """Add the entries along the last dim of `values`, one after another, to `count` zeros in a new last dim.

    Entry k is added to element `places[k]`.
    """
    order = np.argsort(places, kind="stable")
    sorted_places = places[order]
    starts = np.flatnonzero(np.r_[True, sorted_places[1:] != sorted_places[:-1]]) if len(order) else order
    turns = np.arange(len(order)) - np.repeat(starts, np.diff(np.r_[starts, len(order)]))
    out = np.zeros((*values.shape[:-1], count), values.dtype)
    for turn in range(turns.max(initial=-1) + 1):
        now = turns == turn
        at = sorted_places[now]
        out[..., at] = out[..., at] + values[..., order[now]]
    return out


def cascade_sum(values: Values, counted: Array) -> Array:
    """Sum a line of values as PyTorch's losses do: by sixteens, sixteens of these and so on, rounding each time.

    Only values marked in `counted` are included.
    """
    zero = values.dtype.type(0)
    sums = [zero] * 8
    for i in np.flatnonzero(counted):
        sums[0] = sums[0] + values[i]
        level = 0
        while level < 7 and not i >> (4 * level) & 15:
            sums[level + 1] = sums[level + 1] + sums[level]
            sums[level] = zero
            level += 1
    total = zero
    for part in sums:
        total = total + part
    return total


def in_rows(value: Value, dims: int) -> Array:
    """Reshape an array so that its last `dims` dims become one."""
    return value.reshape(*value.shape[:-dims], math.prod(value.shape[-dims:]))


def grid_places(lengths: tuple[int, ...], along: list[Any]) -> Array:
    """Return the flat positions of a grid that reads a box of `lengths` at the indices `along` of each dim."""
    found = np.zeros(1, np.int64)
    for n, indices in zip(lengths, along, strict=True):
        found = (found[:, None] * n + np.asarray(indices)).reshape(-1)
    return found
