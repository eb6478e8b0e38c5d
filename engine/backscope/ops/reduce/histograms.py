"""Histograms of one and of several dims."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.ops.core.namespace import export
from backscope.ops.core.return_types import return_type
from backscope.ops.core.unsupported import no_kernel
from backscope.runtime.given import Value, Values
from backscope.tensor.dtype import C_NAMES, dtype, float32, float64
from backscope.tensor.tensor import Tensor, of_raw

HISTOGRAM = return_type("histogram", "hist", "bin_edges")
_NAME = "torch.histogramdd"

HISTOGRAMDD = return_type("histogramdd", "hist", "bin_edges")


def _edges(values: Values, bins: list[Any], limits: Any) -> list[Any]:
    """The edges of the bins of each column of `values`; RuntimeError for ranges and bins that can't be."""
    columns = values.shape[1]
    if all(isinstance(b, Tensor) for b in bins):
        return _given_edges(bins, columns, dtype.table[values.dtype])
    if len(bins) != columns:
        raise RuntimeError("histogramdd: The size of bins must be equal to the innermost dimension of the input.")
    if limits is not None and len(limits) != 2 * columns:
        raise RuntimeError(
            f"{_NAME}: for a {columns}-dimensional histogram range should have {2 * columns} elements, but got "
            f"{len(limits)}"
        )
    found = []
    for d, count in enumerate(bins):
        if count <= 0:
            raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {count} for dimension {d}")
        low, high = _ends(values[:, d], None if limits is None else limits[2 * d : 2 * d + 2], d)
        found.append(np.linspace(low, high, count + 1).astype(values.dtype))
    return found


def _given_edges(bins: list[Any], columns: int, kind: dtype) -> list[Any]:
    """Return the edges' values; RuntimeError unless there is a row for each column, of its dtype."""
    if len(bins) != columns:
        raise RuntimeError(
            f"{_NAME}: expected {columns} sequences of bin edges for a {columns}-dimensional histogram but got "
            f"{len(bins)}"
        )
    for d, b in enumerate(bins):
        if b._dtype is not kind:
            raise RuntimeError(
                f"{_NAME}: input tensor and bins tensors should have the same dtype, but got input with dtype "
                f"{C_NAMES[kind.name]} and bins for dimension {d} with dtype {C_NAMES[b._dtype.name]}"
            )
        if b._data.ndim != 1:
            raise RuntimeError(
                f"{_NAME}: bins tensor should have one dimension, but got {b._data.ndim} dimensions in the bins tensor "
                f"for dimension {d}"
            )
        if not b._data.size:
            raise RuntimeError(
                f"{_NAME}: bins tensor should have at least 1 element, but got 0 elements in the bins tensor for "
                f"dimension {d}"
            )
    return [b._array() for b in bins]


def _ends(values: Values, given: Value, dim: int) -> tuple[float, float]:
    if given is not None:
        low, high = float(given[0]), float(given[1])
    elif values.size:
        low, high = float(values.min()), float(values.max())
    else:
        return 0.0, 1.0
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"{_NAME}: dimension {dim}'s range [{low}, {high}] is not finite")
    if low > high:
        raise RuntimeError(f"{_NAME}: min should not exceed max, but got min {low:g} max {high:g} for dimension {dim}")
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def _counted(values: Values, edges: list[Any], weight: Value, density: bool) -> Any:
    """Count the rows in each bin, or add up their weights."""
    inside = np.ones(len(values), bool)
    places = []
    for d, edge in enumerate(edges):
        column = values[:, d]
        at = np.searchsorted(edge, column, side="right") - 1
        at = np.where(column == edge[-1], len(edge) - 2, at)
        inside &= (column >= edge[0]) & (column <= edge[-1])
        places.append(at)
    shape = tuple(len(e) - 1 for e in edges)
    found = np.zeros(shape, values.dtype)
    weights = np.ones(len(values), values.dtype) if weight is None else weight
    np.add.at(found, tuple(p[inside] for p in places), weights[inside])
    if density:
        found /= found.sum()
        for d, edge in enumerate(edges):
            found /= np.diff(edge).reshape([-1 if i == d else 1 for i in range(len(edges))])
    return found


def _check_kind(input: Tensor, kernel: str) -> None:  # noqa: A002
    if input._dtype not in (float32, float64):
        raise no_kernel(kernel, input._dtype)


def _weights(input: Tensor, weight: Value, shape: tuple[int, ...]) -> Any:  # noqa: A002
    if weight is None:
        return None
    if weight._dtype is not input._dtype:
        raise RuntimeError(
            f"{_NAME}: if weight tensor is provided, input tensor and weight tensor should have the same dtype, but "
            f"got input({C_NAMES[input._dtype.name]}), and weight({C_NAMES[weight._dtype.name]})"
        )
    if tuple(weight._data.shape) != shape:
        given = [*shape, 1] if shape == input._data.shape else list(input._data.shape)
        raise RuntimeError(
            f"{_NAME}: if weight tensor is provided it should have the same shape as the input tensor excluding its "
            f"innermost dimension, but got input with shape {given} and weight with shape "
            f"{list(weight._data.shape)}"
        )
    return weight._array().reshape(-1)


@export("histogram")
def histogram(
    input: Tensor,  # noqa: A002
    bins: Value = 100,
    *,
    range: Values = None,  # noqa: A002
    weight: Tensor | None = None,
    density: bool = False,
) -> Values:
    """Counts and edges of bins."""
    _check_kind(input, "histogramdd")
    values = input._array().reshape(-1, 1)
    weights = _weights(input, weight, tuple(input._data.shape))
    edges = _edges(values, [bins], range)
    return HISTOGRAM(of_raw(_counted(values, edges, weights, density)), of_raw(edges[0]))


@export("histogramdd", method=False)
def histogramdd(
    input: Tensor,  # noqa: A002
    bins: Value,
    range: Values = None,  # noqa: A002
    weight: Tensor | None = None,
    density: bool = False,
) -> Values:
    """Return counts and edges of the bins of several dims; the last dim contains the coordinates."""
    if not input._data.ndim:
        raise IndexError("Dimension specified as -1 but tensor has no dimensions")
    if input._data.ndim < 2:
        raise RuntimeError(f"{_NAME}: input tensor should have at least 2 dimensions")
    _check_kind(input, "histogramdd")
    values = input._array().reshape(-1, input._data.shape[-1])
    each = [bins] * values.shape[1] if isinstance(bins, int) else list(bins)
    weights = _weights(input, weight, tuple(input._data.shape[:-1]))
    edges = _edges(values, each, range)
    found = _counted(values, edges, weights, density)
    return HISTOGRAMDD(of_raw(found), tuple([of_raw(e) for e in edges]))
