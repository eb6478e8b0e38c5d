"""AxisMap: a linear map along one dim of an array, such as picking, averaging or interpolating, and its transpose."""

from __future__ import annotations

import numpy as np

from backscope.runtime.given import Array, Value, Values
from backscope.tensor.dtype import LOW_PRECISION, cast, dtype


class AxisMap:
    """out[rows[k]] += weights[k] * in[columns[k]] along a dim, for all k; without `weights` each counts 1.

    Shape: `lengths` is (out, in).
    """

    __slots__ = ("_transposed", "columns", "lengths", "rows", "starts", "unique", "weights")

    def __init__(self, rows: Value, columns: Value, weights: Values, lengths: tuple[int, int]) -> None:
        order = np.argsort(rows, kind="stable")
        self.rows = np.asarray(rows)[order]
        self.columns = np.asarray(columns)[order]
        self.weights = None if weights is None else np.asarray(weights)[order]
        self.lengths = lengths
        self.unique, self.starts = np.unique(self.rows, return_index=True)
        self._transposed: AxisMap | None = None

    @property
    def nbytes(self) -> int:
        """The memory that the map takes, together with its transpose."""
        own = [self.rows, self.columns, self.weights, self.unique, self.starts]
        return 2 * sum([0 if part is None else part.nbytes for part in own])

    @property
    def transposed(self) -> AxisMap:
        """Return the map that gradients take."""
        if self._transposed is None:
            self._transposed = AxisMap(self.columns, self.rows, self.weights, self.lengths[::-1])
            self._transposed._transposed = self
        return self._transposed

    def apply(self, value: Value, axis: int) -> Array:
        """Map `value` along `axis`, in its own dtype."""
        axis %= value.ndim
        kind = dtype.table[value.dtype]
        picked = value.take(self.columns, axis)
        if len(self.unique) == len(self.rows) == self.lengths[0] and self.weights is None:
            return picked
        if kind in LOW_PRECISION:
            picked = picked.astype(np.float32)
        if self.weights is not None:
            along = [1] * value.ndim
            along[axis] = -1
            picked = picked * self.weights.astype(picked.real.dtype).reshape(along)
            picked += 0  # Adding to 0 leaves no minus zeros.
        if len(self.unique) < len(self.rows):
            picked = np.add.reduceat(picked, self.starts, axis)
        if len(self.unique) < self.lengths[0]:
            out = np.zeros((*value.shape[:axis], self.lengths[0], *value.shape[axis + 1 :]), picked.dtype)
            out[(slice(None),) * axis + (self.unique,)] = picked
            picked = out
        return cast(picked, kind)


def picking(columns: Value, length: int) -> AxisMap:
    """Return the map that reads a dim of `length` at the indices `columns`."""
    columns = np.asarray(columns)
    return AxisMap(np.arange(len(columns)), columns, None, (len(columns), length))
