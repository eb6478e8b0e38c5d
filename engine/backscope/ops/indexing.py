"""Reading and writing with brackets: the parts of an index become views, index tensors and masks a copy."""

from __future__ import annotations

import warnings
from operator import index as whole
from typing import Any

import numpy as np

from backscope import dtype as types
from backscope.autograd.absent import Absent
from backscope.autograd.level import refuse_dynamic
from backscope.autograd.view import check_in_place, requires_grad
from backscope.listening import refusing
from backscope.meta import MetaArray
from backscope.ops.assignment import assigned
from backscope.ops.declaration import A, K, V, op, primitives, xp
from backscope.ops.dispatch import apply, to_array
from backscope.ops.layout import row_major
from backscope.ops.mutation import mutate
from backscope.ops.namespace import export
from backscope.ops.slicing import END
from backscope.tensor import Tensor, make, of_raw


@op(
    symbol="[…]",
    latex={"self": r"g\ \text{at the indices}"},
    summary={"self": "adds the incoming gradient at the indices it was read from"},
)
class index:
    """Elements picked by tensors of indices; None stands for a whole dim."""

    def forward(self: A, indices: list[K]) -> A:
        return row_major(np.asarray(to_array(self)[_key(indices)]))

    def grad_self(g: V, self_shape: V, indices: V) -> V:
        return xp.index_accumulate(xp.zeros_of(g, self_shape), g, indices)


def _key(indices: Any) -> tuple[Any, ...]:
    """The numpy key for raw index arrays and masks by dim, None standing for a whole dim."""
    key: list[Any] = []
    for index in indices:
        if index is None:
            key.append(slice(None))
        elif index.dtype.name in ("bool", "uint8"):
            if isinstance(index, MetaArray):
                raise _uncounted()
            key.extend(np.nonzero(np.atleast_1d(index)) if index.ndim else [np.zeros(int(index), np.intp)])
        else:
            key.append(index)
    return tuple(key)


@op(
    grad_fn="IndexPutImplBackward0",
    symbol="scatter",
    latex={"self": "g", "values": r"g[\ldots]"},
    summary={
        "self": "passes the incoming gradient on",
        "values": "reads the incoming gradient at the indices",
    },
)
class index_accumulate:
    """Values added at the indices of `self`, zeros that nobody else holds and that are written to."""

    def forward(self: A, values: A, indices: list[K]) -> A:
        np.add.at(self, _key(indices), values)
        return self

    def grad_self(g: V) -> V:
        return g

    def grad_values(g: V, indices: V) -> V:
        return xp.index(g, indices)


@op(
    symbol="put",
    latex={"self": r"g\ \text{elsewhere}", "values": r"g[\ldots]"},
    summary={
        "self": "passes the incoming gradient on except where values were written",
        "values": "reads the incoming gradient where the values were written",
    },
)
class index_put:
    """self with values written, or added, at the indices."""

    def forward(self: A, values: A, indices: list[K], accumulate: bool = False) -> A:
        out = np.array(self)
        key = _key(indices)
        if accumulate:
            np.add.at(out, key, values)
        else:
            out[key] = values
        return out

    def grad_self(g: V, indices: V, accumulate: V) -> V:
        return g if accumulate else xp.index_put(g, xp.zeros_of(g, ()), indices, False)

    def grad_values(g: V, values_shape: V, indices: V) -> V:
        return xp.sum_to_size(xp.index(g, indices), values_shape)


