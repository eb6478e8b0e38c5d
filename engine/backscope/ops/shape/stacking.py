"""Tensors joined as columns, rows or chunks: column_stack, row_stack, _chunk_cat."""

from __future__ import annotations

from typing import Any

from backscope.ops.core.arguments.dims import wrap_dim
from backscope.ops.core.namespace import argument_error, export, torch_functions as f
from backscope.runtime.given import Values
from backscope.tensor.tensor import Tensor


@export("column_stack", method=False)
def _column_stack(tensors: Values) -> Any:
    """Vectors as columns, and matrices, side by side."""
    if isinstance(tensors, Tensor):
        raise argument_error("column_stack", "tensors", 1, tensors, "tuple of Tensors")
    return f["cat"]([t.reshape(t.numel(), 1) if t.ndim < 2 else t for t in tensors], 1)


@export("row_stack", method=False)
def _row_stack(tensors: Values) -> Any:
    """Vectors as rows, and matrices, one above another."""
    return f["vstack"](tensors)


def _chunked_dim(tensors: Values, dim: int) -> int:
    """The dim that tensors are cut along, counted from the front; RuntimeError where they don't fit together."""
    if any(x.dtype != tensors[0].dtype for x in tensors):
        raise RuntimeError("_chunk_cat expects all input tensors with the same dtype")
    if dim < 0 and any(x.ndim != tensors[0].ndim for x in tensors):
        raise RuntimeError("_chunk_cat expects non-negative dim when input tensors have different ndims")
    d = wrap_dim(dim, tensors[0].ndim) if all(x.ndim == tensors[0].ndim for x in tensors) else dim
    for x in tensors:
        if d >= x.ndim:
            raise RuntimeError("_chunk_cat expects dim < ndim for all input tensors")
        if x.shape[:d] != tensors[0].shape[:d]:
            raise RuntimeError("_chunk_cat expects same sizes of 0,...,dim-1 dimensions for all tensors")
        if not x.numel():
            raise RuntimeError("_chunk_cat expects non-empty tensor")
    return d


@export("_chunk_cat", method=False)
def _chunk_cat(tensors: Values, dim: int, num_chunks: int) -> Any:
    """Tensors cut in chunks along a dim, each flattened from there and filled up with zeros, joined chunk by chunk."""
    if num_chunks < 1:
        raise RuntimeError("_chunk_cat expects positive num_chunks")
    if not tensors:
        raise RuntimeError("_chunk_cat expects a non-empty input tensor list")
    d = _chunked_dim(tensors, dim)
    parts = []
    for x in tensors:
        lead = tuple(x.shape[:d])
        length = -(-x.shape[d] // num_chunks)
        missing = length * num_chunks - x.shape[d]
        if missing:
            x = f["cat"]([x, x.new_zeros((*lead, missing, *x.shape[d + 1 :]))], d)
        parts.append(x.reshape(*lead, num_chunks, -1))
    return f["cat"](parts, d + 1)
