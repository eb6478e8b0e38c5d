"""Creation functions: tensors from data, and filled ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.transforms.level import levels
from backscope.autograd.transforms.new_tensor import created, created_like
from backscope.ops.core.arguments.dims import sizes
from backscope.ops.core.arguments.number_casts import check_number
from backscope.ops.core.channels_last import channels_last
from backscope.ops.core.declaration import xp
from backscope.ops.core.namespace import argument_error, export
from backscope.ops.core.writing import announce
from backscope.ops.create.nested_data import as_array
from backscope.ops.create.shapes import shape_of
from backscope.runtime.given import Array, Device, Dtype, MemoryFormat, Option, Shape, Value
from backscope.runtime.listening import hub
from backscope.runtime.shared_memory import expose
from backscope.tensor import dtype as types, meta
from backscope.tensor.device import is_meta
from backscope.tensor.dtype import default, dtype
from backscope.tensor.layout import sparse_coo
from backscope.tensor.number_conversion import raw_number
from backscope.tensor.parameter import make_subclass
from backscope.tensor.sparse_values import Sparse
from backscope.tensor.strides import dense_alike, empty_alike, is_dense, with_strides
from backscope.tensor.subclass import subclassed
from backscope.tensor.tensor import Tensor, alias, make
from backscope.torch_dispatch.mode_stack import stack, watched


def born(data: Value, kind: dtype, origin: str, requires_grad: bool = False, device: Device = None) -> Value:
    """A new leaf, reported to the listener."""
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
    if watched and stack.modes:
        from backscope.torch_dispatch.interception import creation

        out = creation(out, origin)
    return created(out) if levels else out


def _infer(data: Value, wanted: dtype | None = None) -> tuple[np.ndarray[Any, Any], dtype]:
    if isinstance(data, Tensor):
        return np.array(data._data), data._dtype
    if isinstance(data, (np.ndarray, np.generic)) and data.dtype in dtype.table:
        return np.array(data), dtype.table[data.dtype]
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    return as_array(data, wanted)


def copied(data: Value, wanted: dtype | None = None, device: Device = None, requires_grad: bool = False) -> Value:
    """A leaf with a copy of `data`."""
    array, kind = _infer(data, wanted)
    if wanted is not None and wanted is not kind:
        array, kind = types.cast(array, wanted), wanted
    return born(array[()] if not array.ndim else array, kind, "tensor", requires_grad, device)


@export(method=False)
def tensor(
    data: Value, *, dtype: Dtype = None, device: Device = None, requires_grad: bool = False, pin_memory: bool = False
) -> Value:
    """A leaf with a copy of `data`: a number, nested lists, an array or a tensor."""
    if isinstance(data, Tensor):
        from backscope.runtime.warning import warn

        warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor)."
        )
    out = copied(data, dtype, device, requires_grad)
    if mode.inference:  # PyTorch detaches the new tensor in place there.
        announce(out)
    return out


@export(method=False)
def as_tensor(data: Value, dtype: Dtype = None, device: Device = None) -> Value:
    """`data` as a tensor, without a copy where that is possible."""
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)  # type: ignore[attr-defined]
    if isinstance(data, np.ndarray) and (dtype is None or dtype.np == data.dtype):
        return from_numpy(data)
    return copied(data, dtype, device)


@export(method=False)
def from_numpy(array: np.ndarray[Any, Any]) -> Value:
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


# Any: a class with any arguments of its own.
def construct(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Value:
    """Construct a tensor for a call of Tensor or of a subclass of it."""
    if cls is not Tensor:
        if cls.__new__ is object.__new__:
            return _of_subclass(cls, args, kwargs)
        out = cls.__new__(cls, *args, **kwargs)
        if issubclass(type(out), cls):
            cls.__init__(out, *args, **kwargs)
        return out
    from backscope.ops.create.old_constructor import construct_old

    return construct_old(default.floating, "Tensor", args, kwargs, any_kind=True)


def _of_subclass(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Create an instance of a user's subclass that has no __new__ of its own, and call its __init__."""
    out = as_subclass(construct(Tensor, args, kwargs), cls)
    if cls.__init__ is not object.__init__:
        cls.__init__(out, *args, **kwargs)
    return out


@export(function=False)
def as_subclass(self: Tensor, cls: type) -> Value:
    """A view of the memory as an instance of a subclass of Tensor; results computed from it are instances too."""
    out = self.view_as(self) if self._requires_grad else alias(self, self._array())  # type: ignore[attr-defined]
    out.__class__ = cls
    subclassed[:] = [True]
    return out


