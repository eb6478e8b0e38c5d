"""Creation functions: tensors from data, and filled ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

import numpy as np

from backscope import dtype as types, meta
from backscope.autograd.geometry import empty_alike
from backscope.autograd.level import created, levels
from backscope.device import is_meta
from backscope.dtype import default, dtype
from backscope.exposure import expose
from backscope.layout import sparse_coo
from backscope.listening import hub
from backscope.number_conversion import check_numbers, raw_number
from backscope.ops.declaration import xp
from backscope.ops.dims import sizes
from backscope.ops.namespace import argument_error, export
from backscope.ops.number_casts import check_number
from backscope.parameter import make_subclass
from backscope.sparse import Sparse
from backscope.subclass import subclassed
from backscope.tensor import Tensor, alias, make
from backscope.warning import warn_scalar_conversion


def born(data: Any, kind: dtype, origin: str, requires_grad: bool = False, device: Any = None) -> Any:
    """A new leaf that listeners hear of."""
    if is_meta(device):
        meta.used[:] = [True]
        data = meta.meta_array(data)
    if not isinstance(requires_grad, bool):
        raise TypeError(f"{origin}(): argument 'requires_grad' must be bool, not {type(requires_grad).__name__}")
    if requires_grad and kind.category < 2:
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    out = make(data, kind)
    out._requires_grad = requires_grad
    if hub.listener is not None:
        hub.listener.created(out, origin)
    return created(out) if levels else out


def _contains_tensor(data: Any) -> bool:
    return isinstance(data, (list, tuple)) and any(isinstance(x, Tensor) or _contains_tensor(x) for x in data)


def _plain(data: Any) -> Any:
    if isinstance(data, Tensor) and data._requires_grad:
        warn_scalar_conversion()
    return (
        data.item()
        if isinstance(data, Tensor)
        else [_plain(x) for x in data]
        if isinstance(data, (list, tuple))
        else data
    )


def _check_lengths(data: Any, dim: int = 0) -> None:
    if isinstance(data, (list, tuple)) and data and isinstance(data[0], (list, tuple)):
        n = len(data[0])
        for x in data:
            if not isinstance(x, (list, tuple)):
                raise TypeError("not a sequence")
            if len(x) != n:
                raise ValueError(f"expected sequence of length {n} at dim {dim + 1} (got {len(x)})")
            _check_lengths(x, dim + 1)


def _infer(data: Any, wanted: dtype | None = None) -> tuple[np.ndarray[Any, Any], dtype]:
    if isinstance(data, Tensor):
        return np.array(data._data), data._dtype
    if isinstance(data, np.ndarray):
        return np.array(data), dtype.table[data.dtype]
    if isinstance(data, np.generic):
        return np.array(data), dtype.table[data.dtype]
    if _contains_tensor(data):
        data = _plain(data)
    _check_lengths(data)
    try:
        array = np.array(data)
    except (ValueError, TypeError):
        raise ValueError(f"could not determine the shape of object type '{type(data).__name__}'") from None
    if array.dtype.kind == "O" and all(isinstance(v, int) for v in _leaves(data)):
        raise ValueError("Overflow when unpacking long long")
    if array.dtype.kind in "OUSM":
        raise _bad_data(data)
    if array.dtype.kind == "f":
        kind = default.floating
    elif array.dtype.kind == "c":
        kind = default.complex
    elif array.dtype.kind == "b":
        kind = types.bool_
    else:
        kind = types.int64
    if array.size == 0:
        kind = default.floating
    elif isinstance(data, (list, tuple)):
        kind = _promoted_types(data) or kind
    kind = wanted or kind
    check_numbers(array, kind)
    return types.cast(array, kind), kind


def _types(data: Any) -> set[type]:
    if data and isinstance(data[0], (list, tuple)):
        return set().union(*map(_types, data))
    return set(map(type, data))


def _promoted_types(data: Any) -> dtype | None:
    """The dtype of numbers of which some are numpy's, which bring their own; None where all are Python's."""
    found = _types(data)
    if not any(issubclass(t, np.generic) for t in found):
        return None
    own = {float: default.floating, complex: default.complex, bool: types.bool_, int: types.int64}
    kinds = [dtype.table[np.dtype(t)] if issubclass(t, np.generic) else own.get(t, types.int64) for t in found]
    return reduce(types.promote_types, kinds)


def _bad_data(data: Any) -> Exception:
    first = data
    while isinstance(first, (list, tuple)) and first:
        first = first[0]
    if isinstance(first, str):
        if isinstance(data, str):
            return TypeError("new(): invalid data type 'str'")
        return ValueError("too many dimensions 'str'")
    bad = next((v for v in _leaves(data) if not isinstance(v, (int, float, complex, np.generic))), first)
    if isinstance(bad, str):
        return TypeError("new(): invalid data type 'str'")
    return RuntimeError(f"Could not infer dtype of {type(bad).__name__}")


def _leaves(data: Any) -> Iterator[Any]:
    if isinstance(data, (list, tuple)):
        for item in data:
            yield from _leaves(item)
    else:
        yield data


@export(method=False)
def tensor(
    data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False
) -> Any:
    """A leaf with a copy of `data`: a number, nested lists, an array or a tensor."""
    if isinstance(data, Tensor):
        from backscope.warning import warn

        warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor)."
        )
    array, kind = _infer(data, dtype)
    if dtype is not None and dtype is not kind:
        array, kind = types.cast(array, dtype), dtype
    return born(array[()] if not array.ndim else array, kind, "tensor", requires_grad, device)


@export(method=False)
def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Any:
    """`data` as a tensor, without a copy where that is possible."""
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)  # type: ignore[attr-defined]
    if isinstance(data, np.ndarray) and (dtype is None or dtype.np == data.dtype):
        return from_numpy(data)
    return tensor(data, dtype=dtype, device=device)


@export(method=False)
def from_numpy(array: np.ndarray[Any, Any]) -> Any:
    """A tensor over the memory of a numpy array."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    if array.dtype not in dtype.table:
        raise TypeError(
            f"can't convert np.ndarray of type {array.dtype.type.__module__}.{array.dtype.type.__name__}. The only "
            "supported types are: float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, "
            "uint32, uint16, uint8, and bool."
        )
    expose(array)
    return born(array, dtype.table[array.dtype], "from_numpy")


