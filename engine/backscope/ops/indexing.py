"""Reading and writing with indices: slices and integers as views, tensors as indices, gather, masked_fill."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope import dtype as types
from backscope.autograd.grad_mode import mode
from backscope.autograd.view import check_in_place
from backscope.listening import hub
from backscope.ops.declaration import A, V, op, xp
from backscope.ops.dispatch import apply, to_array
from backscope.ops.elementwise import record_in_place, store
from backscope.ops.namespace import export
from backscope.ops.shape import wrap_dim
from backscope.tensor import Tensor, make, of_raw

END = 9223372036854775807


@op(symbol="[i]", view=True, latex={"self": r"g\ \text{at the index}"}, summary={"self": "puts the incoming {g} at index {index} of dim {dim}, 0 elsewhere"})
class select:
    """The slice at one index of a dim."""

    def forward(self: A, dim: int, index: int) -> A:
        return to_array(self)[(slice(None),) * (dim % self.ndim) + (index, ...)]

    def grad_self(g: V, self_shape: V, dim: V, index: V) -> V:
        return xp.select_backward(g, self_shape, dim, index)


@op(symbol="place", name="select_backward", grad_fn="SelectBackwardBackward0", latex={"self": r"g[\text{index}]"}, summary={"self": "reads the incoming gradient at index {index}"})
class select_backward:
    """Zeros with self at one index of a dim."""

    def forward(self: A, shape: Any, dim: int, index: int) -> A:
        out = np.zeros(shape, self.dtype)
        out[(slice(None),) * (dim % len(shape)) + (index, ...)] = self
        return out

    def grad_self(g: V, dim: V, index: V) -> V:
        return xp.select(g, dim, index)


@op(symbol="[a:b]", name="slice", view=True, latex={"self": r"g\ \text{at the slice}"}, summary={"self": "puts the incoming gradient at {start}:{end} of dim {dim}, 0 elsewhere"})
class slice_op:
    """A range of a dim."""

    def forward(self: A, dim: int, start: int, end: int, step: int) -> A:
        return to_array(self)[(slice(None),) * (dim % self.ndim) + (slice(start, end, step),)]

    def grad_self(g: V, self_shape: V, dim: V, start: V, end: V, step: V) -> V:
        return xp.slice_backward(g, self_shape, dim, start, end, step)


@op(symbol="place", name="slice_backward", grad_fn="SliceBackwardBackward0", latex={"self": r"g[a:b]"}, summary={"self": "reads the incoming gradient at {start}:{end}"})
class slice_backward:
    """Zeros with self at a range of a dim."""

    def forward(self: A, shape: Any, dim: int, start: int, end: int, step: int) -> A:
        out = np.zeros(shape, self.dtype)
        out[(slice(None),) * (dim % len(shape)) + (slice(start, end, step),)] = self
        return out

    def grad_self(g: V, dim: V, start: V, end: V, step: V) -> V:
        return xp.slice(g, dim, start, end, step)


xp.narrow = lambda value, dim, start, length: xp.slice(value, dim, start, start + length, 1)


def _raw_indices(indices: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple([i._data if isinstance(i, Tensor) else i for i in indices])


@op(symbol="[…]", latex={"self": r"g\ \text{at the indices}"}, summary={"self": "adds the incoming gradient at the indices it was read from"})
class index:
    """Elements picked by tensors of indices; None stands for a whole dim."""

    def forward(self: A, indices: Any, key: Any) -> A:
        return to_array(self)[key]

    def grad_self(g: V, self_shape: V, indices: V, key: V) -> V:
        return xp.index_accumulate(g, self_shape, indices, key)


@op(symbol="scatter", name="index_accumulate", grad_fn="IndexPutBackward0", latex={"self": r"g[\ldots]"}, summary={"self": "reads the incoming gradient at the indices"})
class index_accumulate:
    """Zeros with self added at the indices."""

    def forward(self: A, shape: Any, indices: Any, key: Any) -> A:
        out = np.zeros(shape, self.dtype)
        np.add.at(out, key, self)
        return out

    def grad_self(g: V, indices: V, key: V) -> V:
        return xp.index(g, indices, key)


@op(symbol="put", name="index_put", latex={"self": r"g\ \text{elsewhere}", "values": r"g[\ldots]"},
    summary={"self": "passes the incoming gradient on except where values were written", "values": "reads the incoming gradient where the values were written"})  # fmt: skip
class index_put:
    """self with values written, or added, at the indices."""

    def forward(self: A, values: A, indices: Any, key: Any, accumulate: bool = False) -> A:
        out = np.array(self)
        if accumulate:
            np.add.at(out, key, values)
        else:
            out[key] = values
        return out

    def grad_self(g: V, indices: V, key: V, accumulate: V) -> V:
        return g if accumulate else xp.index_zero(g, indices, key)

    def grad_values(g: V, values_shape: V, indices: V, key: V) -> V:
        return xp.sum_to_size(xp.index(g, indices, key), values_shape)


@op(symbol="put 0", name="index_zero", grad_fn="IndexPutBackward0", latex={"self": r"g\ \text{elsewhere}"}, summary={"self": "passes the incoming gradient on except at the indices"})
class index_zero:
    """self with zeros at the indices."""

    def forward(self: A, indices: Any, key: Any) -> A:
        out = np.array(self)
        out[key] = 0
        return out

    def grad_self(g: V, indices: V, key: V) -> V:
        return xp.index_zero(g, indices, key)


class _Reader:
    """Applies the parts of an index to a tensor from left to right, each as the op that PyTorch uses for it."""

    def __init__(self, tensor: Tensor, key: Any) -> None:
        self.tensor = tensor
        self.dim = 0
        self.advanced: list[tuple[int, Any]] = []
        parts = list(key) if isinstance(key, tuple) else [key]
        parts = [_as_part(p) for p in parts]
        used = sum(_dims_used(p) for p in parts)
        if sum(p is Ellipsis for p in parts) > 1:
            raise IndexError("an index can only have a single ellipsis ('...')")
        if used > tensor._data.ndim:
            raise IndexError(f"too many indices for tensor of dimension {tensor._data.ndim}")
        for p in parts:
            self._take(p, tensor._data.ndim - used)

    def _take(self, part: Any, spare: int) -> None:
        shape = self.tensor._data.shape
        if part is Ellipsis:
            self.dim += spare
        elif part is None:
            self.tensor = self.tensor.unsqueeze(self.dim)  # type: ignore[attr-defined]
            self.dim += 1
        elif isinstance(part, bool):
            self.tensor = self.tensor.unsqueeze(self.dim)  # type: ignore[attr-defined]
            self.advanced.append((self.dim, make(np.array([part]), types.bool_)))
            self.dim += 1
        elif isinstance(part, int):
            n = shape[self.dim]
            if not -n <= part < n:
                raise IndexError(f"index {part} is out of bounds for dimension {self.dim} with size {n}")
            self.tensor = apply(select, self.tensor, self.dim, part)
        elif isinstance(part, slice):
            start, end, step = _slice_numbers(part)
            if (start, end, step) != (0, END, 1):
                self.tensor = apply(slice_op, self.tensor, self.dim, start, end, step)
            self.dim += 1
        else:
            self.advanced.append((self.dim, part))
            self.dim += part._data.ndim if part._dtype.name in ("bool", "uint8") else 1

    def indices(self) -> tuple[Any, Any]:
        """The index tensors by dim with None for whole dims, and the same as a raw key."""
        by_dim: dict[int, Any] = dict(self.advanced)
        found: list[Any] = []
        key: list[Any] = []
        dim = 0
        while dim < self.dim:
            part = by_dim.get(dim)
            if part is None:
                found.append(None)
                key.append(slice(None))
                dim += 1
            elif part._dtype.name in ("bool", "uint8"):
                wanted = self.tensor._data.shape[dim : dim + part._data.ndim]
                for i, (a, b) in enumerate(zip(part._data.shape, wanted, strict=True)):
                    if a != b:
                        raise IndexError(
                            f"The shape of the mask {list(part._data.shape)} at index {i} does not match the shape of the indexed tensor {list(self.tensor._data.shape)} at index {dim + i}"
                        )
                places = np.nonzero(part._data)
                found.extend(of_raw(x) for x in places)
                key.extend(places)
                dim += part._data.ndim
            else:
                found.append(part)
                key.append(part._data)
                n = self.tensor._data.shape[dim]
                if part._data.size and not (-n <= part._data.min() and part._data.max() < n):
                    worst = part._data.min() if part._data.min() < -n else part._data.max()
                    raise IndexError(f"index {worst} is out of bounds for dimension {dim} with size {n}")
                dim += 1
        return tuple(found), tuple(key)


def _as_part(part: Any) -> Any:
    if isinstance(part, (list, range)):
        part = np.asarray(part, dtype=None if len(part) else np.int64)
    if isinstance(part, (np.ndarray, np.generic)) and not isinstance(part, Tensor):
        part = of_raw(np.asarray(part)) if np.ndim(part) else part.item()
    if isinstance(part, Tensor):
        if part._dtype.category > 1:
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        if part._data.ndim == 0 and part._dtype.category == 1:
            return int(part._data.item())
        return part
    if part is None or part is Ellipsis or isinstance(part, (bool, slice, int)):
        return part
    if hasattr(part, "__index__"):
        return part.__index__()
    kind = type(part).__name__
    raise TypeError(f"only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got {kind})")


def _dims_used(part: Any) -> int:
    if part is None or part is Ellipsis or isinstance(part, bool):
        return 0
    if isinstance(part, Tensor) and part._dtype.name in ("bool", "uint8"):
        return int(part._data.ndim)
    return 1


def _slice_numbers(part: slice) -> tuple[int, int, int]:
    step = 1 if part.step is None else int(part.step)
    if step <= 0:
        raise ValueError("step must be greater than zero")
    return 0 if part.start is None else int(part.start), END if part.stop is None else int(part.stop), step


def getitem(self: Tensor, key: Any) -> Any:
    """self[key]: views for integers, slices, None and ...; a copy when a tensor is among the indices."""
    if self._data.ndim == 0 and isinstance(key, int) and not isinstance(key, bool):
        raise IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim tensor to a number")
    reader = _Reader(self, key)
    if not reader.advanced:
        if reader.tensor is self:
            from backscope.ops.shape import view

            return apply(view, self, self._data.shape)
        return reader.tensor
    indices, raw_key = reader.indices()
    return apply(index, reader.tensor, indices, raw_key)


def setitem(self: Tensor, key: Any, value: Any) -> None:
    """self[key] = value, in place."""
    reader = _Reader(self, key)
    target = reader.tensor
    if not isinstance(value, Tensor):
        value = make(np.asarray(value).astype(self._dtype.np)[()], self._dtype)
    if not reader.advanced:
        source = value
        while source._data.ndim > target._data.ndim and source._data.shape[0] == 1:
            source = source.squeeze(0)  # type: ignore[attr-defined]
        target.copy_(source)  # type: ignore[attr-defined]
        return
    indices, raw_key = reader.indices()
    _put(target, indices, raw_key, value, False)


def _put(target: Tensor, indices: Any, key: Any, values: Tensor, accumulate: bool) -> Tensor:
    if values._dtype is not target._dtype:
        if values._data.ndim:
            raise RuntimeError(
                f"Index put requires the source and destination dtypes match, got {target._dtype.type_name} for the destination and {values._dtype.type_name} for the source."
            )
        values = values.to(target._dtype)  # type: ignore[attr-defined]
    tracked = mode.enabled and (values._requires_grad or target._requires_grad)
    check_in_place(target, tracked)
    data = index_put.forward(target._data, values._data, indices, key, accumulate)
    store(target, data)
    node = record_in_place(index_put, target, [target, values], (target, values, indices, key, accumulate), None) if tracked else None
    if node is not None:
        node.run = index_put.plan(tuple(n is not None for n in node.next)).run
    if hub.listener is not None:
        hub.listener.op("index_put_", index_put, (target, values, indices, key, accumulate), (target,), node, in_place=True)
    return target


setattr(Tensor, "__getitem__", getitem)
setattr(Tensor, "__setitem__", setitem)


@export("index_put_", function=False)
def index_put_(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """Write, or add, values at the indices in place."""
    found, key = _Reader(self, tuple(indices)).indices()
    return _put(self, found, key, values, accumulate)


@export("index_put")
def _index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Any:  # noqa: A002
    """A copy with values written, or added, at the indices."""
    found, key = _Reader(input, tuple(indices)).indices()
    return apply(index_put, input, values, found, key, accumulate)


@export("select")
def _select(input: Tensor, dim: int, index: int) -> Any:  # noqa: A002
    """The slice at one index of a dim."""
    d = wrap_dim(dim, input._data.ndim)
    n = input._data.shape[d]
    if not -n <= index < n:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(input._data.shape)} at dimension {d}")
    return apply(select, input, dim, index)


@export("narrow")
def _narrow(input: Tensor, dim: int, start: int, length: int) -> Any:  # noqa: A002
    """`length` entries of a dim from `start` on."""
    d = wrap_dim(dim, input._data.ndim)
    n = input._data.shape[d]
    if start + length > n:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
    return apply(slice_op, input, d, start, start + length, 1)


@export()
def index_select(input: Tensor, dim: int, index: Tensor) -> Any:  # noqa: A002
    """The entries of a dim at the indices."""
    return getitem(input, (slice(None),) * wrap_dim(dim, input._data.ndim) + (index,))


@op(symbol="gather", latex={"self": r"\text{scatter}(g)"}, summary={"self": "adds the incoming gradient at the indices it was read from"})
class gather:
    """Elements picked along a dim by an index of the same rank."""

    def forward(self: A, dim: int, index: Any) -> A:
        return np.take_along_axis(to_array(self), index._data[tuple(slice(0, n) for n in index._data.shape)], axis=dim) if self.ndim else self

    def grad_self(g: V, self_shape: V, dim: V, index: V) -> V:
        return xp.gather_backward(g, self_shape, dim, index)


@op(symbol="scatter", name="gather_backward", grad_fn="ScatterAddBackward0", latex={"self": r"\text{gather}(g)"}, summary={"self": "reads the incoming gradient at the indices"})
class gather_backward:
    """Zeros with self added at the indices along a dim."""

    def forward(self: A, shape: Any, dim: int, index: Any) -> A:
        out = np.zeros(shape, self.dtype)
        if not len(shape):
            return out + self
        places = list(np.indices(index._data.shape))
        places[dim] = index._data
        np.add.at(out, tuple(places), self)
        return out

    def grad_self(g: V, dim: V, index: V) -> V:
        return xp.gather(g, dim, index)


@export("gather")
def _gather(input: Tensor, dim: int, index: Tensor) -> Any:  # noqa: A002
    """Elements picked along `dim` by an int64 index of the same rank."""
    d = wrap_dim(dim, input._data.ndim)
    if index._dtype is not types.int64:
        raise RuntimeError("gather(): Expected dtype int64 for index")
    if index._data.ndim != input._data.ndim:
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    return apply(gather, input, d, index)


@op(symbol="mask", name="masked_fill", latex={"self": r"g \cdot [\lnot\,\text{mask}]"}, summary={"self": "passes the incoming gradient on where the mask is False, 0 elsewhere"})
class masked_fill:
    """self with a number where the mask is True."""

    def forward(self: A, mask: Any, value: float) -> A:
        return np.where(mask._data, np.asarray(value).astype(self.dtype), self)[()]

    def grad_self(g: V, mask: V) -> V:
        return xp.where(mask, 0, g)


@export("masked_fill")
def _masked_fill(input: Tensor, mask: Tensor, value: Any) -> Any:  # noqa: A002
    """A copy with `value` where `mask` is True."""
    if mask._dtype is not types.bool_:
        raise RuntimeError(f"masked_fill only supports boolean masks, but got mask with dtype {mask._dtype}")
    if mask._data.ndim > input._data.ndim or np.broadcast_shapes(mask._data.shape, input._data.shape) != input._data.shape:
        input = input.expand(np.broadcast_shapes(mask._data.shape, input._data.shape))  # type: ignore[attr-defined]  # noqa: A001
    return apply(masked_fill, input, mask, value.item() if isinstance(value, Tensor) else value)


@export(function=False)
def masked_fill_(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    """Write `value` where `mask` is True, in place."""
    tracked = mode.enabled and self._requires_grad
    check_in_place(self, tracked)
    value = value.item() if isinstance(value, Tensor) else value
    store(self, masked_fill.forward(self._data, mask, value))
    node = record_in_place(masked_fill, self, [self], (self, mask, value), None) if tracked else None
    if hub.listener is not None:
        hub.listener.op("masked_fill_", masked_fill, (self, mask, value), (self,), node, in_place=True)
    return self


@export()
def masked_select(input: Tensor, mask: Tensor) -> Any:  # noqa: A002
    """The elements where `mask` is True, in one dim."""
    return getitem(input, mask)


def _triangle(name: str, function: Any) -> None:
    def forward(self: A, diagonal: int) -> A:
        return function(self, diagonal)

    def grad_self(g: V, diagonal: V) -> V:
        return getattr(xp, name)(g, diagonal)

    forward.__annotations__ = {"self": "A", "diagonal": "int"}
    made = op(name=name, symbol=name, latex={"self": rf"\text{{{name}}}(g)"}, summary={"self": "keeps the same triangle of the incoming gradient"})(
        type(name, (), {"forward": forward, "grad_self": grad_self})
    )

    def triangle(input: Tensor, diagonal: int = 0) -> Any:  # noqa: A002
        return apply(made, input, diagonal)

    triangle.__doc__ = f"The {'lower' if name == 'tril' else 'upper'} triangle, 0 elsewhere."
    export(name)(triangle)


_triangle("tril", np.tril)
_triangle("triu", np.triu)


@export()
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:  # noqa: A002
    """The indices of the elements that are not zero."""
    places = np.nonzero(np.atleast_1d(input._data))
    if as_tuple:
        return tuple(of_raw(p) for p in places)
    return of_raw(np.stack(places, axis=1) if input._data.ndim else np.zeros((len(places[0]), 0), np.int64))


def _iterate(self: Tensor) -> Any:
    if not self._data.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(self.unbind(0))  # type: ignore[attr-defined]


setattr(Tensor, "__iter__", _iterate)
