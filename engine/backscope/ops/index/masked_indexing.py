"""Reading and adding at indices that may be out of range; a mask marks the valid ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.declaration import A, K, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export
from backscope.runtime.given import Value, Values
from backscope.tensor.tensor import Tensor


def _inside(shape: tuple[int, ...], indices: Values) -> tuple[Any, ...]:
    """Return the NumPy key for indices clamped to their dims, with None for a whole dim."""
    return tuple([slice(None) if i is None else np.clip(i, -n, n - 1) for i, n in zip(indices, shape, strict=False)])


@op(
    grad_fn="UnsafeMaskedIndexBackward0",
    symbol="[…]",
    latex={"self": r"g\ \text{at the indices that count}"},
    summary={"self": "adds the incoming gradient at the indices it was read from, where the mask is True"},
)
class unsafe_masked_index:
    """Elements at indices, and `fill` where the mask is False."""

    def forward(self: A, mask: K, indices: list[K], fill: Value) -> A:
        shape = np.shape(self[_inside(self.shape, indices)]) if self.size else np.shape(mask)
        if not self.size:
            return np.full(shape, fill).astype(self.dtype)
        return np.where(mask, self[_inside(self.shape, indices)], np.asarray(fill).astype(self.dtype))

    def grad_self(g: V, self_shape: V, mask: V, indices: V) -> V:
        return xp.unsafe_masked_index_put_accumulate(xp.zeros_of(g, tuple(self_shape)), mask, indices, g)


@op(
    grad_fn="UnsafeMaskedIndexPutAccumulateBackward0",
    symbol="[…] +=",
    latex={"self": "g", "values": r"g[\ldots]\ \text{where the mask is True}"},
    summary={
        "self": "passes the incoming gradient on",
        "values": "reads the incoming gradient at the indices where the mask is True",
    },
)
class unsafe_masked_index_put_accumulate:
    """Values added at indices where the mask is True."""

    def forward(self: A, mask: K, indices: list[K], values: A) -> A:
        out = np.array(self)
        if self.size:
            np.add.at(out, _inside(self.shape, indices), np.where(mask, values, np.zeros((), values.dtype)))
        return out

    def grad_self(g: V) -> V:
        return g

    def grad_values(g: V, mask: V, indices: V) -> V:
        return xp.unsafe_masked_index(g, mask, indices, 0)


@export("_unsafe_masked_index", method=False)
def _unsafe_masked_index(input: Tensor, mask: Tensor, indices: Values, fill: Value) -> Any:  # noqa: A002
    """Elements at indices, and `fill` where the mask is False."""
    return apply(primitives["unsafe_masked_index"], input, mask, tuple(indices), fill)


@export("_unsafe_masked_index_put_accumulate", method=False)
def _unsafe_masked_index_put_accumulate(
    input: Tensor,  # noqa: A002
    mask: Tensor,
    indices: Values,
    values: Tensor,
) -> Any:
    """A copy with values added at indices where the mask is True."""
    return apply(primitives["unsafe_masked_index_put_accumulate"], input, mask, tuple(indices), values)
