"""Writing a result into a tensor's memory: checks of the memory, and a callback before each change."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from backscope.autograd.views.lazy_views import follow, lazies
from backscope.runtime.given import Array, Dtype, Value, Values
from backscope.runtime.listening import hub
from backscope.runtime.process import process_wide
from backscope.runtime.warning import warn, warn_once
from backscope.tensor import meta
from backscope.tensor.dtype import cast
from backscope.tensor.strides import SHARED, address, is_dense, overlap_partly, repeats_elements
from backscope.tensor.tensor import Tensor

watchers: list[Callable[[Tensor], None]] = process_wide([])
"""Callbacks for tensors that are about to be changed in place; only the last one is called."""

PARTLY_SHARED = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
    "location. Please clone() the tensor before performing the operation."
)


def announce(target: Tensor) -> None:
    """Call the last of the watchers with a tensor that is about to be changed in place."""
    if watchers:
        watchers[-1](target)


def castable(src: Value, kind: Dtype) -> Array:
    """Convert raw numbers for memory of a NumPy type: of complex ones the real part, with PyTorch's warning."""
    if src.dtype.kind != "c" or kind.kind == "c":
        return src
    if kind.kind == "b":
        return src != 0
    warn_once("Casting complex values to real discards the imaginary part")
    return src.real


def check_overlap(target: Tensor, sources: Values, *, apart: bool = False) -> None:
    """Raise RuntimeError for a source that shares a part of the target's memory, or with `apart` all of it."""
    data = target._data
    if not isinstance(data, np.ndarray):
        return
    for source in sources:
        if isinstance(source, Tensor) and source is not target and isinstance(source._data, np.ndarray):
            other = source._data
            if apart and np.may_share_memory(data, other) and is_dense(data) and is_dense(other):
                raise RuntimeError(PARTLY_SHARED)
            if (data.base is not None or other.base is not None) and overlap_partly(data, other):
                raise RuntimeError(PARTLY_SHARED)


def is_same_memory(target: Tensor, source: Tensor) -> bool:
    """Return True when two tensors read the same elements of the same memory: a copy between them changes nothing."""
    own, other = target._data, source._data
    if own is other:
        return True
    return (
        isinstance(own, np.ndarray)
        and isinstance(other, np.ndarray)
        and own.base is not None
        and own.dtype == other.dtype
        and own.shape == other.shape
        and all(n == 1 or a == b for n, a, b in zip(own.shape, own.strides, other.strides, strict=True))
        and address(own) == address(other)
    )


def check_written(target: Tensor) -> None:
    """Raise RuntimeError for an expanded tensor, which can't be written to."""
    data = target._data
    if isinstance(data, np.ndarray) and 0 in data.strides and repeats_elements(data):
        raise RuntimeError(SHARED)


FILLING_MASKS = ("masked_fill_", "tensor[mask] = scalar")
"""The name and the example of `warn_if_expanded` for ops that fill at a mask."""


def warn_if_expanded(target: Tensor, name: str, example: str) -> None:
    """Give PyTorch's warning for ops that do write to expanded tensors."""
    if isinstance(target._data, np.ndarray) and repeats_elements(target._data):
        warn(
            f"Use of {name} on expanded tensors is deprecated. Please clone() the tensor before performing this "
            f"operation. This also applies to advanced indexing e.g. {example}"
        )


def store(target: Tensor, data: Value, *, expanded: bool = False) -> None:
    """Write a raw value into a tensor's memory and count the change; RuntimeError for a tensor that is expanded.

    Only ops that write the same to all places may write to `expanded` ones.
    """
    announce(target)
    if hub.keeper is not None:
        hub.keeper.before_change(target._data)
    if meta.used:
        if isinstance(target._data, meta.MetaArray):
            data = target._data
        elif isinstance(data, meta.MetaArray):
            raise meta.no_data()
    if isinstance(target._data, np.ndarray):
        if not expanded:
            check_written(target)
        data = castable(data, target._data.dtype)
        if expanded and repeats_elements(target._data):
            changed = target._data != data
            target._data[changed] = np.broadcast_to(data, changed.shape)[changed]
        else:
            np.copyto(target._data, data, casting="unsafe")
    else:
        target._data = cast(data, target._dtype) if not isinstance(data, np.ndarray) else cast(data, target._dtype)[()]
    target._counter()[0] += 1
    if lazies:
        follow(target)
