"""Picking and placing along a dim by an index tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.absent import Absent
from backscope.autograd.node import described
from backscope.ops.core.arguments.dims import wrap_dim
from backscope.ops.core.arguments.number_casts import check_number
from backscope.ops.core.declaration import A, K, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.mutation import mutate
from backscope.ops.core.namespace import export
from backscope.ops.index.scattering import REDUCING, check_range, check_ranks, check_room, covering, with_reduction
from backscope.ops.pointwise.arithmetic import like, times
from backscope.runtime.given import Dtype, Option, Shape, Value
from backscope.runtime.warning import warn_once
from backscope.tensor import dtype as types
from backscope.tensor.tensor import Tensor, of_raw


def _at(dim: int, index: A) -> tuple[Any, ...]:
    """The numpy key for whole slices of a dim at an index."""
    return (*(slice(None),) * dim, np.atleast_1d(index))


def _unique(index: V) -> V:
    """The indices without those that come again."""
    return of_raw(np.unique(index._data)) if isinstance(index, Tensor) else np.unique(index)


def _places(index: A, dim: int) -> tuple[Any, ...]:
    """The numpy key for single elements: the index along `dim`, their own places along the others."""
    if not index.ndim:
        return (index.reshape(1),)
    places: list[Any] = list(np.indices(index.shape, sparse=True))
    places[dim] = index
    return tuple(places)


@op(
    symbol="[i]",
    latex={"self": r"g\ \text{at the indices}"},
    summary={"self": "adds the incoming gradient at the indices of dim {dim} that it was read from"},
)
class index_select:
    """The slices of a dim at the indices."""

    def forward(self: A, dim: int, index: K) -> A:
        if not self.ndim:
            return self[()]
        return np.asarray(self[_at(dim % self.ndim, index)], order="C")

    def grad_self(g: V, self_shape: V, dim: V, index: V) -> V:
        if not len(self_shape):
            return g
        return xp.index_add(xp.zeros_of(g, self_shape), g, dim, index, 1)


def _scaled(value: A, alpha: Value) -> A:
    return value if alpha == 1 else value * like(alpha, value)


def _check_added_at(index: K, shape: Shape, dim: int) -> None:
    """Raise PyTorch's error for an index that is negative or too large: index_add counts from the front alone."""
    flat = index.reshape(-1)
    wrong = flat[(flat < 0) | (flat >= shape[dim])]
    if wrong.size:
        raise RuntimeError(f"index {wrong[0]} is out of bounds for dimension {dim} with size {shape[dim]}")


def _source_dim(node: Any) -> int:
    """The number of dims of `source` that a node of index_add or index_copy shows; of its output where unknown."""
    source = node.saved[node.op.slots.index("source")] if node.saved else None
    if source is not None:
        return int(source._data.ndim)
    below, number = node.edges()[1]
    return len(node.shape if below is None else described(below, number)[0])


@op(
    shows={"source_dim": _source_dim},
    symbol="add at",
    latex={"self": "g", "source": r"\alpha\, g[\text{index}]"},
    summary={
        "self": "passes the incoming gradient on to {self}",
        "source": "reads the incoming gradient at the indices of dim {dim}",
    },
)
class index_add:
    """self with slices of source added at the indices of a dim."""

    def forward(self: A, source: A, dim: int, index: K, alpha: Value = 1) -> A:
        out = np.array(self, order="C")
        alpha = _as_number_of(alpha, self.dtype)
        if not self.ndim:
            return (out + _scaled(source.sum(dtype=self.dtype), alpha))[()]
        scaled = _scaled(source, alpha)
        if self.ndim > 1:
            _check_added_at(index, self.shape, dim % self.ndim)
        np.add.at(out, _at(dim % self.ndim, index), scaled if source.ndim else scaled[None])
        return out

    def grad_self(g: V) -> V:
        return g

    def grad_source(g: V, source: V, dim: V, index: V, alpha: V) -> V:
        if not len(g.shape):
            return times(xp.expand(g, source.shape), alpha)
        picked = xp.index_select(g, dim, index)
        return times(xp.expand(picked, source.shape) if len(source.shape) else xp.reshape(picked, ()), alpha)


def _as_number_of(alpha: Value, kind: Dtype) -> Any:
    """A factor in an integer type, wrapped around as PyTorch casts it."""
    return np.asarray(alpha).astype(kind)[()] if kind.kind in "iu" and alpha != 1 else alpha