class _Reader:
    """Applies the parts of an index to a tensor from left to right, each as the op that PyTorch uses for it."""

    def __init__(self, tensor: Tensor, key: Any) -> None:
        self.tensor = tensor
        self.dim = self.source_dim = 0
        self.advanced: list[tuple[int, Any]] = []
        if _stands_for_a_tuple(key):
            warnings.warn(_NON_TUPLE, UserWarning, stacklevel=4)
            key = tuple(key)
        self.alone = not isinstance(key, tuple)
        parts = [key] if self.alone else list(key)
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
            self.source_dim += spare
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
                raise IndexError(f"index {part} is out of bounds for dimension {self.source_dim} with size {n}")
            self.tensor = apply(primitives["select"], self.tensor, self.dim, part)
            self.source_dim += 1
        elif isinstance(part, slice):
            start, end, step = _slice_numbers(part)
            if self.alone or start or step != 1 or end < shape[self.dim]:
                self.tensor = apply(primitives["slice"], self.tensor, self.dim, start, end, step)
            self.dim += 1
            self.source_dim += 1
        else:
            self.advanced.append((self.dim, part))
            taken = part._data.ndim if part._dtype.name in ("bool", "uint8") else 1
            self.dim += taken
            self.source_dim += taken

    def indices(self) -> tuple[Any, ...]:
        """The index tensors by dim with None for whole dims."""
        by_dim: dict[int, Any] = dict(self.advanced)
        found: list[Any] = []
        dim, last = 0, max(by_dim)
        while dim <= last:
            part = by_dim.get(dim)
            if part is None:
                found.append(None)
                dim += 1
            elif part._dtype.name in ("bool", "uint8"):
                wanted = self.tensor._data.shape[dim : dim + part._data.ndim]
                for i, (a, b) in enumerate(zip(part._data.shape, wanted, strict=True)):
                    if a != b:
                        raise IndexError(
                            f"The shape of the mask {list(part._data.shape)} at index {i} does not match the "
                            "shape of the indexed tensor "
                            f"{list(self.tensor._data.shape)} at index {dim + i}"
                        )
                refuse_dynamic(part, "index")
                found.append(part)
                dim += part._data.ndim
            else:
                found.append(part)
                n = self.tensor._data.shape[dim]
                if part._data.size and not n:
                    raise IndexError("index is out of bounds for dimension with size 0")
                if part._data.size and not (-n <= part._data.min() and part._data.max() < n):
                    worst = part._data.min() if part._data.min() < -n else part._data.max()
                    raise IndexError(f"index {worst} is out of bounds for dimension {dim} with size {n}")
                dim += 1
        return tuple(found)


_NON_TUPLE = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; use "
    "x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, x[torch.tensor(seq)], "
    "which will result either in an error or a different result "
)


def _stands_for_a_tuple(key: Any) -> bool:
    """Whether a sequence that is no tuple is still taken for one: a short one with more in it than numbers."""
    return (
        isinstance(key, (list, str))
        and len(key) < 32
        and any(
            p is None or p is Ellipsis or isinstance(p, (Tensor, np.ndarray, list, tuple, range, str, slice))
            for p in key
        )
    )


def _as_part(part: Any) -> Any:
    if isinstance(part, (list, tuple, range)):
        part = np.asarray(part, dtype=None if len(part) else np.int64)
    if isinstance(part, (np.ndarray, np.generic)):
        part = of_raw(np.array(part)) if np.ndim(part) else part.item()
    if isinstance(part, Tensor):
        if part._dtype.name not in ("bool", "uint8", "int32", "int64"):
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        if part._data.ndim == 0 and part._dtype.category < 2 and not isinstance(part._data, Absent):
            value = part._data.item()
            return bool(value) if part._dtype in (types.bool_, types.uint8) else value
        return part
    if isinstance(part, str):
        raise TypeError("new(): invalid data type 'str'")
    if part is None or part is Ellipsis or isinstance(part, (bool, slice, int)):
        return part
    if hasattr(part, "__index__"):
        return part.__index__()
    kind = type(part).__name__
    raise IndexError(
        f"only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got {kind})"
    )


def _dims_used(part: Any) -> int:
    if part is None or part is Ellipsis or isinstance(part, bool):
        return 0
    if isinstance(part, Tensor) and part._dtype.name in ("bool", "uint8"):
        return int(part._data.ndim)
    return 1


def _slice_numbers(part: slice) -> tuple[int, int, int]:
    try:
        step = 1 if part.step is None else whole(part.step)
        start = 0 if part.start is None else whole(part.start)
        stop = END if part.stop is None else whole(part.stop)
    except TypeError:
        if all(n is None or hasattr(n, "__index__") for n in (part.start, part.stop, part.step)):
            raise
        raise TypeError("slice indices must be integers or None or have an __index__ method") from None
    if not step:
        raise ValueError("slice step cannot be zero")
    if step < 0:
        raise ValueError("step must be greater than zero")
    return start, stop, step


def _check_0d(self: Tensor, key: Any) -> None:
    """IndexError for a number or a slice as the index of a 0-d tensor."""
    if self._data.ndim:
        return
    if isinstance(key, slice):
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if isinstance(key, int) and not isinstance(key, bool):
        if key:
            raise IndexError(f"index {key} is out of bounds for dimension 0 with size 0")
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
            "0-dim tensor to a number"
        )


def getitem(self: Tensor, key: Any) -> Any:
    """self[key]: views for integers, slices, None and ...; a copy when a tensor is among the indices."""
    shape = self._data.shape
    if shape and key.__class__ is int and -shape[0] <= key < shape[0]:
        return primitives["select"].apply(self, 0, key)
    return _read(self, key)


