"""Medians, the lower of two: of all elements and along a dim; nanmedian ignores NaN."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.arguments.dims import check_length
from backscope.ops.core.channels_last import row_major
from backscope.ops.core.declaration import A, V, op, primitives
from backscope.ops.core.dispatch import apply
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import export
from backscope.ops.core.return_types import return_type
from backscope.ops.core.unsupported import no_kernel
from backscope.ops.reduce.extremes import PICKED, SHARED, placed, shared_evenly
from backscope.tensor.dtype import BOOL, COMPLEX
from backscope.tensor.tensor import Tensor


def _of_all(value: A, skip: bool) -> A:
    flat = np.ravel(value)
    unknown = np.isnan(flat)
    if skip:
        flat = flat[~unknown]
    if not flat.size:
        if flat.dtype.kind == "b":
            return np.True_
        return flat.dtype.type(np.iinfo(flat.dtype).min if flat.dtype.kind in "iu" else np.nan)
    if not skip and unknown.any():
        return flat.dtype.type(np.nan)
    return np.sort(flat)[(flat.size - 1) // 2]


def _along(value: A, dim: int, keepdim: bool, skip: bool) -> A:
    """Return the medians along a dim and their indices; NaN is the median of elements with a NaN, unless skipped."""
    if not value.ndim:
        return value[()], np.int64(0)
    order = np.argsort(wide(value), axis=dim, kind="stable")
    n = value.shape[dim]
    known = n - np.isnan(value).sum(axis=dim, keepdims=True)
    middle = np.maximum(known - 1, 0) // 2 if skip else np.where(known < n, known, (n - 1) // 2)
    indices = np.take_along_axis(order, middle, axis=dim)
    values = np.take_along_axis(value, indices, axis=dim)
    if not keepdim:
        values, indices = values.squeeze(dim)[()], indices.squeeze(dim)[()]
    return row_major(values), row_major(indices)


def _declare(name: str, skip: bool, among: str) -> None:
    def forward_all(self: A) -> A:
        return _of_all(self, skip)

    def forward_dim(self: A, dim: int, keepdim: bool = False) -> A:
        return _along(self, dim, keepdim, skip)

    def grad_dim(g: V, indices: V, self_shape: V, dim: V, keepdim: V) -> V:
        return placed(g, indices, self_shape, dim, keepdim)

    pair, title = return_type(name, "values", "indices"), name.capitalize()
    op(
        name=name + "_all",
        grad_fn=title + "Backward0",
        symbol="median",
        latex={"self": SHARED},
        summary={"self": "sends the incoming {g} to the median element, split evenly at ties"},
    )(type(name, (), {"__doc__": f"The median of {among}.", "forward": forward_all, "grad_self": shared_evenly}))
    op(
        name=name + "_dim",
        grad_fn=title + "Backward1",
        outputs=2,
        differentiable=1,
        returns=("values", "indices"),
        symbol="median",
        latex={"self": PICKED},
        summary={"self": "sends the incoming gradient to the place of the median along dim {dim}"},
    )(type(name, (), {"__doc__": f"The median of {among} along a dim.", "forward": forward_dim, "grad_self": grad_dim}))

    def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:  # noqa: A002
        if dim is not None:
            check_length("median", input, dim)
        if input._dtype.category in (BOOL, COMPLEX) and (dim is not None or input._data.size):
            raise no_kernel("median_cpu" if dim is None else "median_out", input._dtype)
        if dim is None:
            return apply(primitives[name + "_all"], input)
        return pair(*apply(primitives[name + "_dim"], input, dim, bool(keepdim)))

    median.__doc__ = f"The median of {among}, or along `dim` with its index; the lower of two."
    export(name)(median)


_declare("median", False, "all elements")
_declare("nanmedian", True, "the elements that are no NaN")
