"""Sparse: the raw value of a sparse tensor in coordinate format, which adds up like an array."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

import numpy as np

from backscope.runtime.given import Array, Dim, Dtype, Option, Shape, Value, Values


class NotImplementedForSparse(NotImplementedError, AttributeError):
    """An operation on a sparse tensor that is only implemented for dense ones."""

    def __init__(self) -> None:
        super().__init__(
            "Backscope does not compute this with sparse tensors. Call .to_dense() first, or compute with .coalesce() "
            "and its .values()."
        )


# In a traceback it is what PyTorch raises.  An AttributeError too, for hasattr and getattr with a default.
NotImplementedForSparse.__module__ = "builtins"
NotImplementedForSparse.__name__ = NotImplementedForSparse.__qualname__ = "NotImplementedError"


_NAMES = "absolute sqrt square sin tan sinh tanh arcsin arctan arcsinh arctanh floor ceil trunc rint sign expm1 log1p"
ZEROS_STAY = frozenset([getattr(np, name) for name in f"{_NAMES} deg2rad rad2deg isnan isinf".split()])
"""Functions that are 0 at 0, of which PyTorch computes the values of sparse tensors alone."""

OF_ALL = frozenset([np.sum, np.any, np.all])
"""Functions of all elements: their result is no sparse tensor in PyTorch either."""


def _shape(value: Value) -> tuple[int, ...]:
    return getattr(value, "shape", ())


def elements_at(array: Array, indices: Values) -> Array:
    """Return the elements of an array at coordinates; without sparse dims, the array once for each coordinate.

    Shape: indices [sparse dims, nnz], array [*sparse shape, *dense dims]; the result [nnz, *dense dims].
    """
    return array[tuple(indices)] if len(indices) else np.repeat(array[None], np.shape(indices)[1], axis=0)


class Sparse:
    """Values at coordinates of an array of zeros; the same coordinate may come several times until coalesced.

    Shape: indices [sparse dims, nnz], values [nnz, *dense dims].
    """

    __slots__ = ("coalesced", "indices", "shape", "values")

    def __init__(self, indices: Values, values: Values, shape: tuple[int, ...], coalesced: bool = False) -> None:
        self.indices = indices
        self.values = values
        self.shape = tuple(shape)
        self.coalesced = coalesced

    @classmethod
    def filled(cls, name: str, shape: Shape, kind: Dtype) -> Sparse:
        """Return a tensor of zeros for the functions `zeros` and `empty`; NotImplementedError for other functions."""
        if name not in ("zeros", "empty"):
            raise NotImplementedForSparse
        return cls(np.zeros((len(shape), 0), np.int64), np.zeros(0, kind), shape, True)

    @property
    def dtype(self) -> Dtype:
        """The numpy dtype of the values."""
        return self.values.dtype

    @property
    def ndim(self) -> int:
        """The number of dims."""
        return len(self.shape)

    @property
    def strides(self) -> tuple[int, ...]:
        """0 along each dim: there is no memory for each element."""
        return (0,) * self.ndim

    @property
    def size(self) -> int:
        """The number of elements, zeros counted."""
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        """Bytes of one value."""
        return int(self.values.itemsize)

    @property
    def nbytes(self) -> int:
        """Bytes of indices and values."""
        return int(self.indices.nbytes + self.values.nbytes)

    def dense(self) -> Array:
        """The values as a dense array."""
        return self.added_to(np.zeros(self.shape, self.dtype))

    def added_to(self, out: Value) -> Array:
        """`out` after the values were added to it in place."""
        if not len(self.indices):
            out += self.values.sum(0, dtype=self.dtype)
        elif self.coalesced:
            out[tuple(self.indices)] += self.values
        else:
            np.add.at(out, tuple(self.indices), self.values)
        return out

    def coalesce(self) -> Sparse:
        """Coordinates in order, each once."""
        if self.coalesced:
            return self
        lengths = self.shape[: len(self.indices)]
        count = self.indices.shape[1]
        flat = np.ravel_multi_index(tuple(self.indices), lengths) if self.indices.size else np.zeros(count, np.int64)
        unique, places = np.unique(flat, return_inverse=True)
        values = np.zeros((len(unique), *self.values.shape[1:]), self.dtype)
        np.add.at(values, places, self.values)
        coordinates = np.unravel_index(unique, lengths) if lengths else ()
        indices = np.array(coordinates, np.int64).reshape(len(lengths), len(unique))
        return Sparse(indices, values, self.shape, True)

    @property
    def T(self) -> Sparse:
        """The dims the other way round."""
        return self.transpose()

    def transpose(self, *order: Dim) -> Sparse:
        """The dims in another order; NotImplementedError where dims of single values would move."""
        dims = tuple(order[0] if len(order) == 1 and not isinstance(order[0], int) else order)
        dims = tuple([d % self.ndim for d in dims or range(self.ndim - 1, -1, -1)])
        if len(self.indices) != self.ndim:
            raise NotImplementedForSparse
        return Sparse(self.indices[list(dims)], self.values, tuple([self.shape[d] for d in dims]))

    def swapaxes(self, first: int, second: int) -> Sparse:
        """Two dims exchanged."""
        order = list(range(self.ndim))
        order[first], order[second] = order[second], order[first]
        return self.transpose(order)

    def with_values(self, values: Values) -> Sparse:
        """Return a tensor with other values at these coordinates."""
        return Sparse(self.indices, values, self.shape, self.coalesced)

    def copy(self) -> Sparse:
        """Return a copy with its own memory."""
        return Sparse(self.indices.copy(), self.values.copy(), self.shape, self.coalesced)

    @property
    def is_row_major(self) -> bool:
        """True if indices and values lie in memory row by row."""
        return bool(self.indices.flags.c_contiguous and self.values.flags.c_contiguous)

    def astype(self, dtype: Dtype, copy: bool = True) -> Sparse:
        """Return a tensor with the values in another dtype."""
        return self.with_values(self.values.astype(dtype, copy=copy))

    def __array__(self, dtype: Dtype = None, copy: Option = None) -> Array:
        dense = self.dense()
        return dense if dtype is None else dense.astype(dtype)

    def __getattr__(self, name: str) -> NoReturn:
        raise NotImplementedForSparse

    def __getitem__(self, index: Value) -> Value:
        raise NotImplementedForSparse

    def __array_function__(
        self, function: Callable[..., Any], types: Iterable[type], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Value:
        """Of an array where the result is one in PyTorch too; NotImplementedError for what would be sparse again."""
        if function is np.dot:
            if all(isinstance(x, Sparse) for x in args):
                raise NotImplementedForSparse
            return np.dot(*[x.dense() if isinstance(x, Sparse) else x for x in args], **kwargs)
        if function is np.shape:
            return self.shape
        if function in (np.transpose, np.swapaxes):
            return getattr(self, function.__name__)(*args[1:], **kwargs)
        if function is np.zeros_like:
            return Sparse(self.indices[:, :0], self.values[:0], self.shape, True)
        if function is np.round:
            once = self.coalesce()
            return once.with_values(np.round(once.values, *args[1:], **kwargs))
        if function not in OF_ALL or len(args) != 1 or not self._all_of(kwargs.get("axis")):
            raise NotImplementedForSparse
        return function(self.dense(), **kwargs)

    def _all_of(self, axis: Dim) -> bool:
        return axis is None or len(np.atleast_1d(axis)) == self.ndim

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Values, out: Value = None, **kwargs: Option
    ) -> Value:
        """Sums, products and functions that leave zeros zeros; NotImplementedError for anything else."""
        if method == "__call__" and out is None:
            found = self._combined(ufunc, inputs)
            if found is not None:
                return found
        dense = [x.dense() if isinstance(x, Sparse) else x for x in inputs]
        if out is not None and ufunc in (np.add, np.subtract) and not isinstance(inputs[0], Sparse):
            return ufunc(*dense, out=out, **kwargs)  # type: ignore[call-overload]
        if method == "reduce" and self._all_of(kwargs.get("axis")):
            return ufunc.reduce(*dense, **kwargs)
        raise NotImplementedForSparse

    def _combined(self, ufunc: np.ufunc, inputs: tuple[Any, ...]) -> Any:
        if ufunc is np.negative:
            return self.with_values(-self.values)
        if ufunc in ZEROS_STAY and len(inputs) == 1:
            once = self.coalesce()
            return once.with_values(ufunc(once.values))
        if len(inputs) != 2:
            return None
        a, b = inputs
        if ufunc in (np.add, np.subtract):
            if isinstance(a, Sparse) and isinstance(b, Sparse):
                return a.joined(b if ufunc is np.add else -b)
            if isinstance(a, Sparse):
                raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
            if _shape(a) == b.shape:
                return (b if ufunc is np.add else b.with_values(-b.values)).added_to(np.array(a))
        if ufunc is np.matmul and not (isinstance(a, Sparse) and isinstance(b, Sparse)):
            return ufunc(*[x.dense() if isinstance(x, Sparse) else x for x in inputs])
        if a is b and ufunc is np.multiply:
            return self._combined(np.square, (a,))
        if isinstance(a, Sparse) and isinstance(b, Sparse):
            return a.multiplied(b) if ufunc is np.multiply and a.shape == b.shape else None
        if ufunc is np.power and isinstance(a, Sparse) and not _shape(b) and b > 0:
            once = a.coalesce()
            return once.with_values(once.values**b)
        if ufunc is np.maximum and isinstance(b, Sparse) and not _shape(a) and a == 0:
            once = b.coalesce()
            return once.with_values(np.maximum(a, once.values))
        if ufunc in (np.multiply, np.true_divide) and isinstance(a, Sparse) and not _shape(b):
            return a.with_values(ufunc(a.values, b))
        if ufunc is np.multiply and not _shape(a):
            return b.with_values(ufunc(a, b.values))
        if ufunc is np.multiply:
            once, other = (a.coalesce(), b) if isinstance(a, Sparse) else (b.coalesce(), a)
            if np.broadcast_shapes(_shape(a), _shape(b)) == once.shape:
                other = np.broadcast_to(other, once.shape)
                return once.with_values(once.values * other[tuple(once.indices)])
        return None

    def multiplied(self, other: Sparse) -> Sparse:
        """The product: at the coordinates that both have."""
        a, b = self.coalesce(), other.coalesce()
        lengths = self.shape[: len(a.indices)]
        ours, theirs = (np.ravel_multi_index(tuple(x.indices), lengths) for x in (a, b))
        _, first, second = np.intersect1d(ours, theirs, return_indices=True)
        return Sparse(a.indices[:, first], a.values[first] * b.values[second], self.shape, True)

    def joined(self, other: Sparse) -> Sparse:
        """The sum: coordinates of both, merged in step as PyTorch does where both blocks of values are contiguous.

        Else they are put in a row, and summed up where there are then more of them than elements.
        """
        if not (self.values.flags.c_contiguous and other.values.flags.c_contiguous):
            values = np.concatenate([self.values, other.values])
            row = Sparse(np.concatenate([self.indices, other.indices], 1), values, self.shape)
            if len(values) <= self.size:
                return row
            once = row.coalesce()
            return Sparse(once.indices, once.values, self.shape)
        ours, theirs = self.indices.T.tolist(), other.indices.T.tolist()
        indices: list[Any] = []
        values_of: list[Any] = []
        i = j = 0
        while i < len(ours) or j < len(theirs):
            from_both = i < len(ours) and j < len(theirs) and ours[i] == theirs[j]
            first = from_both or j >= len(theirs) or (i < len(ours) and ours[i] < theirs[j])
            indices.append(ours[i] if first else theirs[j])
            if from_both:
                values_of.append(self.values[i] + other.values[j])
            else:
                values_of.append(self.values[i] if first else other.values[j])
            i += first
            j += from_both or not first
        at = np.array(indices, np.int64).reshape(len(indices), len(self.indices)).T
        values = np.array(values_of, self.dtype).reshape(len(indices), *self.values.shape[1:])
        return Sparse(np.ascontiguousarray(at), values, self.shape, self.coalesced and other.coalesced)

    def __add__(self, other: Value) -> Value:
        # What came before is added to what comes after: the order in which PyTorch collects sparse gradients.
        return np.add(other, self)

    def __radd__(self, other: Value) -> Value:
        return np.add(other, self)

    def __sub__(self, other: Value) -> Value:
        return np.subtract(self, other)

    def __rsub__(self, other: Value) -> Value:
        return np.subtract(other, self)

    def __mul__(self, other: Value) -> Value:
        return np.multiply(self, other)

    def __rmul__(self, other: Value) -> Value:
        return np.multiply(other, self)

    def __pow__(self, other: Value) -> Value:
        return np.power(self, other)

    def __matmul__(self, other: Value) -> Value:
        return np.matmul(self, other)

    def __rmatmul__(self, other: Value) -> Value:
        return np.matmul(other, self)

    def __truediv__(self, other: Value) -> Value:
        return np.true_divide(self, other)

    def __neg__(self) -> Sparse:
        return self.with_values(-self.values)

    def sum(self, axis: Dim = None, **kwargs: object) -> Value:
        """The sum of all elements; NotImplementedError along an axis, where it would be sparse again."""
        if not self._all_of(axis):
            raise NotImplementedForSparse
        return self.dense().sum(axis, **kwargs)
