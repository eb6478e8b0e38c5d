"""NumPy keys for whole slices and single elements at the indices of a dim."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.declaration import A


def slice_key(dim: int, index: A) -> tuple[Any, ...]:
    """Return the NumPy key for the slices of `dim` at an index."""
    return (*(slice(None),) * dim, np.atleast_1d(index))


def element_key(index: A, dim: int) -> tuple[Any, ...]:
    """Return the NumPy key for single elements: the index along `dim`, and each element's position along other dims."""
    if not index.ndim:
        return (index.reshape(1),)
    places: list[Any] = list(np.indices(index.shape, sparse=True))
    places[dim] = index
    return tuple(places)
