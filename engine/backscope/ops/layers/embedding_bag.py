"""embedding_bag: sums, means or maxima of bags of rows of a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.not_implemented import no_derivative
from backscope.ops.core.broadcasting import type_string
from backscope.ops.core.declaration import A, K, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import export
from backscope.ops.layers.embedding import check_indices, padding_row, renormalize, row_sums
from backscope.runtime.given import Value, Values
from backscope.runtime.warning import warn
from backscope.tensor.dtype import FLOATING
from backscope.tensor.sparse_values import Sparse
from backscope.tensor.tensor import Tensor, of_raw

_NOT_IMPLEMENTED = "derivative for aten::_embedding_bag_per_sample_weights_backward is not implemented"
SUM, MEAN, MAX = 0, 1, 2
MODES = {"sum": SUM, "mean": MEAN, "max": MAX}


def _bags(offsets: A, length: int, include_last_offset: bool) -> tuple[A, int]:
    """The bag of each index, and how many bags there are; indices after the last offset are in none."""
    starts = offsets[:-1] if include_last_offset and len(offsets) else offsets
    bags = np.searchsorted(starts, np.arange(length), side="right") - 1
    if include_last_offset and len(offsets):
        bags[offsets[-1] :] = len(starts)
    return bags, len(starts)


def _largest(rows: A, bags: A, valid: A, indices: A, count: int) -> tuple[A, A]:
    """Return the largest elements of each bag's rows, and the indices of the rows with them."""
    out = np.zeros((count, rows.shape[1]), rows.dtype)
    which = np.full(out.shape, -1, np.int64)
    for b in range(count):
        at = np.flatnonzero((bags == b) & valid)
        if len(at):
            first = rows[at].argmax(0)
            out[b] = np.take_along_axis(rows[at], first[None], 0)[0]
            which[b] = indices[at][first]
    return out, which


@op(
    outputs=4,
    differentiable=1,
    returns=("result0", "result1", "result2", "result3"),
    symbol="bags",
    latex={
        "weight": r"\textstyle\sum g\ \text{by row}",
        "per_sample_weights": r"\textstyle\sum g \cdot \text{weight[indices]}",
    },
    summary={
        "weight": "adds the incoming gradient of each bag to the rows of {weight} in it",
        "per_sample_weights": "multiplies the incoming gradient of each bag by the rows in it",
    },
)
class embedding_bag:
    """Bags of rows of a table reduced: by sum, mean or maximum."""

    def forward(
        weight: A,
        indices: K,
        offsets: K,
        scale_grad_by_freq: bool,
        mode: int,
        sparse: bool,
        per_sample_weights: A | None,
        include_last_offset: bool,
        padding_idx: int,
    ) -> tuple[A, ...]:
        bags, count = _bags(offsets, len(indices), include_last_offset)
        valid = (indices != padding_idx) & (bags < count)
        rows = weight.take(indices, 0)
        sizes = np.bincount(bags[valid], minlength=count).astype(np.int64)
        if mode == MAX:
            out, which = _largest(rows, bags, valid, indices, count)
            return out, bags, sizes, which
        rows = wide(rows)
        if per_sample_weights is not None:
            rows = rows * wide(per_sample_weights)[:, None]
        out = row_sums(rows[valid], bags[valid], count).astype(weight.dtype, copy=False)
        if mode == MEAN:
            out /= np.maximum(sizes, 1)[:, None].astype(out.dtype)
        return out, bags, sizes, np.zeros(count, np.int64)

    def grad_weight(
        g: V,
        weight_shape: V,
        indices: V,
        offsets: V,
        result1: V,
        result2: V,
        result3: V,
        scale_grad_by_freq: V,
        mode: V,
        sparse: V,
        per_sample_weights: V,
        padding_idx: V,
    ) -> V:
        return xp.embedding_bag_backward(
            g, indices, result1, result2, result3, weight_shape[0], scale_grad_by_freq, mode, sparse,
            per_sample_weights, padding_idx,
        )  # fmt: skip

    def grad_per_sample_weights(g: V, weight: V, indices: V, result1: V, padding_idx: V) -> V:
        return xp.embedding_bag_per_sample_weights_backward(g, weight, indices, result1, padding_idx)


@op(
    symbol="bags′",
    grad_fn="NotImplemented",
    latex=dict.fromkeys(("grad", "weight"), r"\text{not implemented}"),
    summary=dict.fromkeys(("grad", "weight"), "has no formula, as in PyTorch"),
)
class embedding_bag_per_sample_weights_backward:
    """The gradient of the weights of rows that were put into bags."""

    def forward(grad: A, weight: A, indices: K, offset2bag: K, padding_idx: int) -> A:
        out = (grad.take(offset2bag, 0) * weight.take(indices, 0)).sum(-1)
        if padding_idx >= 0:
            out[indices == padding_idx] = 0
        return out

    def grad_grad(g: V) -> V:
        raise RuntimeError(_NOT_IMPLEMENTED)

    def grad_weight(g: V) -> V:
        raise RuntimeError(_NOT_IMPLEMENTED)


def _frequency(indices: A, at: A) -> A:
    """Return the divisors of rows: for the i-th distinct index PyTorch counts the i-th smallest one of all."""
    found, counts = np.unique(indices, return_counts=True)
    taken = counts[np.searchsorted(found, np.sort(indices)[: len(found)])]
    return taken[np.searchsorted(found, at)]