def _filled(name: str, fill: Callable[[Any, Any], Any]) -> None:
    def create(
        *size: Any,
        dtype: Dtype = None,
        device: Device = None,
        requires_grad: bool = False,
        out: Value = None,
        layout: MemoryFormat = None,
        pin_memory: bool = False,
        names: Any = None,
        generator: Option = None,
        memory_format: MemoryFormat = None,
    ) -> Any:
        if not size:
            raise TypeError(f"{name}(): no size")
        if memory_format is not None and name != "empty":
            raise TypeError(f"{name}() got an unexpected keyword argument 'memory_format'")
        kind = dtype or default.floating
        shape = shape_of(size, kind, name)
        if layout is sparse_coo:
            return born(Sparse.filled(name, shape, kind.np), kind, name, requires_grad, device)
        if is_meta(device):
            return born(meta.empty(shape, kind.np), kind, name, requires_grad, device)
        made = fill(shape, kind.np)
        if memory_format is not None and memory_format.name == "preserve_format":
            raise RuntimeError("unsupported memory format Preserve")
        if memory_format is not None and memory_format.name.startswith("channels_last"):
            dims = 5 if memory_format.name == "channels_last_3d" else 4
            if len(shape) != dims:
                raise RuntimeError(f"required rank {dims} tensor to use {memory_format.name} format")
            made = channels_last(made)
        return born(made[()] if not shape else made, kind, name, requires_grad, device)

    def like(
        input: Tensor,  # noqa: A002
        *,
        dtype: Dtype = None,
        device: Device = None,
        requires_grad: bool = False,
        memory_format: MemoryFormat = None,
        layout: MemoryFormat = None,
    ) -> Any:
        kind = dtype or input._dtype
        device = input.device if device is None else device
        if is_meta(device):
            return born(_without_data(input, kind), kind, name + "_like", requires_grad, device)
        if layout is sparse_coo or (layout is None and isinstance(input._data, Sparse)):
            return born(Sparse.filled(name, input._data.shape, kind.np), kind, name + "_like", requires_grad, device)
        if levels:
            return created_like(
                input, lambda x, _: laid_out(x, kind, memory_format, requires_grad, device), own_shape=True
            )
        return laid_out(input, kind, memory_format, requires_grad, device)

    def laid_out(
        input: Tensor,  # noqa: A002
        kind: dtype,
        memory_format: MemoryFormat,
        requires_grad: bool,
        device: Device,
    ) -> Any:
        data = fill(input._data.shape, kind.np)
        if isinstance(input._data, np.ndarray) and input._data.ndim > 1:
            arranged = _empty_like(np.asarray(input._data), kind.np, memory_format)
            arranged[...] = data
            data = arranged
        return born(data[()] if not data.ndim else data, kind, name + "_like", requires_grad, device)

    def new(self: Tensor, *size: Any, dtype: Dtype = None, device: Device = None, requires_grad: bool = False) -> Any:
        kind = dtype or self._dtype
        device = self.device if device is None else device
        if isinstance(self._data, Sparse):
            return born(Sparse.filled(name, sizes(size), kind.np), kind, "new_" + name, requires_grad, device)

        def make(_: Any, lead: tuple[int, ...]) -> Any:
            return born(fill((*lead, *shape_of(size, kind)), kind.np), kind, "new_" + name, requires_grad, device)

        return created_like(self, make, own_shape=False) if levels else make(self, ())

    create.__name__, create.__doc__ = name, f"A tensor of {name} in the shape given."
    like.__name__, like.__doc__ = name + "_like", f"A tensor of {name} in the shape and dtype of another."
    export(name, method=False)(create)
    export(name + "_like", method=False)(like)
    export("new_" + name, function=False)(new)


def _empty_like(array: Array, kind: Dtype, memory_format: MemoryFormat) -> Any:
    """A new array of this shape: in the memory format given, else with the strides of a dense one."""
    named = "preserve_format" if memory_format is None else memory_format.name
    if named == "preserve_format":
        return dense_alike(array, kind) if is_dense(with_strides(array)) else empty_alike(array, kind)
    made = np.empty(array.shape, kind)
    return channels_last(made) if named.startswith("channels_last") else made


