"""Tensors turned by quarter turns or reversed: rot90, reversed()."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.arguments.dims import wrap_dim
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export
from backscope.runtime.given import Dim
from backscope.tensor.tensor import Tensor


@op(
    grad_fn="Rot90Backward0",
    symbol="rot90",
    latex={"self": r"\text{rot90}(g, -k)"},
    summary={"self": "turns the incoming gradient back"},
)
class rot90:
    """Turned by k quarters in the plane of two dims."""

    def forward(self: A, k: int, dims: Dim) -> A:
        return np.array(np.rot90(self, k, dims))

    def grad_self(g: V, k: V, dims: V) -> V:
        return xp.rot90(g, -k, dims)


@export("rot90")
def _rot90(input: Tensor, k: int = 1, dims: Dim = (0, 1)) -> Any:  # noqa: A002
    """Turned by k quarters from the first to the second of two dims."""
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if input.ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {input.ndim}")
    pair = tuple(wrap_dim(d, input.ndim) for d in dims)
    if pair[0] == pair[1]:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    return apply(primitives["rot90"], input, int(k), pair)


def _reversed(self: Tensor) -> Any:
    """The elements of the first dim from the last to the first."""
    return self.flip(tuple(range(self.ndim))) if self.ndim else self  # type: ignore[attr-defined]


setattr(Tensor, "__reversed__", _reversed)
