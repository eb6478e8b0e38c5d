"""Whether captured values are finite, and how large they are."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from backscope.pytorch.values import Later, fetch
from backscope.summary.summary import Blank, Digest


class Finiteness(NamedTuple):
    """Whether a value has a NaN, and whether an infinity."""

    nan: bool
    infinite: bool

    @property
    def finite(self) -> bool:
        """Whether it has neither."""
        return not (self.nan or self.infinite)


FINITE = Finiteness(nan=False, infinite=False)


# Any: a captured value, as narration takes it.
def finiteness(value: Any) -> Finiteness:
    """Return whether a captured value is finite; what is on a device is fetched for that."""
    value = _here(value)
    if value is None or isinstance(value, Blank):
        return FINITE
    if isinstance(value, Digest):
        return Finiteness(bool(value.nan_count), bool(value.inf_count))
    array = np.asarray(value)
    if array.dtype.kind not in "fcV":
        return FINITE
    if array.dtype.kind == "V":
        array = array.astype(np.float32)
    return Finiteness(bool(np.isnan(array).any()), bool(np.isinf(array).any()))


def of_number(value: object) -> Finiteness:
    """Return whether a Python number that an op was given is finite."""
    if not isinstance(value, float):
        return FINITE
    return Finiteness(math.isnan(value), math.isinf(value))


# Any: a captured value, as narration takes it.
def norm_of(value: Any) -> float | None:
    """Return the Euclidean norm of a captured value, None where there are no numbers."""
    value = _here(value)
    if value is None or isinstance(value, Blank):
        return None
    if isinstance(value, Digest):
        return value.norm
    array = np.asarray(value).reshape(-1)
    return float(np.linalg.norm(array if array.dtype.kind == "c" else array.astype(np.float64)))


# Any: a captured value, as narration takes it.
def _here(value: Any) -> Any:
    if isinstance(value, Later):
        values = [value]
        fetch(values)
        return values[0]
    return value
