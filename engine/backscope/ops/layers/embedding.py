"""embedding: rows of a table picked by indices, with dense or sparse gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.views.lazy_views import follow, lazies
from backscope.ops.core.broadcasting import type_string
from backscope.ops.core.declaration import A, K, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import argument_error, export
from backscope.runtime.given import Value, Values
from backscope.runtime.listening import hub
from backscope.tensor.sparse_values import Sparse
from backscope.tensor.tensor import Tensor, of_raw


def row_sums(rows: A, indices: A, length: int) -> A:
    """Zeros of `length` rows with `rows` added at their indices.

    Shape: rows [n, ...], indices [n] -> [length, ...].
    """
    out = np.zeros((length, *rows.shape[1:]), rows.dtype)
    first = np.empty(length, np.intp)
    while len(indices):
        places = np.arange(len(indices))
        first[indices[::-1]] = places[::-1]  # Of several values for one element the last one is written.
        taken = first[indices] == places
        count = np.count_nonzero(taken)
        if count == len(indices):
            out[indices] += rows
            break
        if 2 * count < len(indices):  # Most indices occur often.
            order = np.argsort(indices, kind="stable")
            found, starts = np.unique(indices[order], return_index=True)
            out[found] += np.add.reduceat(rows[order], starts, axis=0)
            break
        out[indices[taken]] += rows[taken]
        left = ~taken
        indices, rows = indices[left], rows[left]
    return out


@op(
    symbol="rows",
    latex={"weight": r"\textstyle\sum g\ \text{by row}"},
    summary={"weight": "adds the incoming gradient to the rows of {weight} that were picked"},
)
class embedding:
    """The rows of a table at indices."""

    def forward(weight: A, indices: K, padding_idx: int, scale_grad_by_freq: bool, sparse: bool) -> A:
        return weight.take(indices, 0)

    def grad_weight(g: V, weight_shape: V, indices: V, padding_idx: V, scale_grad_by_freq: V, sparse: V) -> V:
        if sparse:
            if scale_grad_by_freq:
                raise RuntimeError("embedding_backward: scale_grad_by_freq not supported with sparse gradients")
            return xp.embedding_sparse_backward(g, indices, weight_shape[0], padding_idx)
        return xp.embedding_dense_backward(g, indices, weight_shape[0], padding_idx, scale_grad_by_freq)


def _rows(grad_output: A, indices: A) -> tuple[A, A]:
    flat = indices.ravel()
    return grad_output.reshape(len(flat), grad_output.shape[-1]), flat


def counted(indices: A) -> A:
    """Return for each of the indices how often it occurs."""
    _, places, counts = np.unique(indices, return_inverse=True, return_counts=True)
    return counts[places.ravel()]


@op(
    grad_fn="EmbeddingDenseBackwardBackward0",
    symbol="rows′",
    latex={"grad_output": r"g[\text{indices}]"},
    summary={"grad_output": "picks the rows of the incoming gradient"},
)
class embedding_dense_backward:
    """Zeros with rows added at their indices; the row `padding_idx` stays zero."""

    def forward(grad_output: A, indices: K, num_weights: int, padding_idx: int, scale_grad_by_freq: bool) -> A:
        rows, flat = _rows(grad_output, indices)
        if scale_grad_by_freq:
            rows = rows / counted(flat)[:, None].astype(rows.dtype)
        out = row_sums(rows, flat, num_weights)
        if 0 <= padding_idx < num_weights:
            out[padding_idx] = 0
        return out

    def grad_grad_output(g: V, indices: V, padding_idx: V) -> V:
        return _picked(g, indices, padding_idx)


def _picked(g: V, indices: V, padding_idx: int) -> V:
    rows = xp.embedding(g, indices, padding_idx, False, False)
    if padding_idx < 0:
        return rows
    at = indices._data if isinstance(indices, Tensor) else indices
    return xp.masked_fill(rows, of_raw((at == padding_idx)[..., None]), 0.0)


@op(
    grad_fn="EmbeddingSparseBackwardBackward0",
    symbol="rows′",
    latex={"grad_output": r"g[\text{indices}]"},
    summary={"grad_output": "picks the rows of the incoming gradient"},
)
class embedding_sparse_backward:
    """Rows and their indices as a sparse value; those of `padding_idx` are left out."""

    def forward(grad_output: A, indices: K, num_weights: int, padding_idx: int) -> Sparse:
        rows, flat = _rows(grad_output, indices)
        if padding_idx >= 0:
            rows, flat = rows[flat != padding_idx], flat[flat != padding_idx]
        return Sparse(flat.reshape(1, -1).astype(np.int64), rows, (num_weights, rows.shape[-1]))

    def grad_grad_output(g: V, indices: V, padding_idx: V) -> V:
        return _picked(g, indices, padding_idx)


def check_indices(name: str, indices: Values, position: int = 1) -> None:
    """Raise TypeError for indices that are no tensor, RuntimeError for indices of another type than int64 or int32."""
    if not isinstance(indices, Tensor):
        raise argument_error(name, "indices", 2, indices)
    if indices._dtype.name not in ("int64", "int32"):
        raise RuntimeError(
            f"Expected tensor for argument #{position} 'indices' to have one of the following scalar types: Long, Int; "
            f"but got {type_string(indices)} instead (while checking arguments for {name})"
        )


@export("embedding", method=False)
def _embedding(
    weight: Tensor, indices: Values, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Any:
    """The rows of a table at indices; IndexError for indices out of range."""
    if not isinstance(weight, Tensor):
        raise argument_error("embedding", "weight", 1, weight)
    if not isinstance(indices, Tensor):
        raise argument_error("embedding", "indices", 2, indices)
    if weight._data.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    check_indices("embedding", indices)
    at = indices._data
    if at.size and not (at.min() >= 0 and at.max() < weight._data.shape[0]):
        raise IndexError("index out of range in self")
    return apply(primitives["embedding"], weight, indices, int(padding_idx), bool(scale_grad_by_freq), bool(sparse))


def renormalize(weight: Value, indices: Tensor, max_norm: float, norm_type: float) -> None:
    """Scale down, in place, the rows at the indices that have a norm above `max_norm`."""
    check_indices("embedding_renorm_", indices, 2)
    table, at = weight._array(), np.unique(indices._data)
    if at.size and not -len(table) <= at[0] <= at[-1] < len(table):
        wrong = at[0] if at[0] < -len(table) else at[-1]
        raise IndexError(f"select(): index {wrong} out of range for tensor of size {list(table.shape)} at dimension 0")
    norms = np.linalg.norm(table[at].astype(np.float64), norm_type, axis=1)
    large = norms > max_norm
    if not large.any():
        return
    if hub.keeper is not None:
        hub.keeper.before_change(table)
    table[at[large]] *= (max_norm / (norms[large] + 1e-7))[:, None].astype(table.dtype)
    weight._counter()[0] += 1
    if lazies:
        follow(weight)
    if hub.listener is not None:
        hub.listener.mutated(weight, "embedding_renorm_")


@export("embedding_renorm_", method=False)
def _embedding_renorm(weight: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> Tensor:
    """The table with the rows at indices scaled down to a norm of at most `max_norm`."""
    renormalize(weight, indices, max_norm, norm_type)
    return weight


def padding_row(padding_idx: int | None, rows: int) -> int:
    """The row that gets no gradient, counted from the front; -1 for none."""
    if padding_idx is None:
        return -1
    if not -rows <= padding_idx < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return padding_idx % rows


@export("embedding", function=False, method=False, nn=True)
def _functional_embedding(
    input: Tensor,  # noqa: A002
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Any:
    """The rows of a table at indices, scaled down before where their norm is above `max_norm`."""
    row = -1 if padding_idx is None else padding_row(padding_idx, weight._data.shape[0])
    if max_norm is not None:
        renormalize(weight, input, max_norm, norm_type)
    return _embedding(weight, input, row, scale_grad_by_freq, sparse)