@op(
    shows={"source_dim": _source_dim},
    symbol="copy at",
    latex={"self": r"g\ \text{elsewhere}", "source": r"g[\text{index}]"},
    summary={
        "self": "passes the incoming gradient on except at the indices of dim {dim}",
        "source": "reads the incoming gradient at the indices of dim {dim}",
    },
)
class index_copy:
    """self with slices of source written at the indices of a dim."""

    def forward(self: A, source: A, dim: int, index: K) -> A:
        out = np.array(self, order="C")
        if not self.ndim:
            return source.reshape(())[()]
        out[_at(dim % self.ndim, index)] = source
        return out

    def grad_self(g: V, dim: V, index: V) -> V:
        return xp.index_fill(g, dim, index, 0)

    def grad_source(g: V, source: V, dim: V, index: V) -> V:
        return xp.reshape(xp.index_select(g, dim, index), source.shape)


@op(
    symbol="fill at",
    latex={"self": r"g\ \text{elsewhere}"},
    summary={"self": "passes the incoming gradient on except at the indices of dim {dim}"},
)
class index_fill:
    """self with one number written at the indices of a dim."""

    def forward(self: A, dim: int, index: K, value: Value) -> A:
        out = np.array(self)
        out[_at(dim % self.ndim, index) if self.ndim else ()] = np.asarray(value).astype(self.dtype)
        return out[()]

    def grad_self(g: V, dim: V, index: V) -> V:
        return xp.index_fill(g, dim, index, 0)


@op(
    grad_fn="IndexFillBackward1",
    symbol="fill at",
    latex={"self": r"g\ \text{elsewhere}", "value": r"\textstyle\sum g[\text{index}]"},
    summary={
        "self": "passes the incoming gradient on except at the indices of dim {dim}",
        "value": "sums the incoming gradient at the indices of dim {dim}",
    },
)
class index_fill_tensor:
    """self with the value of a 0-d tensor written at the indices of a dim."""

    def forward(self: A, value: A, dim: int, index: K) -> A:
        out = np.array(self)
        out[_at(dim % self.ndim, index) if self.ndim else ()] = value
        return out[()]

    def grad_self(g: V, dim: V, index: V) -> V:
        return xp.index_fill(g, dim, index, 0)

    def grad_value(g: V, dim: V, index: V) -> V:
        return xp.sum(xp.index_select(g, dim, _unique(index)), None)


@op(
    symbol="gather",
    latex={"self": r"\text{scatter}(g)"},
    summary={"self": "adds the incoming gradient at the indices it was read from"},
)
class gather:
    """Elements picked along a dim by an index of the same rank."""

    def forward(self: A, dim: int, index: K, sparse_grad: bool = False) -> A:
        if not self.ndim or not index.ndim:
            return np.full(index.shape, self if not self.ndim else self.flat[index], self.dtype)[()]
        if not index.size:
            return np.empty(index.shape, self.dtype)
        return self[_places(index, dim % self.ndim)]

    def grad_self(g: V, self: V, dim: V, index: V, sparse_grad: V) -> V:
        shape = tuple(self.shape)
        if sparse_grad and shape:
            return xp.sparse_coo_tensor(xp.reshape(g, (-1,)), _coordinates(index, dim % len(shape)), shape)
        return xp.scatter_add(xp.zeros_of(g, shape), g, dim, index)


def _coordinates(index: V, dim: int) -> A:
    """Where an index reads along a dim, one element after another.  Shape: [dims, elements]."""
    at = np.atleast_1d(np.asarray(getattr(index, "_data", index)))
    places = np.indices(at.shape)
    places[dim] = at
    return places.reshape(at.ndim, -1).astype(np.int64)


def _part(src: A, index: A) -> A:
    """The part of a source that an index of fewer elements covers."""
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
        np.add.at(out, _places(index, dim % self.ndim), _part(src, index))
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
        out[_places(index, dim % self.ndim) if self.ndim else ()] = _part(src, index)
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
        out[_places(index, dim % self.ndim) if self.ndim else ()] = np.asarray(value).astype(self.dtype)
        return out[()]

    def grad_self(g: V, dim: V, index: V) -> V:
        return xp.scatter_value(g, dim, index, 0)


@op(
    symbol="take",
    latex={"self": r"g\ \text{at the indices}"},
    summary={"self": "adds the incoming gradient at the places it was read from"},
)
class take:
    """Elements picked by their places in a row."""

    def forward(self: A, index: K) -> A:
        return np.take(self, index)

    def grad_self(g: V, self: V, index: V) -> V:
        count = int(np.prod(self.shape, dtype=np.int64))
        raw = index._data if isinstance(index, Tensor) else index
        if isinstance(raw, Absent):
            total = xp.index_add(xp.zeros_of(g, (count,)), xp.reshape(g, (-1,)), 0, xp.reshape(index % count, (-1,)), 1)
            return xp.reshape(total, tuple(self.shape))
        if isinstance(g, Tensor):
            return xp.put(xp.zeros_like(self), g, index, True)
        places = np.asarray(raw % count if count else raw).reshape(-1)
        total = xp.index_add(xp.zeros_of(g, (count,)), xp.reshape(g, (-1,)), 0, places, 1)
        return xp.reshape(total, tuple(self.shape))


