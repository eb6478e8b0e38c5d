"""Vectors of ones and numbers as arrays, which are kept.

A product of a matrix with a vector of ones gives the sums of its rows or columns faster than a reduction.  A ufunc runs
faster on a number as an array than on a Python number.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from backscope.runtime.given import Array, Dtype

LONGEST = 8192
"""Longer vectors are not kept."""


def ones(count: int, kind: Dtype) -> Array:
    """Return a vector of ones that must not be written to."""
    return _kept(count, kind) if count <= LONGEST else np.ones(count, kind)


@lru_cache(64)
def _kept(count: int, kind: Dtype) -> Any:
    made = np.ones(count, kind)
    made.flags.writeable = False
    return made


@lru_cache(256)
def number(value: float, kind: Dtype) -> Array:
    """Return a number as an array of no dims that must not be written to."""
    made = np.asarray(value, kind)
    made.flags.writeable = False
    return made