@refusing
def _read(self: Tensor, key: Any) -> Any:
    _check_0d(self, key)
    reader = _Reader(self, key)
    if not reader.advanced:
        if reader.tensor is self:
            return apply(primitives["alias"], self)
        return reader.tensor
    return apply(primitives["index"], reader.tensor, reader.indices())


@refusing
def setitem(self: Tensor, key: Any, value: Any) -> None:
    """self[key] = value, in place."""
    _check_0d(self, key)
    reader = _Reader(self, key)
    target = reader.tensor
    value = assigned(self, value)
    if reader.advanced:
        check_in_place(target, requires_grad(target))
        _put(target, reader.indices(), _without_leading_ones(value), False)
        return
    source = value
    if source._data.shape != target._data.shape and not source._data.ndim:
        target.fill_(source)  # type: ignore[attr-defined]
        return
    if source._data.shape != target._data.shape:
        source = _without_leading_ones(source)
        if source._data.shape != target._data.shape:
            source = source.expand(target._data.shape)  # type: ignore[attr-defined]
    target.copy_(source)  # type: ignore[attr-defined]


def _without_leading_ones(value: Tensor) -> Tensor:
    """A view of a tensor from its first dim of another size than 1 on."""
    shape = value._data.shape
    first = next((i for i, n in enumerate(shape) if n != 1), len(shape))
    return value.view(shape[first:]) if first else value  # type: ignore[attr-defined]


def _put(target: Tensor, indices: Any, values: Tensor, accumulate: bool) -> Tensor:
    _check_room(target, indices, values)
    values = _fitting(target, values)
    return mutate(
        "index_put",
        target,
        values,
        indices,
        accumulate,
        expanded=True,
        deprecated=("index_put_", "tensor[indices] = tensor"),
    )


def _check_room(target: Tensor, indices: Any, values: Tensor) -> None:
    """RuntimeError for values that can't be broadcast to what the indices lead to."""
    room = target._data[_key([None if i is None else i._data for i in indices])].shape
    given = values._data.shape
    if given != room:
        try:
            fits = np.broadcast_shapes(given, room) == room
        except ValueError:
            fits = False
        if not fits:
            raise RuntimeError(
                f"shape mismatch: value tensor of shape {list(given)} cannot be broadcast to indexing result of shape "
                f"{list(room)}"
            )


def _fitting(target: Tensor, values: Tensor) -> Any:
    """Values to be put into a tensor; RuntimeError for another dtype, but a 0-d tensor is converted."""
    if values._dtype is target._dtype:
        return values
    if values._data.ndim:
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got {target._dtype.type_name} for the "
            f"destination and {values._dtype.type_name} for the source."
        )
    return values.to(target._dtype)  # type: ignore[attr-defined]


setattr(Tensor, "__getitem__", getitem)
setattr(Tensor, "__setitem__", setitem)


@export("index_put_", function=False)
def index_put_(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """Write, or add, values at the indices in place."""
    return _put(self, _Reader(self, tuple(indices)).indices(), values, accumulate)


@export("index_put")
def _index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Any:  # noqa: A002
    """A copy with values written, or added, at the indices."""
    found = _Reader(input, tuple(indices)).indices()
    try:
        return apply(primitives["index_put"], input, _fitting(input, values), found, accumulate)
    except (RuntimeError, ValueError):  # PyTorch refuses shapes before dtypes.
        _check_room(input, found, values)
        raise


@export()
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:  # noqa: A002
    """The indices of the elements that are not zero."""
    if input.is_meta:
        raise _uncounted()
    refuse_dynamic(input, "nonzero")
    places = np.nonzero(np.atleast_1d(input._data))
    if as_tuple:
        return tuple(of_raw(p) for p in places)
    return of_raw(np.array(places).T if input._data.ndim else np.zeros((len(places[0]), 0), np.int64))


def _uncounted() -> NotImplementedError:
    return NotImplementedError(
        "The register_meta function for torch.nonzero() raises unimplemented by default, as a correct data-independent "
        "implementation does not exist. This implementation returns a fake value, assuming all elements of the tensor "
        "are non-zero. To enable this registration, please set "
        "'torch.fx.experimental._config.meta_nonzero_assume_all_nonzero' to True."
    )


def _iterate(self: Tensor) -> Any:
    if not self._data.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(self.unbind(0))  # type: ignore[attr-defined]


setattr(Tensor, "__iter__", _iterate)