def _check_index(name: str, index: Tensor, *kinds: Any) -> None:
    if index._dtype not in kinds:
        raise RuntimeError(f"{name}(): Expected dtype int32 or int64 for index")


@export("index_select")
def _index_select(input: Tensor, dim: int, index: Tensor) -> Any:  # noqa: A002
    """The slices of a dim at the indices; IndexError for an index out of range."""
    d = wrap_dim(dim, input._data.ndim)
    if index._data.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    _check_index("index_select", index, types.int32, types.int64)
    if not input._data.ndim and index._data.size != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index._data.size} value(s)")
    n = input._data.shape[d] if input._data.ndim else 1
    if index._data.size and not n:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    if index._data.size and not (index._data.min() >= 0 and index._data.max() < n):
        raise IndexError("index out of range in self")
    return apply(primitives["index_select"], input, dim, index)


@export("gather")
def _gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Any:  # noqa: A002
    """Elements picked along `dim` by an int64 index of the same rank; RuntimeError for an index out of range."""
    d = wrap_dim(dim, input._data.ndim)
    check_ranks("gather", input, index, "input")
    room, wanted = input._data.shape, index._data.shape
    for i, (n, m) in enumerate(zip(wanted, room, strict=False)):
        if i != d and n > m and index._data.size:
            raise RuntimeError(
                f"Size does not match at dimension {i} expected index {list(wanted)} to be no larger than self "
                f"{list(room)} apart from dimension {d}"
            )
    check_range(index, input._data.shape[d] if input._data.ndim else 1, d)
    return apply(primitives["gather"], input, dim, index, bool(sparse_grad))


def _scatter_op(input: Tensor, dim: int, index: Tensor, src: Value, value: Value) -> tuple[str, tuple[Any, ...]]:  # noqa: A002
    d = wrap_dim(dim, input._data.ndim)
    check_ranks("scatter", input, index)
    check_room(input, index, d, src)
    check_range(index, input._data.shape[d] if input._data.ndim else 1, d)
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
        return mutate("scatter_with", *given, told="scatter_", apart=True)
    name, args = _scatter_op(self, dim, index, src, value)
    return mutate(name, self, *args, told="scatter_", apart=True)


def _check_added(input: Tensor, dim: int, index: Tensor, src: Tensor) -> None:  # noqa: A002
    d = wrap_dim(dim, input._data.ndim)
    if src._dtype is not input._dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    check_ranks("scatter", input, index)
    check_room(input, index, d, src)
    check_range(index, input._data.shape[d] if input._data.ndim else 1, d)


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


@export("take")
def _take(input: Tensor, index: Tensor) -> Any:  # noqa: A002
    """The elements at places counted in a row; IndexError for one out of range."""
    if index._dtype is not types.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {index._dtype.type_name}")
    count, places = input._data.size, index._data
    if places.size and not count:
        raise IndexError("take(): tried to take from an empty tensor")
    if places.size and not (places.min() >= -count and places.max() < count):
        wrong = places.max() if places.max() >= count else places.min()
        raise IndexError(f"out of range: tried to access index {wrong} on a tensor of {count} elements.")
    return apply(primitives["take"], input, index)


@export()
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Any:  # noqa: A002
    """Elements picked along `dim` by indices that broadcast against input."""
    if indices._dtype is not types.int64:
        raise RuntimeError(
            f"torch.take_along_dim(): dtype of indices should be Long but got {indices._dtype.type_name}"
        )
    if dim is None:
        return _gather(input.reshape(-1), 0, indices.reshape(-1))  # type: ignore[attr-defined]
    d = wrap_dim(dim, input._data.ndim)
    if not input._data.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if indices._data.ndim != input._data.ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input._data.ndim} dimensions for input, and {indices._data.ndim} dimensions for indices"
        )
    rest = [n for i, n in enumerate(input._data.shape) if i != d]
    others = [n for i, n in enumerate(indices._data.shape) if i != d]
    common = list(np.broadcast_shapes(tuple(rest), tuple(others)))
    wide = input.expand(*common[:d], input._data.shape[d], *common[d:])  # type: ignore[attr-defined]
    places = indices.expand(*common[:d], indices._data.shape[d], *common[d:])  # type: ignore[attr-defined]
    n = input._data.shape[d]
    if places.__class__ is not Tensor:
        return _gather(wide, d, places % n)
    return _gather(wide, d, of_raw(np.where(places._data < 0, places._data + n, places._data)))
