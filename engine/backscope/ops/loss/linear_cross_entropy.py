"""linear_cross_entropy: the cross entropy of a linear layer's output, in one call."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from backscope.ops.core.declaration import A, K, V, op, primitives
from backscope.ops.core.dispatch import apply
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import export, functional as F
from backscope.runtime.given import Option, Value
from backscope.runtime.warning import warn
from backscope.tensor.dtype import bfloat16, cast, dtype, float16, float32, float64, int64
from backscope.tensor.tensor import Tensor
from backscope.tensor.typename import belongs

_ACCUMULATE = (float16, bfloat16, float32, float64)


@dataclass(slots=True, frozen=True)
class LinearCrossEntropyOptions:
    """PyTorch's memory options of linear_cross_entropy; Backscope checks them and computes the loss at once."""

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: dtype | None = None

    def __post_init__(self) -> None:
        if self.acc_policy not in {"auto", "accurate", "balanced", "compact"}:
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}")
        if self.chunking_method not in (None, "auto"):
            name, colon, factor = str(self.chunking_method).partition(":")
            if name != "aspect_ratio" or (colon and not (factor.isdigit() and int(factor) > 0)):
                raise ValueError(f"invalid chunking_method: {self.chunking_method!r}")
        size: object = self.batch_chunk_size
        if size is not None and not (isinstance(size, int) and size > 0):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size!r}")
        if self.acc_dtype is not None:
            _check_accumulation(self.acc_dtype)


def _check_accumulation(kind: dtype) -> None:
    if kind not in _ACCUMULATE:
        raise ValueError(
            "acc_dtype must be one of {None, torch.float16, torch.bfloat16, torch.float32, torch.float64}, got "
            f"{kind!r}. Pass acc_dtype=None to let the op pick automatically."
        )


@op(
    name="linear_cross_entropy_batch_chunked",
    grad_fn="GeneratedBackwardFor_torch_nn__linear_cross_entropy_batch_chunked_defaultBackward",
    outputs=4,
    differentiable=1,
    returns=("result0", "result1", "result2", "result3"),
    symbol="cross entropy",
    latex={
        "input": r"g \cdot \frac{\partial\,\text{loss}}{\partial\,\text{input}}",
        "linear_weight": r"g \cdot \frac{\partial\,\text{loss}}{\partial W}",
        "target": r"\text{none}",
        "linear_bias": r"g \cdot \frac{\partial\,\text{loss}}{\partial b}",
    },
    summary={
        "input": "multiplies the incoming {g} by the gradient that the forward pass left",
        "linear_weight": "multiplies the incoming {g} by the gradient that the forward pass left",
        "target": "gets none: classes are no numbers",
        "linear_bias": "multiplies the incoming {g} by the gradient that the forward pass left",
    },
)
class linear_cross_entropy_batch_chunked:
    """The cross entropy of a linear layer's output and its gradients, computed at once so that no logits are kept."""

    def forward(
        input: A,  # noqa: A002
        linear_weight: A,
        target: A,
        linear_bias: A | None,
        weight: K | None,
        reduction: str,
        ignore_index: int,
    ) -> tuple[A, ...]:
        kind = dtype.table[input.dtype]
        x, w = wide(input), wide(linear_weight)
        logits = x @ w.T if linear_bias is None else x @ w.T + wide(linear_bias)
        logits = logits - logits.max(-1, keepdims=True)
        logs = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
        kept = target != ignore_index
        rows, places = np.arange(len(x)), np.where(kept, target, 0)
        shares = np.where(kept, np.ones(len(x), x.dtype) if weight is None else wide(weight)[places], 0).astype(x.dtype)
        if reduction == "mean":
            shares = shares / shares.sum()
        loss = -(logs[rows, places] * shares).sum()
        slope = np.exp(logs) * shares[:, None]
        slope[rows, places] -= shares
        found = loss, slope @ w, slope.T @ x, slope.sum(0)
        return tuple(cast(np.asarray(v), kind)[()] for v in found)

    def grad(g: V, result1: V, result2: V, result3: V, needs: Option) -> tuple[V, ...]:
        results = result1, result2, None, result3
        return tuple(g * r if needed and r is not None else None for r, needed in zip(results, needs, strict=True))


@export(method=False, function=False, nn=True)
def linear_cross_entropy(
    input: Value,  # noqa: A002
    linear_weight: Value,
    target: Tensor,
    *,
    linear_bias: Value = None,
    weight: Value = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: LinearCrossEntropyOptions | None = None,
) -> Value:
    """cross_entropy(linear(input, linear_weight, linear_bias), target); RuntimeError for shapes that don't fit."""
    shape, across = tuple(input.shape), tuple(linear_weight.shape)
    _check_shapes(shape, across, linear_bias)
    classes, extra = across[0], across[1:-1]
    logits_shape = (*shape[:-1], classes, *extra)
    if tuple(target.shape) == logits_shape and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    chunked = options is not None and reduction in ("mean", "sum")
    if options is not None and (
        extra or reduction not in ("mean", "sum", "none") or label_smoothing != 0.0 or target._dtype is not int64
    ):
        chunked = False
        warn(
            "linear_cross_entropy: ``options`` ignored; chunked path needs reduction in {'mean','sum','none'}, "
            "label_smoothing == 0, target.dtype == int64, out_features == (). Got "
            f"reduction={reduction!r}, label_smoothing={label_smoothing}, target.dtype={target.dtype}, "
            f"out_features={extra}, tracing=False, linear_bias.shape="
            f"{None if linear_bias is None else tuple(linear_bias.shape)}."
        )
    if chunked:
        return _at_once(input, linear_weight, linear_bias, target, weight, reduction, ignore_index)
    if extra:
        rows = math.prod(extra, start=classes)
        linear_weight = linear_weight.reshape(rows, across[-1])
        linear_bias = None if linear_bias is None else linear_bias.reshape(rows)
    logits = F["linear"](input, linear_weight, linear_bias).reshape(logits_shape)
    return F["cross_entropy"](
        logits,
        target,
        weight=weight,
        reduction=reduction,
        ignore_index=-100 if ignore_index is None else ignore_index,
        label_smoothing=label_smoothing,
    )


def _at_once(x: Value, matrix: Value, bias: Value, target: Value, weight: Value, reduction: str, ignored: Any) -> Any:
    """The loss by the op that leaves its gradients for the backward pass."""
    _check_accumulation(x._dtype)
    alone = x._data.ndim == 1
    rows, targets = (x.unsqueeze(0), target.unsqueeze(0)) if alone else (x, target)
    left_out = -100 if ignored is None else ignored
    name = "linear_cross_entropy_batch_chunked"
    return apply(primitives[name], rows, matrix, targets, bias, weight, reduction, left_out)[0]


def _check_shapes(shape: tuple[int, ...], across: tuple[int, ...], bias: Value) -> None:
    if len(shape) not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {len(shape)}")
    if len(across) < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {len(across)}")
    if shape[-1] != across[-1]:
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), got "
            f"{shape[-1]} and {across[-1]}, respectively"
        )
    if bias is not None and tuple(bias.shape) != across[:-1]:
        raise RuntimeError(f"expected linear_bias shape {across[:-1]}, got {tuple(bias.shape)}")
    if len(across) > 2 and len(shape) == 1:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {across} requires batched input, (N, {shape[-1]}), got "
            f"unbatched input with shape {shape}"
        )


belongs("torch.nn.modules.linear_cross_entropy_options", LinearCrossEntropyOptions)