def construct(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What calling Tensor, or a subclass of it, does."""
    if cls is not Tensor:
        if cls.__new__ is object.__new__:
            return _of_subclass(cls, args, kwargs)
        out = cls.__new__(cls, *args, **kwargs)
        if issubclass(type(out), cls):
            cls.__init__(out, *args, **kwargs)
        return out
    if len(args) == 1 and not isinstance(args[0], int):
        array, _ = _infer(args[0])
        kind = default.floating
        return born(array.astype(kind.np), kind, "Tensor")
    return born(np.empty(sizes(args), default.floating.np), default.floating, "Tensor")


def _of_subclass(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """An instance of a user's subclass that leaves making it to Tensor."""
    out = as_subclass(construct(Tensor, args, kwargs), cls)
    if cls.__init__ is not object.__init__:
        cls.__init__(out, *args, **kwargs)
    return out


@export(function=False)
def as_subclass(self: Tensor, cls: type) -> Any:
    """The same memory as an instance of a subclass of Tensor, which then spreads to what is computed from it."""
    out = self.view_as(self) if self._requires_grad else alias(self, self._array())  # type: ignore[attr-defined]
    out.__class__ = cls
    subclassed[:] = [True]
    return out


def _filled(name: str, fill: Callable[[Any, Any], Any]) -> None:
    def create(
        *size: Any,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        out: Any = None,
        layout: Any = None,
        pin_memory: bool = False,
        names: Any = None,
        generator: Any = None,
    ) -> Any:
        if not size:
            raise TypeError(f"{name}(): no size")
        kind = dtype or default.floating
        shape = sizes(size)
        check_shape(shape)
        if layout is sparse_coo:
            return born(Sparse.filled(name, shape, kind.np), kind, name, requires_grad, device)
        if is_meta(device):
            return born(meta.empty(shape, kind.np), kind, name, requires_grad, device)
        return born(fill(shape, kind.np)[()] if not shape else fill(shape, kind.np), kind, name, requires_grad, device)

    def like(
        input: Tensor,  # noqa: A002
        *,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        memory_format: Any = None,
        layout: Any = None,
    ) -> Any:
        kind = dtype or input._dtype
        device = input.device if device is None else device
        if is_meta(device):
            return born(_without_data(input, kind), kind, name + "_like", requires_grad, device)
        if layout is sparse_coo or (layout is None and isinstance(input._data, Sparse)):
            return born(Sparse.filled(name, input._data.shape, kind.np), kind, name + "_like", requires_grad, device)
        data = fill(input._data.shape, kind.np)
        if isinstance(input._data, np.ndarray) and input._data.ndim > 1:
            arranged = empty_alike(np.asarray(input._data), kind.np)
            arranged[...] = data
            data = arranged
        return born(data[()] if not data.ndim else data, kind, name + "_like", requires_grad, device)

    def new(self: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
        kind = dtype or self._dtype
        device = self.device if device is None else device
        if isinstance(self._data, Sparse):
            return born(Sparse.filled(name, sizes(size), kind.np), kind, "new_" + name, requires_grad, device)
        return born(fill(sizes(size), kind.np), kind, "new_" + name, requires_grad, device)

    create.__name__, create.__doc__ = name, f"A tensor of {name} in the shape given."
    like.__name__, like.__doc__ = name + "_like", f"A tensor of {name} in the shape and dtype of another."
    export(name, method=False)(create)
    export(name + "_like", method=False)(like)
    export("new_" + name, function=False)(new)


def _without_data(like: Tensor, kind: dtype) -> Any:
    """A meta value in the shape of a tensor, and in its strides where these are dense."""
    data = like._array()
    if data.size >= 1 << 20 or not isinstance(data, np.ndarray):
        return meta.empty(data.shape, kind.np)
    return meta.meta_array(np.zeros_like(np.asarray(data), dtype=kind.np))


def check_shape(shape: tuple[int, ...]) -> None:
    """RuntimeError for a negative length."""
    if any(n < 0 for n in shape):
        bad = next(n for n in shape if n < 0)
        raise RuntimeError(f"Trying to create tensor with negative dimension {bad}: {list(shape)}")


_filled("zeros", np.zeros)
_filled("ones", np.ones)
_filled("empty", np.zeros)


def _fill_kind(value: Any) -> dtype:
    return types.of_number(value)


@export(method=False)
def full(size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """A tensor filled with one number, whose type decides the dtype."""
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    if not isinstance(value, (int, float, complex, np.generic)):
        raise argument_error("full", "fill_value", 2, value, "Number")
    if not isinstance(size, (tuple, list)):
        raise argument_error("full", "size", 1, size, "tuple of ints")
    kind = dtype or _fill_kind(value)
    check_number(value, kind)
    shape = sizes((size,))
    data = np.full(shape, raw_number(value, kind))
    return born(data if shape else data[()], kind, "full", requires_grad, device)


@export(method=False)
def full_like(
    input: Tensor,  # noqa: A002
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    layout: Any = None,
    pin_memory: bool = False,
    memory_format: Any = None,
) -> Any:
    """A tensor like another, filled with one number."""
    where = input.device if device is None else device
    return full(
        tuple(input._data.shape), fill_value, dtype=dtype or input._dtype, requires_grad=requires_grad, device=where
    )


@export(function=False)
def new_full(
    self: Tensor,
    size: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    """A tensor of this dtype filled with one number."""
    where = self.device if device is None else device
    return full(size, fill_value, dtype=dtype or self._dtype, device=where, requires_grad=requires_grad)


@export(function=False)
def new_tensor(self: Tensor, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """A tensor of this dtype from data."""
    where = self.device if device is None else device
    return tensor(data, dtype=dtype or self._dtype, device=where, requires_grad=requires_grad)


@export(method=False)
def eye(n: int, m: int | None = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """The identity matrix."""
    for name, length in (("n", n), ("m", m)):
        if length is not None and length < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {length}")
    kind = dtype or default.floating
    return born(np.eye(n, m, dtype=kind.np), kind, "eye", requires_grad, device)


def zeros_of(like: Any, shape: tuple[int, ...]) -> Any:
    """Zeros of a shape in the type of a value, raw or Tensor."""
    if isinstance(like, Tensor):
        return make(np.zeros(shape, like._dtype.np)[()] if not shape else np.zeros(shape, like._dtype.np), like._dtype)
    return np.zeros(shape, like.dtype)


def _constant(number: int) -> Callable[[Any], Any]:
    def fill(like: Any) -> Any:
        if isinstance(like, Tensor):
            return make(np.full(like._data.shape, number, like._dtype.np)[()], like._dtype)
        return np.full(like.shape, number, like.dtype)[()]

    return fill


def tensor_like(value: Any, like: Any) -> Any:
    """A value of a formula that may be a Python number, as something of the type of `like`."""
    if isinstance(value, (int, float, complex)):
        return (
            make(np.asarray(value).astype(like._dtype.np)[()], like._dtype)
            if isinstance(like, Tensor)
            else np.asarray(value).astype(like.dtype)[()]
        )
    return value


xp.zeros_of = zeros_of
xp.zeros_like = _constant(0)
xp.ones_like = _constant(1)
xp.tensor_like = tensor_like


def _make_subclass(cls: type, data: Tensor, require_grad: bool = False) -> Any:
    """A leaf of a subclass over the memory of a tensor."""
    subclassed[:] = [True]
    return make_subclass(cls, data, require_grad)


Tensor._make_subclass = staticmethod(_make_subclass)  # type: ignore[attr-defined]