@op(
    symbol="bags′",
    grad_fn="EmbeddingBagBackwardBackward0",
    latex=dict.fromkeys(("grad_output", "per_sample_weights"), r"\text{not implemented}"),
    summary=dict.fromkeys(("grad_output", "per_sample_weights"), "has no formula, as in PyTorch"),
)
class embedding_bag_backward:
    """The gradient of a table with rows that were put into bags."""

    def forward(
        grad_output: A,
        indices: K,
        offset2bag: K,
        bag_size: K,
        maximum_indices: K,
        num_weights: int,
        scale_grad_by_freq: bool,
        mode: int,
        sparse: bool,
        per_sample_weights: A | None,
        padding_idx: int,
    ) -> A:
        if mode == MAX:
            out = np.zeros((num_weights, grad_output.shape[1]), grad_output.dtype)
            columns = np.broadcast_to(np.arange(out.shape[1]), maximum_indices.shape)
            given = maximum_indices >= 0
            np.add.at(out, (maximum_indices[given], columns[given]), grad_output[given])
            return out
        valid = (indices != padding_idx) & (offset2bag < len(grad_output))
        bags = offset2bag[valid]
        rows = grad_output[bags]
        at = indices[valid].astype(np.int64)
        scale: Any = 1.0
        if scale_grad_by_freq and not sparse:
            scale = scale / _frequency(indices, at)
        if per_sample_weights is not None:
            scale = scale * per_sample_weights[valid].astype(np.float64)
        if mode == MEAN:
            scale = scale / bag_size[bags]
        if isinstance(scale, np.ndarray):
            rows = rows * scale.astype(rows.dtype)[:, None]
        if sparse:
            return Sparse(at.reshape(1, -1), rows, (num_weights, grad_output.shape[1]))
        return row_sums(rows, at, num_weights)

    def grad_grad_output(g: V) -> V:
        raise no_derivative("_embedding_bag_backward")

    def grad_per_sample_weights(g: V) -> V:
        raise no_derivative("_embedding_bag_backward")


def _check_bags(weight: Tensor, indices: Tensor, offsets: Tensor, fast: bool) -> None:
    check_indices("embedding_bag", indices)
    if weight._dtype.category != FLOATING:
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, BFloat16, "
            f"Float, Double; but got {type_string(weight)} instead (while checking arguments for embedding_bag)"
        )
    starts, length = offsets._data, len(indices._data)
    if len(starts) and starts[0] != 0:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, "
            f"got {starts[0]}\n[ torch.LongTensor{{}} ]"
        )
    if len(starts) and starts[-1] > length:
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length {length} but got offsets[-1] of {starts[-1]}"
        )
    rows = weight._data.shape[0]
    wrong = (indices._data < 0) | (indices._data >= rows)
    if wrong.any():
        at = int(wrong.argmax())
        if not fast:
            raise RuntimeError(
                f"embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {indices._data[at]}"
            )
        raise RuntimeError(
            f"Index {at} of input takes value {indices._data[at]} which is not in the valid range [0, {rows})"
        )


@export("embedding_bag", method=False)
def _embedding_bag(
    weight: Tensor,
    indices: Values,
    offsets: Value,
    scale_grad_by_freq: bool = False,
    mode: int = SUM,
    sparse: bool = False,
    per_sample_weights: Value = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
    *,
    alone: bool = False,
) -> Any:
    """Return the reduced bags, the bag of each index, the sizes of the bags, and for maxima the rows with them."""
    row = -1
    if padding_idx is not None:
        rows = weight._data.shape[0]
        if not -rows <= padding_idx < rows:
            raise RuntimeError("padding_idx must be within the number of embeddings, -" + f"{rows} through {rows - 1}, "
                               f"but got {padding_idx}")  # fmt: skip
        row = padding_row(padding_idx, rows)
    fast = mode != MAX and row < 0 and weight._dtype.name in ("float32", "float16", "bfloat16")
    _check_bags(weight, indices, offsets, fast)
    bags = primitives["embedding_bag"]
    return apply(
        bags.giving(1) if alone else bags, weight, indices, offsets, bool(scale_grad_by_freq), mode, bool(sparse),
        per_sample_weights, bool(include_last_offset), row,
    )  # fmt: skip


def _lined_up(input: Value, offsets: Value, weights: Values) -> tuple[Any, Any, Any, bool]:  # noqa: A002
    """Return indices in one row with their offsets, and weights in one row."""
    ndim = input._data.ndim
    if ndim == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
                f"sequences. However, found offsets of type {type(offsets)}"
            )
        rows, length = input._data.shape
        starts = of_raw(np.arange(rows, dtype=np.int64) * length)
        return input.reshape(-1), starts, None if weights is None else weights.reshape(-1), True
    if ndim != 1:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {ndim}")
    if offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    if offsets._data.ndim != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    return input, offsets, weights, False


@export("embedding_bag", function=False, method=False, nn=True)
def _functional_embedding_bag(
    input: Value,  # noqa: A002
    weight: Value,
    offsets: Value = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Value = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Any:
    """Bags of rows of a table reduced; ValueError for indices, offsets or modes that do not fit together."""
    if weight._dtype.name == "int64" and input._dtype.category == 2:
        warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
            "deprecated, and should now be `embedding_bag(input, weight, ...)`."
        )
        weight, input = input, weight  # noqa: A001
    if per_sample_weights is not None and input.shape != per_sample_weights.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then it must have the "
            f"same shape as the input ({input.shape})"
        )
    if weight._data.ndim != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight._data.ndim}")
    indices, starts, weights, fixed = _lined_up(input, offsets, per_sample_weights)
    if mode not in MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    if max_norm is not None:
        renormalize(weight, indices, max_norm, norm_type)
    if weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' "
            f"(got mode='{mode}'). Please open a feature request on GitHub."
        )
    return _embedding_bag(
        weight, indices, starts, scale_grad_by_freq, MODES[mode], sparse, weights,
        include_last_offset and not fixed, padding_idx, alone=True,
    )[0]  # fmt: skip
