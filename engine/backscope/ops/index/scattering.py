"""Elements of a tensor, or one number, written or added at the indices along a dim: scatter, scatter_add."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.arguments.dims import wrap_dim
from backscope.ops.core.arguments.number_casts import check_number
from backscope.ops.core.declaration import A, K, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.mutation import mutate
from backscope.ops.core.namespace import export
from backscope.ops.index.index_checks import check_range, check_ranks, check_room
from backscope.ops.index.index_keys import element_key
from backscope.ops.index.scatter_reduction import REDUCING, covering, with_reduction
from backscope.runtime.given import Option, Value
from backscope.runtime.warning import warn_once
from backscope.tensor.tensor import Tensor


def _part(src: A, index: A) -> A:
    """Return the part of a source that a smaller index covers."""
    return src[tuple([slice(0, n) for n in index.shape or (1,)])] if src.ndim else src


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
        if not self.ndim:
            return (out + _part(src, index).sum(dtype=self.dtype))[()]
        if not index.size:
            return out
        np.add.at(out, element_key(index, dim % self.ndim), _part(src, index))
        return out

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
        out[element_key(index, dim % self.ndim) if self.ndim else ()] = _part(src, index)
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
        out[element_key(index, dim % self.ndim) if self.ndim else ()] = np.asarray(value).astype(self.dtype)
        return out[()]

    def grad_self(g: V, dim: V, index: V) -> V:
        return xp.scatter_value(g, dim, index, 0)


def _scatter_op(input: Tensor, dim: int, index: Tensor, src: Value, value: Value) -> tuple[str, tuple[Any, ...]]:  # noqa: A002
    d = wrap_dim(dim, input._data.ndim)
    check_ranks("scatter", input, index)
    check_room(input, index, d, src)
    check_range(input, d, index)
    if isinstance(src, Tensor):
        if src._dtype is not input._dtype:
            raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
        return "scatter", (src, dim, index)
    number = src if value is None else value
    check_number(number, input._dtype)
    return "scatter_value", (dim, index, number)


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
        return _reduced(input, dim, index, src if value is None else value, reduce)
    name, args = _scatter_op(input, dim, index, src, value)
    return apply(primitives[name], input, *args)


def _reduced(input: Tensor, dim: int, index: Tensor, src: Value, reduce: str) -> Any:  # noqa: A002
    if isinstance(src, Tensor):
        warn_once(REDUCING)
    check_ranks("scatter", input, index)
    check_room(input, index, wrap_dim(dim, input._data.ndim), src)
    given = with_reduction(input, dim, index, src, reduce)
    _scatter_op(input, dim, index, src, None)
    return apply(primitives["scatter_with"], *given)


@export(function=False)
def scatter_(
    self: Tensor, dim: int, index: Tensor, src: Value = None, *, value: Value = None, reduce: Option = None
) -> Tensor:
    """Write elements of src, or one number, at the indices along a dim in place."""
    if reduce is not None:
        if isinstance(src, Tensor):
            warn_once(REDUCING)
        given = with_reduction(self, dim, index, src if value is None else value, reduce)
        return mutate("scatter_with", *given, reported_as="scatter_", apart=True)
    name, args = _scatter_op(self, dim, index, src, value)
    return mutate(name, self, *args, reported_as="scatter_", apart=True)


def _check_added(input: Tensor, dim: int, index: Tensor, src: Tensor) -> None:  # noqa: A002
    d = wrap_dim(dim, input._data.ndim)
    if src._dtype is not input._dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    check_ranks("scatter", input, index)
    check_room(input, index, d, src)
    check_range(input, d, index)


@export("scatter_add")
def _scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Any:  # noqa: A002
    """A copy with elements of src added at the indices along a dim."""
    _check_added(input, dim, index, src)
    return apply(primitives["scatter_add"], input, src, dim, index)


@export(function=False)
def scatter_add_(self: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Add elements of src at the indices along a dim in place."""
    _check_added(self, dim, index, src)
    return mutate("scatter_add", self, src, dim, index, apart=True)
