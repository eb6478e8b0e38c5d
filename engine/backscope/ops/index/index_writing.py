"""Slices written, added or filled in at the indices of a dim: index_copy, index_add, index_fill."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.node import described
from backscope.ops.core.arguments.dims import wrap_dim
from backscope.ops.core.arguments.number_casts import check_integer, check_number
from backscope.ops.core.arguments.out_arguments import prepared_outs
from backscope.ops.core.declaration import A, K, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.mutation import mutate
from backscope.ops.core.namespace import export
from backscope.ops.index.index_checks import (
    check_added_slices,
    check_fillable,
    check_in_self,
    check_range,
    first_beyond,
    length_of,
)
from backscope.ops.index.index_keys import slice_key
from backscope.ops.pointwise.arithmetic import like, times
from backscope.runtime.given import Dtype, Value
from backscope.tensor.dtype import dtype, int64
from backscope.tensor.tensor import Tensor, of_raw


def _unique(index: V) -> V:
    """Return the indices without duplicates."""
    return of_raw(np.unique(index._data)) if isinstance(index, Tensor) else np.unique(index)


def _scaled(value: A, alpha: Value) -> A:
    return value if alpha == 1 else value * like(alpha, value)


def _source_dim(node: Any) -> int:
    """The number of dims of `source` that a node of index_add or index_copy shows; of its output where unknown."""
    source = node.saved[node.op.slots.index("source")] if node.saved else None
    if source is not None:
        return int(source._data.ndim)
    below, number = node.edges()[1]
    return len(node.shape if below is None else described(below, number)[0])


@op(
    shows={"source_dim": _source_dim},
    symbol="add at",
    latex={"self": "g", "source": r"\alpha\, g[\text{index}]"},
    summary={
        "self": "passes the incoming gradient on to {self}",
        "source": "reads the incoming gradient at the indices of dim {dim}",
    },
)
class index_add:
    """self with slices of source added at the indices of a dim."""

    def forward(self: A, source: A, dim: int, index: K, alpha: Value = 1) -> A:
        out = np.array(self, order="C")
        alpha = _as_number_of(alpha, self.dtype)
        if not self.ndim:
            return (out + _scaled(source.sum(dtype=self.dtype), alpha))[()]
        if not self.size or not index.size:
            return out
        scaled = _scaled(source, alpha)
        np.add.at(out, slice_key(dim % self.ndim, index), scaled if source.ndim else scaled[None])
        return out

    def grad_self(g: V) -> V:
        return g

    def grad_source(g: V, source: V, dim: V, index: V, alpha: V) -> V:
        if not len(g.shape):
            return times(xp.expand(g, source.shape), alpha)
        picked = xp.index_select(g, dim, index)
        return times(xp.expand(picked, source.shape) if len(source.shape) else xp.reshape(picked, ()), alpha)


def _as_number_of(alpha: Value, kind: Dtype) -> Any:
    """A factor in an integer type, wrapped around as PyTorch casts it."""
    return np.asarray(alpha).astype(kind)[()] if kind.kind in "iu" and alpha != 1 else alpha


@op(
    shows={"source_dim": _source_dim},
    symbol="copy at",
    latex={"self": r"g\ \text{elsewhere}", "source": r"g[\text{index}]"},
    summary={
        "self": "passes the incoming gradient on except at the indices of dim {dim}",
        "source": "reads the incoming gradient at the indices of dim {dim}",
    },
)
class index_copy:
    """self with slices of source written at the indices of a dim."""

    def forward(self: A, source: A, dim: int, index: K) -> A:
        out = np.array(self, order="C")
        if not self.size:
            return out
        if not self.ndim:
            return source.reshape(-1)[-1] if source.size else self[()]
        out[slice_key(dim % self.ndim, index)] = source
        return out

    def grad_self(g: V, dim: V, index: V) -> V:
        return xp.index_fill(g, dim, index, 0)

    def grad_source(g: V, source: V, dim: V, index: V) -> V:
        return xp.reshape(xp.index_select(g, dim, index), source.shape)


@op(
    symbol="fill at",
    latex={"self": r"g\ \text{elsewhere}"},
    summary={"self": "passes the incoming gradient on except at the indices of dim {dim}"},
)
class index_fill:
    """self with one number written at the indices of a dim."""

    def forward(self: A, dim: int, index: K, value: Value) -> A:
        out = np.array(self)
        if index.size and out.size:
            out[slice_key(dim % self.ndim, index) if self.ndim else ()] = np.asarray(value).astype(self.dtype)
        return out[()]

    def grad_self(g: V, dim: V, index: V) -> V:
        return xp.index_fill(g, dim, index, 0)


@op(
    grad_fn="IndexFillBackward1",
    symbol="fill at",
    latex={"self": r"g\ \text{elsewhere}", "value": r"\textstyle\sum g[\text{index}]"},
    summary={
        "self": "passes the incoming gradient on except at the indices of dim {dim}",
        "value": "sums the incoming gradient at the indices of dim {dim}",
    },
)
class index_fill_tensor:
    """self with the value of a 0-d tensor written at the indices of a dim."""

    def forward(self: A, value: A, dim: int, index: K) -> A:
        out = np.array(self)
        if index.size and out.size:
            out[slice_key(dim % self.ndim, index) if self.ndim else ()] = value
        return out[()]

    def grad_self(g: V, dim: V, index: V) -> V:
        return xp.index_fill(g, dim, index, 0)

    def grad_value(g: V, dim: V, index: V) -> V:
        return xp.sum(xp.index_select(g, dim, _unique(index)), None)


def _check_added(self: Tensor, dim: int, index: Tensor, source: Tensor, alpha: Value) -> None:
    d = wrap_dim(dim, self._data.ndim)
    check_added_slices("index_add_", self, d, index, source)
    count, places = self._data.ndim, index._data
    if alpha.__class__ is int:
        check_integer(alpha)
    if count < 2:
        check_number(alpha, self._dtype)
    elif not self._data.size or not places.size:
        return
    # For an int64 index of the first or the last dim, PyTorch adds by elements, which has another error.
    elif index._dtype is int64 and d in (0, count - 1) and alpha == 1 and alpha is not True:
        check_range(self, d, index)
        return
    # PyTorch converts alpha at each slice, so the first index is checked before it.
    elif alpha != 1 and 0 <= places.flat[0] < length_of(self, d):
        check_number(alpha, self._dtype)
    check_in_self(self, d, index)


def _added(
    input: Tensor,  # noqa: A002
    dim: int,
    index: Tensor,
    source: Tensor,
    *,
    alpha: Value = 1,
) -> tuple[tuple[int, ...], dtype]:
    """Return the shape and the dtype of what index_add writes; raise the errors that come before those of indices."""
    check_added_slices("index_add_", input, wrap_dim(dim, input._data.ndim), index, source)
    return input._data.shape, input._dtype


prepared_outs["index_add"] = _added


@export("index_add")
def _index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Value = 1) -> Any:  # noqa: A002
    """A copy with slices of source added at the indices of a dim."""
    _check_added(input, dim, index, source, alpha)
    return apply(primitives["index_add"], input, source, dim, index, alpha)


@export(function=False)
def index_add_(self: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Value = 1) -> Tensor:
    """Add slices of source at the indices of a dim in place."""
    _check_added(self, dim, index, source, alpha)
    return mutate("index_add", self, source, dim, index, alpha, apart=True)


def _check_copied(self: Tensor, dim: int, index: Tensor, source: Tensor) -> None:
    own, given = list(self._data.shape), list(source._data.shape)
    d = wrap_dim(dim, len(own))
    if index._data.ndim > 1:
        raise IndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {index._data.ndim})")
    if not given and index._data.size != 1:
        raise IndexError(
            f"index_copy_(): When source is scalar, index should have one element (got {index._data.size})"
        )
    if own and given and len(own) != len(given):
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({len(given)}), destination dimensionality ({len(own)})"
        )
    if index._dtype is not int64:
        raise RuntimeError(f"index_copy_(): Expected a long tensor for index, but got {index._dtype.type_name}")
    if self._dtype is not source._dtype:
        raise RuntimeError(
            f"index_copy_(): self and source expected to have the same dtype, but got (self) {self._dtype.type_name} "
            f"and (source) {source._dtype.type_name}"
        )
    here, there = own[:d] + own[d + 1 :], given[:d] + given[d + 1 :]
    if here != there:
        raise RuntimeError(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{' '.join(map(str, here))} at dimension {d} and source slice shape: {' '.join(map(str, there))} at "
            "dimension 0."
        )
    if given and index._data.size != given[d]:
        raise IndexError(
            f"index_copy_(): Number of indices ({index._data.size}) should be equal to source.size(dim) ({given[d]})"
        )
    if (wrong := first_beyond(self, d, index, 0)) is not None:
        n = length_of(self, d)
        raise IndexError(f"index_copy_(): index {wrong} is out of bounds for dimension {d} with size {n}")


def _copied(input: Tensor, dim: int, index: Tensor, source: Tensor) -> tuple[tuple[int, ...], dtype]:  # noqa: A002
    """Return the shape and the dtype of what index_copy writes."""
    wrap_dim(dim, input._data.ndim)
    return input._data.shape, input._dtype


prepared_outs["index_copy"] = _copied


@export("index_copy")
def _index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Any:  # noqa: A002
    """A copy with slices of source written at the indices of a dim."""
    _check_copied(input, dim, index, source)
    return apply(primitives["index_copy"], input, source, dim, index)


@export(function=False)
def index_copy_(self: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """Write slices of source at the indices of a dim in place."""
    _check_copied(self, dim, index, source)
    return mutate("index_copy", self, source, dim, index, apart=True)


_DEPRECATED = ("index_fill_", "tensor[mask] = scalar")


def _check_filled(self: Tensor, dim: int, index: Tensor, value: Value) -> None:
    if isinstance(value, Tensor) and value._data.ndim:
        raise RuntimeError(
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value._data.ndim} dimension(s)."
        )
    if index._dtype is not int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    is_complex = value._dtype.is_complex if isinstance(value, Tensor) else isinstance(value, complex)
    if is_complex and not self._dtype.is_complex:
        raise RuntimeError("index_fill_(): Converting complex Scalar to non-complex type is not supported")
    d = wrap_dim(dim, self._data.ndim)
    if index._data.ndim > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    check_fillable(self, d, index, value)


@export("index_fill")
def _index_fill(input: Tensor, dim: int, index: Tensor, value: Value) -> Any:  # noqa: A002
    """A copy with one value, a number or a 0-d tensor, written at the indices of a dim."""
    _check_filled(input, dim, index, value)
    if isinstance(value, Tensor):
        return apply(primitives["index_fill_tensor"], input, value, dim, index)
    return apply(primitives["index_fill"], input, dim, index, value)


@export(function=False)
def index_fill_(self: Tensor, dim: int, index: Tensor, value: Value) -> Tensor:
    """Write one value, a number or a 0-d tensor, at the indices of a dim in place."""
    _check_filled(self, dim, index, value)
    if isinstance(value, Tensor):
        return mutate(
            "index_fill_tensor",
            self,
            value,
            dim,
            index,
            reported_as="index_fill_",
            expanded=True,
            deprecated=_DEPRECATED,
        )
    return mutate("index_fill", self, dim, index, value, expanded=True, deprecated=_DEPRECATED)
