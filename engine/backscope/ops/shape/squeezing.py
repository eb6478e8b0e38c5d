"""Views without dims of length 1, or with one more: squeeze, unsqueeze."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.arguments.dims import Dims, wrap_dim, wrap_dims
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply, to_array
from backscope.ops.core.namespace import export
from backscope.runtime.given import Dim, Shape
from backscope.tensor.tensor import Tensor


@op(
    name="squeeze",
    view=True,
    symbol="squeeze",
    latex={"self": r"\text{unsqueeze}(g)"},
    summary={"self": "puts the dims of length 1 back"},
)
class squeeze_all:
    """All dims of length 1 removed."""

    def forward(self: A) -> A:
        return to_array(self).squeeze()

    def grad_self(g: V, self_shape: V) -> V:
        return _unsqueezed(g, self_shape, range(len(self_shape)))


def _unsqueezed(g: V, shape: Shape, dims: Dim) -> V:
    """A gradient with those dims of length 1 put back, one after the other, which `shape` has among `dims`."""
    for d in sorted(dims):
        if shape[d] == 1:
            g = xp.unsqueeze(g, d)
    return g


def _squeezed(value: A, dims: Dims) -> A:
    array = to_array(value)
    return array.squeeze(tuple([d for d in wrap_dims(dims, array.ndim) if array.shape[d] == 1]) if dims else ())


@op(
    grad_fn="SqueezeBackward1",
    view=True,
    symbol="squeeze",
    latex={"self": r"\text{unsqueeze}(g)"},
    summary={"self": "puts dim {dim} of length 1 back"},
)
class squeeze_dim:
    """One dim of length 1 removed."""

    def forward(self: A, dim: int) -> A:
        return _squeezed(self, (dim,))

    def grad_self(g: V, self_shape: V, dim: V) -> V:
        return xp.unsqueeze(g, dim) if len(g.shape) < len(self_shape) else g


@op(
    grad_fn="SqueezeBackward2",
    view=True,
    symbol="squeeze",
    latex={"self": r"\text{unsqueeze}(g)"},
    summary={"self": "puts the dims {dim} of length 1 back"},
)
class squeeze_dims:
    """Several dims of length 1 removed."""

    def forward(self: A, dim: Dims) -> A:
        return _squeezed(self, dim)

    def grad_self(g: V, self_shape: V, dim: V) -> V:
        return _unsqueezed(g, self_shape, wrap_dims(dim, len(self_shape)) if dim else ())


@op(
    view=True,
    symbol="unsqueeze",
    latex={"self": r"\text{squeeze}(g)"},
    summary={"self": "removes dim {dim} of length 1 again"},
)
class unsqueeze:
    """A dim of length 1 added."""

    def forward(self: A, dim: int) -> A:
        array = to_array(self)
        at = dim if dim >= 0 else dim + array.ndim + 1
        if not array.size:
            steps = array.strides
            step = array.itemsize if at == array.ndim else array.shape[at] * steps[at]
            shape = (*array.shape[:at], 1, *array.shape[at:])
            return np.lib.stride_tricks.as_strided(array, shape, (*steps[:at], step, *steps[at:]))
        return array.reshape(*array.shape[:at], 1, *array.shape[at:])

    def grad_self(g: V, dim: V) -> V:
        return xp.squeeze_dim(g, dim)


@export("squeeze")
def _squeeze(input: Tensor, dim: Dim = None, *, copied: str = "") -> Any:  # noqa: A002
    """Remove dims of length 1: all, or just the given ones."""
    if dim is None:
        return apply(primitives["squeeze" + copied], input)
    if isinstance(dim, int):
        wrap_dim(dim, input._data.ndim)
        return apply(primitives["squeeze_dim" + copied], input, dim)
    wrap_dims(dim, input._data.ndim)
    return apply(primitives["squeeze_dims" + copied], input, tuple(dim))


@export("unsqueeze")
def _unsqueeze(input: Tensor, dim: int, *, copied: str = "") -> Any:  # noqa: A002
    """Insert a dim of length 1 at `dim`."""
    wrap_dim(dim, input._data.ndim + 1)
    return apply(primitives["unsqueeze" + copied], input, dim)
