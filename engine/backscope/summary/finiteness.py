"""Tests of whether values are finite and how large they are, where possible by one product of a value with itself."""

from __future__ import annotations

import math
from collections.abc import Iterable
from math import isfinite
from typing import Any

import numpy as np

from backscope.runtime.given import Value
from backscope.tensor.tensor import Tensor

ndarray = np.ndarray
float32, float64 = np.float32, np.float64
FLOAT32, FLOAT64 = np.dtype(float32), np.dtype(float64)
vdot = getattr(np.vdot, "_implementation", np.vdot)
"""NumPy's product without its lookup of __array_function__, which takes as long for small arrays."""


def finite(value: Value) -> bool:
    """Return True when a raw value, or a tensor's, has neither NaN nor infinity, or can't have any."""
    kind = value.__class__
    if kind is float32 or kind is float64:
        return isfinite(value)
    if kind is ndarray:
        dtype = value.dtype
        # Products and sums of finite numbers may overflow: a result that is not finite needs a closer check.
        if dtype is FLOAT32 or dtype is FLOAT64:
            return isfinite(vdot(value, value)) or bool(np.isfinite(value).all())
        if dtype.kind not in "fcV":
            return True
        return bool(np.isfinite(np.add.reduce(value, None)) or np.isfinite(value).all())
    if isinstance(value, Tensor):
        return finite(value._data)
    if isinstance(value, (float, np.floating)):
        return isfinite(value)
    if isinstance(value, (complex, np.complexfloating)):
        return isfinite(value.real) and isfinite(value.imag)
    return True


def all_finite(values: Iterable[Any]) -> bool:
    """Return True when all of some raw values are finite; None counts as finite."""
    for value in values:  # noqa: SIM110 - a generator costs as much as a check
        if not finite(value):
            return False
    return True


def any_nan(values: Iterable[Any]) -> bool:
    """Return True when any of some raw values, or tensors', has a NaN."""
    for value in values:
        raw = value._data if isinstance(value, Tensor) else value
        if not finite(raw) and bool(np.isnan(raw).any()):
            return True
    return False


def norm(value: Value) -> float:
    """The Euclidean norm of a raw value, or a tensor's, summed in float64."""
    flat = np.asarray(value._data if isinstance(value, Tensor) else value).reshape(-1)
    if flat.dtype.kind != "c":
        flat = flat.astype(np.float64)
    return float(np.linalg.norm(flat))


class Bounds:
    """Bounds of norms, each with the breakpoints for norms out of them."""

    def __init__(self) -> None:
        self._given: list[tuple[float, float, Any]] = []
        self._least = -1.0
        self._most = math.inf
        self.within: list[int] = []
        """The ids of the arrays sent by a node that are surely within the bounds."""
        self.sent: Any = None
        """The recorder's list of what that node sent; with another list the arrays may have changed since."""

    def __bool__(self) -> bool:
        return bool(self._given)

    def add(self, above: float | None, below: float | None, what: object) -> None:
        """Add `what`, which is returned for norms above one bound and below the other; None means no bound."""
        above = math.inf if above is None else above
        below = -math.inf if below is None else below
        self._given.append((above, below, what))
        # A float32 sum of squares strictly between these proves the bounds; at the ends of its range it proves nothing.
        self._most = min(self._most, above * above * 0.99 if above > 1e-15 else 0.0)
        self._least = max(self._least, below * below * 1.01 if below > 0 else -1.0)

    @property
    def squares(self) -> tuple[float, float]:
        """The exclusive limits of squares that are surely within the bounds."""
        return self._least, self._most

    def surely(self, value: Value) -> bool:
        """Return True when the product of an array with itself proves that its norm is within the bounds and finite."""
        if value.__class__ is not ndarray:
            return False
        dtype = value.dtype
        return (dtype is FLOAT32 or dtype is FLOAT64) and bool(self._least < vdot(value, value) < self._most)

    def beyond(self, value: Value) -> tuple[float, list[Any]] | None:
        """Return the norm of a value out of the bounds and all that was added for it; None within the bounds."""
        kind = value.__class__
        if kind is float32 or kind is float64:
            number = float(value)
            if self._least < number * number < self._most:
                return None
        elif self.surely(value):
            return None
        found = norm(value)
        waiting = self.outside(found)
        return (found, waiting) if waiting else None

    def outside(self, norm: float) -> list[Any]:
        """Return all that was added for a norm out of the bounds."""
        return [what for above, below, what in self._given if norm > above or norm < below]
