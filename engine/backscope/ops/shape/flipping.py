"""Elements of a tensor in another order along its dims: flip, fliplr, flipud, roll."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.arguments.dims import Dims, sizes, wrap_dim, wrap_dims
from backscope.ops.core.arguments.signatures import check
from backscope.ops.core.channels_last import row_major
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply, to_array
from backscope.ops.core.namespace import export
from backscope.runtime.given import Dim, Value
from backscope.tensor.strides import arranged
from backscope.tensor.tensor import Tensor


@op(
    symbol="flip",
    latex={"self": r"\text{flip}(g)"},
    summary={"self": "reverses the incoming gradient along the dims {dims}"},
)
class flip:
    """Reversed along dims."""

    def forward(self: A, dims: Dims) -> A:
        return arranged(np.flip(to_array(self), dims).copy(), [self]) if self.ndim else self[()]

    def grad_self(g: V, dims: V) -> V:
        return xp.flip(g, dims)


@op(
    symbol="roll",
    latex={"self": r"\text{roll}^{-1}(g)"},
    summary={"self": "rolls the incoming gradient back by {shifts}"},
)
class roll:
    """Shifted along dims, what leaves at the end coming in at the front; all elements in a row without dims."""

    def forward(self: A, shifts: Dims, dims: Dims) -> A:
        if not self.ndim:
            return self[()]
        return row_major(np.roll(self, shifts, dims) if dims else np.roll(self, shifts[0]))

    def grad_self(g: V, shifts: V, dims: V) -> V:
        return xp.roll(g, tuple([-s for s in shifts]), dims)


@export("flip")
def _flip(input: Tensor, *args: Any, dims: Dim = None) -> Any:  # noqa: A002
    """Reversed along dims."""
    if not args and dims is None:
        check("torch", "flip", (input,), {})
    given = sizes(args if dims is None else (dims,))
    return apply(primitives["flip"], input, wrap_dims(given, input._data.ndim) if given else ())


@export()
def fliplr(input: Tensor) -> Value:  # noqa: A002
    """Reversed along dim 1."""
    if input._data.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return _flip(input, 1)


@export()
def flipud(input: Tensor) -> Value:  # noqa: A002
    """Reversed along dim 0."""
    if not input._data.ndim:
        raise RuntimeError("Input must be >= 1-d.")
    return _flip(input, 0)


def _check_dim(dim: int, ndim: int) -> None:
    """Raise IndexError for a dim that a tensor does not have; one without dims has none at all."""
    if not ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    wrap_dim(dim, ndim)


@export("roll")
def _roll(input: Tensor, shifts: Value, dims: Dim = ()) -> Any:  # noqa: A002
    """Shifted along dims, or in a row without them."""
    shifts = (int(shifts),) if hasattr(shifts, "__index__") else tuple(shifts)
    dims = () if dims is None else (int(dims),) if hasattr(dims, "__index__") else tuple(dims)
    if not shifts:
        raise RuntimeError("`shifts` required")
    for d in dims:
        _check_dim(d, input._data.ndim)
    if len(shifts) != len(dims) and (dims or len(shifts) > 1):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    return apply(primitives["roll"], input, shifts, dims)
