"""Positions of elements: argwhere, nonzero_static, unravel_index."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from backscope.ops.core.namespace import export, torch_functions as f
from backscope.ops.create.creation import tensor
from backscope.runtime.given import Shape, Value, Values
from backscope.tensor.dtype import INTEGER, int64
from backscope.tensor.tensor import Tensor, of_raw


@export()
def argwhere(input: Tensor) -> Value:  # noqa: A002
    """The indices of the elements that are not zero."""
    return f["nonzero"](input)


@export(method=False)
def unravel_index(indices: Tensor, shape: Shape) -> Values:
    """Places counted in a row as indices by dim."""
    if not isinstance(indices, Tensor):
        raise AttributeError(f"'{type(indices).__name__}' object has no attribute 'is_complex'")
    if indices._dtype.category != INTEGER:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices._dtype!r}")
    if not isinstance(shape, (int, Sequence)):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    size = (shape,) if isinstance(shape, int) else tuple(shape)
    for n in size:
        if not isinstance(n, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(n)}")
    if any(n < 0 for n in size):
        raise ValueError(f"'shape' cannot have negative values, but got {size}")
    steps = [math.prod(size[d + 1 :]) for d in range(len(size))]
    places: Any = indices.unsqueeze(-1).floor_divide(tensor(steps, dtype=int64))  # type: ignore[attr-defined]
    return (places % tensor(size, dtype=int64)).unbind(-1)


@export("nonzero_static")
def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Value:  # noqa: A002
    """Return the indices of `size` elements that are not zero, padded with `fill_value` where there are fewer."""
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    places = np.stack(np.nonzero(np.atleast_1d(input._data)), axis=1)[:size, : input._data.ndim]
    out = np.full((size, input._data.ndim), fill_value, np.int64)
    out[: len(places)] = places
    return of_raw(out)
