"""The k-th smallest and the most frequent elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.arguments.dims import check_length, wrap_dim
from backscope.ops.core.declaration import A, V, op, primitives
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export
from backscope.ops.core.return_types import return_type
from backscope.ops.reduce.extremes import PICKED, placed
from backscope.ops.reduce.tied_order import ordered, selected
from backscope.runtime.given import Values
from backscope.tensor.tensor import Tensor

KTHVALUE = return_type("kthvalue", "values", "indices")
MODE = return_type("mode", "values", "indices")


def _kept(values: Values, indices: Values, dim: int, keepdim: bool) -> tuple[Any, Any]:
    if keepdim:
        return values, indices
    return np.squeeze(values, dim)[()], np.squeeze(indices, dim)[()]


@op(
    outputs=2,
    differentiable=1,
    returns=("values", "indices"),
    symbol="kth",
    latex={"self": PICKED},
    summary={"self": "sends the incoming gradient to the place of the k-th smallest element along dim {dim}"},
)
class kthvalue:
    """The k-th smallest element along a dim."""

    def forward(self: A, k: int, dim: int = -1, keepdim: bool = False) -> A:
        if not self.ndim:
            return self[()], np.int64(0)
        at = selected(self, dim, k - 1)
        return _kept(np.take_along_axis(self, at, axis=dim), at, dim, keepdim)

    def grad_self(g: V, indices: V, self_shape: V, dim: V, keepdim: V) -> V:
        return placed(g, indices, self_shape, dim, keepdim)


def _most_frequent(line: Any) -> tuple[Any, int]:
    """The most frequent element of a line, the smallest of several, and which of its places is sorted last."""
    places = ordered(line, 0, descending=False)
    found, counts = np.unique(line, return_counts=True)
    value = found[np.argmax(counts)]
    same = line[places] == value if value == value else line != line
    return value, int(places[np.flatnonzero(same)[-1]])


@op(
    outputs=2,
    differentiable=1,
    returns=("values", "indices"),
    symbol="mode",
    latex={"self": PICKED},
    summary={"self": "sends the incoming gradient to the place of the most frequent element along dim {dim}"},
)
class mode:
    """The most frequent element along a dim, the smallest of several."""

    def forward(self: A, dim: int = -1, keepdim: bool = False) -> A:
        if not self.ndim:
            return self[()], np.int64(0)
        if not self.shape[dim]:
            raise IndexError(f"mode(): Expected reduction dim {dim % self.ndim} to have non-zero size.")
        lines = np.moveaxis(self, dim, -1)
        values = np.empty(lines.shape[:-1], self.dtype)
        indices = np.empty(lines.shape[:-1], np.int64)
        for place in np.ndindex(*lines.shape[:-1]):
            values[place], indices[place] = _most_frequent(lines[place])
        return _kept(np.expand_dims(values, dim), np.expand_dims(indices, dim), dim, keepdim)

    def grad_self(g: V, indices: V, self_shape: V, dim: V, keepdim: V) -> V:
        return placed(g, indices, self_shape, dim, keepdim)


@export("kthvalue")
def _kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Any:  # noqa: A002
    """The k-th smallest element along `dim`, and its index."""
    d = check_length("kthvalue", input, dim)
    if not 1 <= k <= (input._data.shape[d] if input._data.ndim else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {d}")
    return KTHVALUE(*apply(primitives["kthvalue"], input, k, dim, bool(keepdim)))


@export("mode")
def _mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Any:  # noqa: A002
    """The most frequent element along `dim`, and its index."""
    wrap_dim(dim, input._data.ndim)
    return MODE(*apply(primitives["mode"], input, dim, bool(keepdim)))
