"""The smallest and the largest element at once: aminmax."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.arguments.dims import wrap_dim
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export
from backscope.ops.core.return_types import return_type
from backscope.ops.reduce.extremes import shared_evenly
from backscope.tensor.tensor import Tensor


@op(
    outputs=2,
    returns=("min", "max"),
    symbol="min, max",
    latex={"self": r"g\ \text{at the extremes}"},
    summary={"self": "sends the incoming gradients to the smallest and the largest element"},
)
class aminmax:
    """The smallest and the largest element, of all or along a dim."""

    def forward(self: A, dim: int | None, keepdim: bool) -> tuple[A, ...]:
        return np.asarray(np.min(self, dim, keepdims=keepdim))[()], np.asarray(np.max(self, dim, keepdims=keepdim))[()]

    def grad_self(g: V, self: V, min: V, max: V, dim: V, keepdim: V, self_shape: V) -> V:  # noqa: A002
        parts = []
        for part, extreme in ((g[0], min), (g[1], max)):
            if part is None:
                continue
            if dim is None or not len(self_shape):
                parts.append(shared_evenly(part, self, extreme))
                continue
            shown = extreme if keepdim else xp.unsqueeze(extreme, dim)
            spread = part if keepdim else xp.unsqueeze(part, dim)
            mask = self == shown
            count = xp.sum(mask, (dim,), True)
            parts.append(mask * (spread / count))
        return parts[0] if len(parts) == 1 else parts[0] + parts[1]


_AMINMAX = return_type("aminmax", "min", "max")


@export("aminmax")
def _aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> Any:  # noqa: A002
    """The smallest and the largest element, of all or along a dim."""
    d = None if dim is None else wrap_dim(dim, input.ndim)
    if d is None and not input._data.size:
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
        )
    if d is not None and input.ndim and not input._data.shape[d]:
        raise IndexError(f"aminmax: Expected reduction dim {d} to have non-zero size.")
    return _AMINMAX(*apply(primitives["aminmax"], input, d, bool(keepdim)))
