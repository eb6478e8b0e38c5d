"""torch.sparse.softmax and log_softmax: over the coordinates that a sparse tensor has, as if the others were -inf."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.arguments.dims import wrap_dim
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.sparse.sparse_arithmetic import sparse
from backscope.runtime.given import Dtype, Shape, Value, Values
from backscope.tensor.sparse_values import NotImplementedForSparse, Sparse
from backscope.tensor.tensor import Tensor


def _groups(once: Sparse, dim: int) -> Any:
    """Return for each coordinate the number of its row along a sparse dim."""
    others = np.delete(once.indices, dim, 0)
    if not len(others):
        return np.zeros(once.indices.shape[1], np.intp)
    return np.unique(others, axis=1, return_inverse=True)[1].reshape(-1)


def _over(ufunc: np.ufunc, values: Values, groups: Shape, start: Value) -> Any:
    """Reduce the values of each row with a ufunc, and return the result at each coordinate of the row."""
    if not groups.size:
        return values
    found = np.full((groups.max() + 1, *values.shape[1:]), start, values.dtype)
    ufunc.at(found, groups, values)
    return found[groups]


def _reduced(ufunc: np.ufunc, once: Sparse, values: Values, dim: int, start: Value) -> Any:
    if dim < len(once.indices):
        return _over(ufunc, values, _groups(once, dim), start)
    return ufunc.reduce(values, axis=dim - len(once.indices) + 1, keepdims=True)


def _logarithms(once: Sparse, dim: int) -> Any:
    values = once.values - _reduced(np.maximum, once, once.values, dim, -np.inf)
    return values - np.log(_reduced(np.add, once, np.exp(values), dim, 0))


def _declare(name: str, grad_fn: str, latex: str, summary: str, *, logarithms: bool) -> None:
    def forward(self: A, dim: int) -> A:
        once = self.coalesce()
        found = _logarithms(once, dim)
        return once.with_values(found if logarithms else np.exp(found))

    def grad_self(g: V, result: V, dim: V) -> V:
        return getattr(xp, name + "_gradient")(g, result, dim)

    op(
        name=name,
        grad_fn=grad_fn,
        symbol=name.removeprefix("sparse_"),
        latex={"self": latex},
        summary={"self": summary},
    )(type(name, (), {"forward": forward, "grad_self": grad_self, "__doc__": f"{name} of a sparse tensor."}))

    def gradient(g: A, result: A, dim: int) -> A:
        here = np.asarray(g)[tuple(result.indices)]
        share = np.exp(result.values) if logarithms else result.values
        total = _reduced(np.add, result, here if logarithms else here * share, dim, 0)
        return result.with_values(here - share * total if logarithms else share * (here - total))

    op(
        name=name + "_gradient",
        underivable=True,
        symbol=name,
    )(type(name, (), {"forward": gradient, "__doc__": f"The gradient of {name}."}))


_declare(
    "sparse_softmax",
    "SparseSoftmaxBackward0",
    r"\text{result} \cdot (g - \textstyle\sum g \cdot \text{result})\ \text{at the coordinates}",
    "multiplies {result} by the incoming gradient less its mean weighted by {result}, at the coordinates alone",
    logarithms=False,
)
_declare(
    "sparse_log_softmax",
    "SparseLogSoftmaxBackward0",
    r"g - e^{\text{result}} \cdot \textstyle\sum g\ \text{at the coordinates}",
    "takes exp({result}) times the sum of the incoming gradient off it, at the coordinates alone",
    logarithms=True,
)


def _published(name: str) -> Any:
    def function(input: Value, dim: int, *, dtype: Dtype = None) -> Any:  # noqa: A002
        given: Tensor = input if dtype is None else input.to(dtype)
        if not isinstance(given._data, Sparse):
            raise NotImplementedForSparse
        return apply(primitives["sparse_" + name], given, wrap_dim(dim, given._data.ndim))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The {name} along a dim of what a sparse tensor has coordinates for."
    return function


sparse.update({name: _published(name) for name in ("softmax", "log_softmax")})
