"""Reading and writing with brackets: the parts of an index become views, index tensors and masks a copy."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.transforms.transform_refusals import refuse_dynamic
from backscope.autograd.views.view_history import check_in_place, requires_grad
from backscope.ops.core.arguments.assigned_value import assigned
from backscope.ops.core.arguments.number_casts import check_number
from backscope.ops.core.channels_last import row_major
from backscope.ops.core.declaration import A, K, V, op, primitives, xp
from backscope.ops.core.dispatch import apply, to_array
from backscope.ops.core.mutation import mutate
from backscope.ops.core.namespace import aten_functions, export, write_out
from backscope.ops.core.writing import FILLING_MASKS, warn_if_expanded
from backscope.ops.index.index_reader import IndexReader, check_0d, without_indices
from backscope.ops.index.index_tensors import MASKS, array_key, checked_range, fitted, result_shape, uncounted
from backscope.runtime.given import Shape, Value, Values
from backscope.runtime.listening import refusing
from backscope.tensor.dtype import COMPLEX
from backscope.tensor.tensor import Tensor, of_raw
from backscope.torch_dispatch.interception import creation
from backscope.torch_dispatch.mode_stack import stack


@op(
    symbol="[…]",
    latex={"self": r"g\ \text{at the indices}"},
    summary={"self": "adds the incoming gradient at the indices it was read from"},
)
class index:
    """Elements picked by tensors of indices; None selects a whole dim."""

    def forward(self: A, indices: list[K]) -> A:
        return row_major(np.asarray(to_array(self)[array_key(indices)]))

    def grad_self(g: V, self_shape: V, indices: V) -> V:
        return xp.index_accumulate(xp.zeros_of(g, self_shape), g, indices)


@op(
    grad_fn="IndexPutImplBackward0",
    shows={"accumulate": lambda node: True},
    symbol="scatter",
    latex={"self": "g", "values": r"g[\ldots]"},
    summary={
        "self": "passes the incoming gradient on",
        "values": "reads the incoming gradient at the indices",
    },
)
class index_accumulate:
    """Values added at indices of `self`, which is a new array of zeros and is written to."""

    def forward(self: A, values: A, indices: list[K]) -> A:
        np.add.at(self, array_key(indices), values)
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
        key = array_key(indices)
        if accumulate:
            np.add.at(out, key, values)
        else:
            out[key] = values
        return out

    def grad_self(g: V, indices: V, accumulate: V) -> V:
        return g if accumulate else xp.index_put(g, xp.zeros_of(g, ()), indices, False)

    def grad_values(g: V, values_shape: V, indices: V) -> V:
        return xp.sum_to_size(xp.index(g, indices), values_shape)


def getitem(self: Tensor, key: Value) -> Value:
    """self[key]: views for integers, slices, None and ...; a copy when a tensor is among the indices."""
    shape = self._data.shape
    if shape and key.__class__ is int and -shape[0] <= key < shape[0]:
        return primitives["select"].apply(self, 0, key)
    return _read(self, key)


@refusing
def _read(self: Tensor, key: Value) -> Any:
    check_0d(self, key)
    reader = IndexReader(self, key)
    if not reader.advanced:
        if reader.tensor is self:
            return apply(primitives["alias"], self)
        return reader.tensor
    parts, beyond = reader.indices()
    if beyond:
        parts = checked_range(reader.tensor, parts, result_shape(reader.tensor, parts))
    try:
        return apply(primitives["index"], reader.tensor, parts)
    except IndexError:
        result_shape(reader.tensor, parts)  # The error for shapes that do not broadcast has another text in NumPy.
        raise


@refusing
def setitem(self: Tensor, key: Value, value: Value) -> None:
    """self[key] = value, in place."""
    if stack.modes and not isinstance(value, Tensor):
        value = creation(assigned(self, value), "tensor")
    value = assigned(self, value)
    check_0d(self, key)
    reader = IndexReader(self, key, to_write=True)
    target = reader.tensor
    if reader.advanced:
        check_in_place(target, requires_grad(target))
        _put(target, *reader.indices(fills=value._data.size == 1), _without_leading_ones(value), False)
        return
    source = value
    if source._data.shape != target._data.shape and not source._data.ndim:
        target.fill_(source)  # type: ignore[attr-defined]
        return
    if source._data.shape != target._data.shape:
        source = _without_leading_ones(source, always=True)
        if source._data.shape != target._data.shape:
            source = source.expand(target._data.shape)  # type: ignore[attr-defined]
    target.copy_(source)  # type: ignore[attr-defined]


def _without_leading_ones(value: Tensor, *, always: bool = False) -> Tensor:
    """A view of a tensor from its first dim of another size than 1 on; the tensor itself where that is the first one.

    With `always`, it is a view then too.
    """
    shape = value._data.shape
    first = next((i for i, n in enumerate(shape) if n != 1), len(shape))
    return value.view(shape[first:]) if first or always else value  # type: ignore[attr-defined]


def _put(target: Tensor, indices: Values, beyond: bool, values: Tensor, accumulate: bool) -> Tensor:
    fills = _fills_mask(indices, values, accumulate)
    indices, values = _fitting(target, indices, beyond, values, accumulate)
    put = mutate(
        "index_put",
        target,
        values,
        indices,
        accumulate,
        expanded=True,
        deprecated=("index_put_", "tensor[indices] = tensor"),
    )
    if fills:
        warn_if_expanded(target, *FILLING_MASKS)
    return put


def _fills_mask(indices: Values, values: Tensor, accumulate: bool) -> bool:
    """Return True when one number is written where one mask is true; PyTorch uses masked_fill_ for that."""
    given = [i for i in indices if i is not None]
    return not accumulate and values._data.size == 1 and len(given) == 1 and given[0]._dtype.name == "bool"


def _fitting(target: Tensor, indices: Values, beyond: bool, values: Tensor, accumulate: bool) -> tuple[Any, Any]:
    """Return indices and values of a write that fits, values for a mask that is filled converted.

    Raises: RuntimeError for values of another shape or dtype, IndexError for indices where some are out of range.
    """
    fills = _fills_mask(indices, values, accumulate)
    if fills:
        return _filling(target, indices, values)
    room, given = result_shape(target, indices), values._data.shape
    if given != room and not _expands(given, room):
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(given)} cannot be broadcast to indexing result of shape "
            f"{list(room)}"
        )
    if values._dtype is not target._dtype:
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got {target._dtype.type_name} for the "
            f"destination and {values._dtype.type_name} for the source."
        )
    return checked_range(target, indices, room) if beyond else indices, values


def _filling(target: Tensor, indices: Values, values: Tensor) -> tuple[Any, Any]:
    """Return the mask that a number is written at, a 0-d one expanded, and the number in the dtype of the target."""
    mask = indices[-1]
    if not mask._data.ndim:
        indices = (mask.expand(target._data.shape),) if target._data.ndim else (mask.reshape(1),)
    if values._dtype is target._dtype:
        return indices, values
    if values._dtype.is_complex and target._dtype.category < COMPLEX:
        check_number(values.item(), target._dtype)
    return indices, values.to(target._dtype)  # type: ignore[attr-defined]


def _expands(given: Shape, room: Shape) -> bool:
    """Return True when values of one shape can be broadcast to another."""
    rest = len(room) - len(given)
    return rest >= 0 and all(a in (1, b) for a, b in zip(given, room[rest:], strict=True))


def _delitem(self: Tensor, key: Value) -> None:
    raise TypeError("Tensor does not support deleting items")


setattr(Tensor, "__getitem__", getitem)
setattr(Tensor, "__setitem__", setitem)
setattr(Tensor, "__delitem__", _delitem)


def _without_none(indices: Values) -> None:
    for i, index in enumerate(indices):
        if index is None:
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got NoneType")


def _indices_of(tensor: Tensor, indices: Values, values: Tensor, accumulate: bool) -> tuple[tuple[Any, ...], bool]:
    """Return the indices of a call of index_put by dim, and True where some are out of range."""
    if len(indices) > tensor._data.ndim:
        raise IndexError(f"too many indices for tensor of dimension {tensor._data.ndim} (got {len(indices)})")
    given = [i for i in indices if i is not None]
    if not given:
        raise without_indices(accumulate=accumulate)
    fills = values._data.size == 1 and not accumulate
    if not any(i._data.ndim or i._dtype not in MASKS for i in given) and not (fills and len(given) == 1):
        raise without_indices(accumulate=True)
    return fitted(tensor, indices, fills=fills)


@export("index_put_", function=False)
def index_put_(self: Tensor, indices: Values, values: Tensor, accumulate: bool = False) -> Tensor:
    """Write, or add, values at the indices in place."""
    _without_none(indices)
    return _put(self, *_indices_of(self, indices, values, accumulate), values, accumulate)


@export("index_put")
def _index_put(input: Tensor, indices: Values, values: Tensor, accumulate: bool = False) -> Any:  # noqa: A002
    """A copy with values written, or added, at the indices."""
    _without_none(indices)
    return _put_copy(input, indices, values, accumulate)


def _put_anywhere(self: Tensor, indices: Values, values: Tensor, accumulate: bool = False) -> Tensor:
    return _put(self, *_indices_of(self, indices, values, accumulate), values, accumulate)


def _put_copy(self: Tensor, indices: Values, values: Tensor, accumulate: bool = False) -> Any:
    found, values = _fitting(self, *_indices_of(self, indices, values, accumulate), values, accumulate)
    return apply(primitives["index_put"], self, values, found, accumulate)


def _index(self: Tensor, indices: Values) -> Any:
    if not indices:
        raise IndexError("at least one index must be provided")
    return getitem(self, tuple([slice(None) if i is None else i for i in indices]))


aten_functions.update({"index": _index, "index_put": _put_copy, "index_put_": _put_anywhere})


@export()
def nonzero(input: Tensor, *, as_tuple: bool = False, out: Value = None) -> Values:  # noqa: A002
    """The indices of the elements that are not zero."""
    if out is not None:
        if as_tuple:
            raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
        return write_out(out, nonzero(input), "nonzero")
    if input.is_meta:
        raise uncounted()
    refuse_dynamic(input, "nonzero")
    places = np.nonzero(np.atleast_1d(input._data))
    if as_tuple:
        return tuple(of_raw(p) for p in places)
    return of_raw(np.array(places).T if input._data.ndim else np.zeros((len(places[0]), 0), np.int64))


nonzero.takes_out = True  # type: ignore[attr-defined]


def _iterate(self: Tensor) -> Any:
    if not self._data.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(self.unbind(0))  # type: ignore[attr-defined]


setattr(Tensor, "__iter__", _iterate)
