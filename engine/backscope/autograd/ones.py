"""Vectors of ones: multiplied by them, a matrix gives the sums of its rows or columns sooner than by a reduction.

And numbers as arrays, which ufuncs take sooner than Python's.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

LONGEST = 8192
"""Longer vectors are made anew each time."""


def ones(count: int, kind: Any) -> Any:
    """A vector of ones that is not to be written to."""
    return _kept(count, kind) if count <= LONGEST else np.ones(count, kind)


@lru_cache(64)
def _kept(count: int, kind: Any) -> Any:
    made = np.ones(count, kind)
    made.flags.writeable = False
    return made


@lru_cache(256)
def number(value: float, kind: Any) -> Any:
    """A number as an array of no dims that is not to be written to."""
    made = np.asarray(value, kind)
    made.flags.writeable = False
    return made
