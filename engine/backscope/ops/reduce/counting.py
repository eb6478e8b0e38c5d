"""Distinct elements, histograms, and places in sorted boundaries."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.not_implemented import no_derivative
from backscope.ops.core.declaration import A, V, op, primitives
from backscope.ops.core.dispatch import apply
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import export
from backscope.ops.core.unsupported import no_kernel
from backscope.runtime.given import Value, Values
from backscope.tensor.dtype import BOOL, FLOATING, bool_
from backscope.tensor.tensor import Tensor, of_raw


def _unique(values: Values, dim: int | None) -> tuple[Any, Any, Any]:
    wider = wide(values)
    found, inverse, counts = np.unique(wider, return_inverse=True, return_counts=True, axis=dim, equal_nan=False)
    found = found.astype(values.dtype, copy=False)
    return found, inverse.reshape(values.shape if dim is None else (values.shape[dim],)), counts


def _consecutive(values: Values, dim: int | None) -> tuple[Any, Any, Any]:
    lines = values.reshape(-1) if dim is None else np.moveaxis(values, dim, 0)
    count = len(lines)
    changed = np.ones(count, bool)
    if count > 1:
        differs = lines[1:] != lines[:-1]
        changed[1:] = differs if differs.ndim == 1 else differs.reshape(count - 1, -1).any(1)
    starts = np.flatnonzero(changed)
    inverse = np.cumsum(changed) - 1
    counts = np.diff(np.append(starts, count))
    found = lines[starts]
    if dim is None:
        return found, inverse.reshape(values.shape), counts
    return np.ascontiguousarray(np.moveaxis(found, 0, dim)), inverse, counts


def _declare(name: str, grad_fn: str, find: Any, shown: str) -> None:
    def forward(self: A, dim: int | None = None) -> A:
        return find(self, dim)

    def grad_self(g: V, self_shape: V) -> V:
        raise no_derivative(shown)

    forward.__annotations__ = {"self": "A", "dim": "int | None"}
    op(
        name=name,
        grad_fn=grad_fn,
        outputs=3,
        differentiable=1,
        returns=("output", "inverse_indices", "counts"),
        symbol="unique",
        latex={"self": r"\text{not defined}"},
        summary={"self": "has no derivative: PyTorch does not implement it"},
    )(type(name, (), {"forward": forward, "grad_self": grad_self}))


_declare("unique", "UniqueBackward0", _unique, "_unique")
_declare("unique2", "Unique2Backward0", _unique, "_unique2")
_declare("unique_dim", "UniqueDimBackward0", _unique, "unique_dim")
_declare("unique_consecutive", "UniqueConsecutiveBackward0", _consecutive, "unique_consecutive")


def _chosen(found: Value, return_inverse: bool, return_counts: bool) -> Any:
    output, inverse, counts = found
    if not (return_inverse or return_counts):
        return output
    return (output, *([inverse] if return_inverse else []), *([counts] if return_counts else []))


@export("unique")
def unique(
    input: Tensor,  # noqa: A002
    sorted: bool = True,  # noqa: A002
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Values:
    """Return the sorted distinct elements, with the index of each element among them and the counts."""
    name = "unique2" if dim is None else "unique_dim"
    return _chosen(apply(primitives[name], input, dim), return_inverse, return_counts)


@export("_unique")
def _unique_and_inverse(input: Tensor, sorted: bool = True, return_inverse: bool = False) -> Any:  # noqa: A002
    """Return the distinct elements, with the index of each element among them or an empty tensor."""
    output, inverse, _ = apply(primitives["unique"], input, None)
    return output, inverse if return_inverse else _no_numbers()


@export("_unique2")
def _unique2(
    input: Tensor,  # noqa: A002
    sorted: bool = True,  # noqa: A002
    return_inverse: bool = False,
    return_counts: bool = False,
) -> Any:
    """The distinct elements, the inverse indices and the counts; the last two are empty unless requested."""
    output, inverse, counts = apply(primitives["unique2"], input, None)
    return output, inverse if return_inverse else _no_numbers(), counts if return_counts else _no_numbers()


def unique_dim(
    input: Tensor,  # noqa: A002
    dim: int,
    sorted: bool = True,  # noqa: A002
    return_inverse: bool = False,
    return_counts: bool = False,
) -> Values:
    """Return the distinct slices along a dim, the index of each slice among them, and the counts."""
    return apply(primitives["unique_dim"], input, dim)


def _no_numbers() -> Any:
    return of_raw(np.empty(0, np.int64))


@export("unique_consecutive")
def unique_consecutive(
    input: Tensor,  # noqa: A002
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Values:
    """Return the elements without consecutive duplicates."""
    return _chosen(apply(primitives["unique_consecutive"], input, dim), return_inverse, return_counts)


def _bounds(values: Values, low: float, high: float) -> tuple[float, float]:
    if low == high and values.size:
        low, high = float(np.min(values)), float(np.max(values))
    if low == high:
        low, high = low - 1, high + 1
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RuntimeError(f"range of [{low}, {high}] is not finite")
    if low > high:
        raise RuntimeError("max must be larger than min")
    return low, high


@export("histc")
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Value:  # noqa: A002
    """Count the elements in each of `bins` equal parts from min to max (of the data where both are 0)."""
    if input._dtype.category != FLOATING:
        raise no_kernel("linspace_cpu" if input._dtype.category == BOOL else "histogram_cpu", input._dtype)
    values = input._array()
    low, high = _bounds(values, min, max)
    counted, _ = np.histogram(values[(values >= low) & (values <= high)], bins, (low, high))
    return of_raw(counted.astype(values.dtype))


def _searched(boundaries: Any, values: Values, right: bool, out_int32: bool) -> Any:
    side = "right" if right else "left"
    kind = np.int32 if out_int32 else np.int64
    boundaries, values = wide(boundaries), np.asarray(wide(values))
    if boundaries.ndim == 1:
        found = np.asarray(np.searchsorted(boundaries, values, side=side)).astype(kind)  # type: ignore[call-overload]
    else:
        found = np.empty(values.shape, kind)
        for place in np.ndindex(*values.shape[:-1]):
            found[place] = np.searchsorted(boundaries[place], values[place], side=side)  # type: ignore[call-overload]
    if values.dtype.kind == "f":
        found[np.isnan(values)] = boundaries.shape[-1]  # NaN is sorted after everything else.
    return found[()]


@export("searchsorted", method=False)
def searchsorted(
    sorted_sequence: Tensor,
    input: Value,  # noqa: A002
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Value:
    """Return the position at which each value would be inserted in the sorted last dim of a sequence."""
    if side not in (None, "left", "right"):
        raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    kind = sorted_sequence._dtype
    if kind.is_complex or kind is bool_:
        raise no_kernel("searchsorted_out_cpu", kind)
    boundaries = sorted_sequence._array()
    if sorter is not None:
        boundaries = np.take_along_axis(boundaries, sorter._array(), -1)
    values = input._array() if isinstance(input, Tensor) else np.asarray(input)
    if boundaries.ndim != 1 and boundaries.shape[:-1] != values.shape[:-1]:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
            f"tensor and input value tensor must match, but we got boundaries tensor {list(boundaries.shape)} and "
            f"input value tensor {list(values.shape)}"
        )
    return of_raw(_searched(boundaries, values, right or side == "right", out_int32))


@export("bucketize", method=False)
def bucketize(input: Value, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Value:  # noqa: A002
    """The index of the bucket of each value, between boundaries."""
    if boundaries._data.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries._data.ndim})")
    values = input._array() if isinstance(input, Tensor) else np.asarray(input)
    return of_raw(_searched(boundaries._array(), values, right, out_int32))
