"""Weights as a length for each slice, times a direction."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.evaluation import composed
from backscope.ops.core.arguments.dims import as_dims
from backscope.ops.core.declaration import A, V, op, primitives
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export
from backscope.ops.loss import distance  # noqa: F401 - declares the norms
from backscope.runtime.given import Value
from backscope.tensor.dtype import LOW_PRECISION
from backscope.tensor.tensor import Tensor


def _rest(ndim: int, dim: int) -> tuple[int, ...]:
    return tuple([d for d in range(ndim) if d != dim % ndim])


@op(
    outputs=2,
    differentiable=1,
    returns=("weight", "norm"),
    hidden=("norm",),
    grad_fn="WeightNormInterfaceBackward0",
    symbol="g v/‖v‖",
    latex={
        "v": r"\frac{\text{g\_length}}{\lVert v \rVert} \left(g - \frac{v\, (g \cdot v)}{\lVert v \rVert^2}\right)",
        "g_length": r"\frac{g \cdot v}{\lVert v \rVert}",
    },
    summary={
        "v": "takes the part along {v} from the incoming gradient and scales what is left",
        "g_length": "sums the incoming gradient times the direction of {v}",
    },
)
class weight_norm_interface:
    """v scaled to the length g in each slice along the first or last dim, and the lengths that v had."""

    def forward(v: A, g_length: A, dim: int) -> A:
        size = np.sqrt(np.sum(v * v, axis=_rest(v.ndim, dim), keepdims=True))
        return v * (g_length / size), size

    def grad_v(g: V, v: V, g_length: V, norm: V, dim: V) -> V:
        return (g_length / norm) * (g - v * (_sums(g * v, dim) / (norm * norm)))

    def grad_g_length(g: V, v: V, norm: V, dim: V) -> V:
        return _sums(g * v, dim) / norm


def _sums(value: V, dim: int) -> V:
    """Sums over all dims but one, in a shape that broadcasts."""
    shape = tuple(value.shape)
    if not isinstance(value, Tensor):
        return np.sum(value, axis=_rest(len(shape), dim), keepdims=True)
    tensor: Any = value
    last = dim == len(shape) - 1
    found = tensor.view(-1, shape[-1]).sum(0) if last else tensor.view(shape[0], -1).sum(1)
    return found.view([n if d == dim else 1 for d, n in enumerate(shape)])


@export(method=False)
@composed
def norm_except_dim(v: Value, pow: int = 2, dim: int = 0) -> Value:  # noqa: A002
    """The norm of each slice along a dim, in a shape that broadcasts; of all elements for dim -1."""
    if dim == -1:
        return apply(primitives["norm_all"], v, float(pow))
    ndim = v._data.ndim
    if dim == 0 or dim == ndim - 1:
        first = dim == 0
        flat = v.contiguous().view(*((v._data.shape[0], -1) if first else (-1, v._data.shape[-1])))
        found = apply(primitives["norm_dim"], flat, float(pow), as_dims(1 if first else 0), False)
        return found.view(*[n if d == dim else 1 for d, n in enumerate(v._data.shape)])
    return norm_except_dim(v.transpose(0, dim), pow, 0).transpose(0, dim)


@export("_weight_norm", method=False)
@composed
def weight_norm(v: Value, g: Value, dim: int = 0) -> Value:
    """v scaled to the lengths g along a dim."""
    v, g = v.contiguous(), g.contiguous()
    if v._dtype not in LOW_PRECISION and dim in (0, v._data.ndim - 1):
        return apply(primitives["weight_norm_interface"], v, g, dim)[0]
    return v * (g / norm_except_dim(v, 2, dim))