def _without_data(like: Tensor, kind: dtype) -> Any:
    """A meta value in the shape of a tensor, and in its strides where these are dense."""
    data = like._array()
    if data.size >= 1 << 20 or not isinstance(data, np.ndarray):
        return meta.empty(data.shape, kind.np)
    return meta.meta_array(np.zeros_like(np.asarray(data), dtype=kind.np))


_filled("zeros", np.zeros)
_filled("ones", np.ones)
_filled("empty", np.zeros)


def _fill_kind(value: Value) -> dtype:
    return types.of_number(value)


@export(method=False)
def full(
    size: Shape, fill_value: Value, *, dtype: Dtype = None, device: Device = None, requires_grad: bool = False
) -> Value:
    """Create a tensor filled with one number; the number's type decides the dtype."""
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    if not isinstance(value, (int, float, complex, np.generic)):
        raise argument_error("full", "fill_value", 2, value, "Number")
    if not isinstance(size, (tuple, list)):
        raise argument_error("full", "size", 1, size, "tuple of ints")
    kind = dtype or _fill_kind(value)
    check_number(value, kind)
    shape = shape_of((size,), kind)
    data = np.full(shape, raw_number(value, kind))
    return born(data if shape else data[()], kind, "full", requires_grad, device)


@export(method=False)
def full_like(
    input: Tensor,  # noqa: A002
    fill_value: Value,
    *,
    dtype: Dtype = None,
    device: Device = None,
    requires_grad: bool = False,
    layout: MemoryFormat = None,
    pin_memory: bool = False,
    memory_format: MemoryFormat = None,
) -> Value:
    """A tensor like another, filled with one number."""
    where = input.device if device is None else device

    def make(like: Tensor, _: Any) -> Any:
        shape = tuple(like._data.shape)
        made = full(shape, fill_value, dtype=dtype or input._dtype, requires_grad=requires_grad, device=where)
        data, as_wished = like._data, made._data
        if isinstance(data, np.ndarray) and data.ndim > 1 and isinstance(as_wished, np.ndarray):
            made._data = _empty_like(np.asarray(data), as_wished.dtype, memory_format)
            made._data[...] = as_wished
        return made

    return created_like(input, make, own_shape=True) if levels else make(input, ())


@export(function=False)
def new_full(
    self: Tensor,
    size: Shape,
    fill_value: Value,
    *,
    dtype: Dtype = None,
    device: Device = None,
    requires_grad: bool = False,
) -> Value:
    """A tensor of this dtype filled with one number."""
    where = self.device if device is None else device

    def make(_: Any, lead: tuple[int, ...]) -> Any:
        whole = (*lead, *size) if lead else size
        return full(whole, fill_value, dtype=dtype or self._dtype, device=where, requires_grad=requires_grad)

    return created_like(self, make, own_shape=False) if levels else make(self, ())


@export(function=False)
def new_tensor(
    self: Tensor, data: Value, *, dtype: Dtype = None, device: Device = None, requires_grad: bool = False
) -> Value:
    """A tensor of this dtype from data."""
    lazy = None if self._view is None else self._view.lazy
    if device is None and lazy is not None and (lazy.neg or lazy.conj):
        raise RuntimeError(f"DispatchKey {'Negative' if lazy.neg else 'Conjugate'} doesn't correspond to a device")
    where = self.device if device is None else device
    return tensor(data, dtype=dtype or self._dtype, device=where, requires_grad=requires_grad)


@export(method=False)
def eye(
    n: int, m: int | None = None, *, dtype: Dtype = None, device: Device = None, requires_grad: bool = False
) -> Value:
    """The identity matrix."""
    for name, length in (("n", n), ("m", m)):
        if length is not None and length < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {length}")
    kind = dtype or default.floating
    return born(np.eye(n, m, dtype=kind.np), kind, "eye", requires_grad, device)


def zeros_of(like: Value, shape: tuple[int, ...]) -> Value:
    """Zeros of a shape in the type of a value, raw or Tensor."""
    if isinstance(like, Tensor):
        return make(np.zeros(shape, like._dtype.np)[()] if not shape else np.zeros(shape, like._dtype.np), like._dtype)
    return np.zeros(shape, like.dtype)


def _constant(number: int) -> Callable[[Any], Any]:
    def fill(like: Value) -> Any:
        if isinstance(like, Tensor):
            return make(np.full(like._data.shape, number, like._dtype.np)[()], like._dtype)
        return np.full(like.shape, number, like.dtype)[()]

    return fill


def tensor_like(value: Value, like: Value) -> Value:
    """Return a value of a formula, possibly a Python number, in the type of `like`."""
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
