"""Elements of a tensor, or one number, written or added at the indices along a dim: scatter, scatter_add."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.arguments.out_arguments import prepared_outs
from backscope.ops.core.declaration import A, K, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.mutation import mutate
from backscope.ops.core.namespace import export
from backscope.ops.index.index_checks import check_range, check_scatter, check_written
from backscope.ops.index.index_keys import element_key
from backscope.ops.index.scatter_reduction import covering, with_reduction
from backscope.runtime.given import Option, Value
from backscope.tensor.dtype import dtype
from backscope.tensor.tensor import Tensor


def _part(src: A, index: A) -> A:
    """Return the part of a source that a smaller index covers."""
    return np.atleast_1d(src)[tuple([slice(0, n) for n in index.shape or (1,)])]


def _key(out: A, dim: int, index: A) -> tuple[Any, ...]:
    """Return the NumPy key for the elements of `out`, taken as 1-d at least, at the indices along a dim."""
    return element_key(index, dim % max(out.ndim, 1))


@op(
    symbol="scatter +",
    latex={"self": "g", "src": r"\text{gather}(g)"},
    summary={
        "self": "passes the incoming gradient on to {self}",
        "src": "reads the incoming gradient at the indices",
    },
)
class scatter_add:
    """self with elements of src added at the indices along a dim."""

    def forward(self: A, src: A, dim: int, index: K) -> A:
        out = np.array(self, order="C")
        if index.size:
            np.add.at(np.atleast_1d(out), _key(out, dim, index), _part(src, index))
        return out[()]

    def grad_self(g: V) -> V:
        return g

    def grad_src(g: V, src_shape: V, dim: V, index: V) -> V:
        return covering(xp.gather(g, dim, index), src_shape, "ScatterAddBackward0")


@op(
    name="scatter",
    symbol="scatter",
    latex={"self": r"g\ \text{elsewhere}", "src": r"\text{gather}(g)"},
    summary={
        "self": "passes the incoming gradient on except at the indices",
        "src": "reads the incoming gradient at the indices",
    },
)
class scatter_src:
    """self with elements of src written at the indices along a dim."""

    def forward(self: A, src: A, dim: int, index: K) -> A:
        out = np.array(self, order="C")
        if index.size:
            np.atleast_1d(out)[_key(out, dim, index)] = _part(src, index)
        return out[()]

    def grad_self(g: V, dim: V, index: V) -> V:
        return xp.scatter_value(g, dim, index, 0)

    def grad_src(g: V, src_shape: V, dim: V, index: V) -> V:
        return covering(xp.gather(g, dim, index), src_shape, "ScatterBackward0")


@op(
    grad_fn="ScatterBackward1",
    symbol="scatter",
    latex={"self": r"g\ \text{elsewhere}"},
    summary={"self": "passes the incoming gradient on except at the indices"},
)
class scatter_value:
    """self with one number written at the indices along a dim."""

    def forward(self: A, dim: int, index: K, value: Value) -> A:
        out = np.array(self, order="C")
        if index.size:
            np.atleast_1d(out)[_key(out, dim, index)] = np.asarray(value).astype(self.dtype)
        return out[()]

    def grad_self(g: V, dim: V, index: V) -> V:
        return xp.scatter_value(g, dim, index, 0)


def _scatter_op(input: Tensor, dim: int, index: Tensor, src: Value, value: Value) -> tuple[str, tuple[Any, ...]]:  # noqa: A002
    d = check_scatter(input, dim, index, src)
    if isinstance(src, Tensor):
        check_range(input, d, index)
        return "scatter", (src, dim, index)
    number = src if value is None else value
    check_written(input, d, index, number)
    return "scatter_value", (dim, index, number)


def _scattered(
    input: Tensor,  # noqa: A002
    dim: int,
    index: Tensor,
    src: Value = None,
    *,
    value: Value = None,
    reduce: Option = None,
) -> tuple[tuple[int, ...], dtype]:
    """Return the shape and the dtype of what scatter writes; raise the errors that come before those of its indices."""
    check_scatter(input, dim, index, src)
    return input._data.shape, input._dtype


prepared_outs["scatter"] = _scattered


@export("scatter")
def _scatter(
    input: Tensor,  # noqa: A002
    dim: int,
    index: Tensor,
    src: Value = None,
    *,
    value: Value = None,
    reduce: Option = None,
) -> Any:
    """A copy with elements of src, or one number, written at the indices along a dim."""
    if reduce is not None:
        given = with_reduction(input, dim, index, src if value is None else value, reduce)
        return apply(primitives["scatter_with"], *given)
    name, args = _scatter_op(input, dim, index, src, value)
    return apply(primitives[name], input, *args)


@export(function=False)
def scatter_(
    self: Tensor, dim: int, index: Tensor, src: Value = None, *, value: Value = None, reduce: Option = None
) -> Tensor:
    """Write elements of src, or one number, at the indices along a dim in place."""
    if reduce is not None:
        given = with_reduction(self, dim, index, src if value is None else value, reduce)
        return mutate("scatter_with", *given, reported_as="scatter_", apart=True)
    name, args = _scatter_op(self, dim, index, src, value)
    return mutate(name, self, *args, reported_as="scatter_", apart=True)


@export("scatter_add")
def _scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Any:  # noqa: A002
    """A copy with elements of src added at the indices along a dim."""
    check_range(input, check_scatter(input, dim, index, src), index)
    return apply(primitives["scatter_add"], input, src, dim, index)


@export(function=False)
def scatter_add_(self: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Add elements of src at the indices along a dim in place."""
    check_range(self, check_scatter(self, dim, index, src), index)
    return mutate("scatter_add", self, src, dim, index, apart=True)
