"""`torch.Tensor(...)`, `torch.FloatTensor(...)` and `Tensor.new(...)`: how tensors were made before torch.tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.arguments.invalid_arguments import invalid_arguments
from backscope.ops.core.declaration import primitives
from backscope.ops.create.creation import born
from backscope.ops.create.nested_data import as_array
from backscope.ops.create.shapes import check_shape, check_storage
from backscope.runtime.given import Value
from backscope.tensor.device import device as as_device, is_meta
from backscope.tensor.dtype import C_NAMES, dtype
from backscope.tensor.size import Size
from backscope.tensor.tensor import Tensor
from backscope.tensor.typename import c_name

_KEYWORDS = frozenset({"device", "size", "data", "other"})
_OPTIONS = [
    "(*, torch.device device = None)",
    "(torch.Storage storage)",
    "(Tensor other)",
    "(tuple of ints size, *, torch.device device = None)",
    "(object data, *, torch.device device = None)",
]


def construct_old(kind: dtype, origin: str, args: tuple[Any, ...], kwargs: dict[str, Any], *, any_kind: bool) -> Value:
    """Construct a tensor of the type `kind`: empty, of a shape, from data, or an alias of another tensor.

    With `any_kind` the aliased tensor may have any type.  The elements of a tensor made from a shape are undefined.
    """
    given = {key: value for key, value in kwargs.items() if key != "device"}
    if not kwargs.keys() <= _KEYWORDS or len(given) + bool(args) > 1:
        raise TypeError(invalid_arguments("new", args, kwargs, _OPTIONS))
    where = kwargs.get("device")
    if where is not None and is_meta(where):
        raise RuntimeError(
            f"legacy constructor expects device type: cpu but device type: {as_device(where).type} was passed"
        )
    if "size" in given:
        return _of_shape(kind, origin, tuple(given["size"]))
    if given:
        args = tuple(given.values())
    if len(args) == 1:
        (value,) = args
        if isinstance(value, Tensor):
            return _of_tensor(kind, value, any_kind=any_kind)
        if isinstance(value, Size):
            return _of_shape(kind, origin, value)
        if type(value) is bool or not isinstance(value, (int, np.integer)):
            return _of_data(kind, origin, value)
    elif args and not isinstance(args[0], (int, np.integer)):
        raise TypeError(invalid_arguments("new", args, kwargs, _OPTIONS))
    return _of_shape(kind, origin, args if args else (0,))


def _of_shape(kind: dtype, origin: str, given: tuple[Any, ...]) -> Any:
    for place, n in enumerate(given):
        if isinstance(n, float) or not hasattr(n, "__index__"):
            raise TypeError(
                f"new(): argument 'size' failed to unpack the object at pos {place + 1} with error "
                f'"type must be tuple of ints,but got {c_name(type(n))}"'
            )
    shape = tuple([int(n) for n in given])
    check_shape(shape)
    check_storage(shape, kind)
    return born(np.zeros(shape, kind.np), kind, origin)


def _of_data(kind: dtype, origin: str, data: Value) -> Any:
    if isinstance(data, np.ndarray):
        return born(np.array(data).astype(kind.np), kind, origin)
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    if isinstance(data, (dict, set)) or not hasattr(type(data), "__getitem__") or isinstance(data, np.generic):
        raise TypeError(f"new(): data must be a sequence (got {c_name(type(data))})")
    return born(as_array(data, kind)[0], kind, origin)


def _of_tensor(kind: dtype, other: Tensor, *, any_kind: bool) -> Any:
    if not any_kind and other._dtype is not kind:
        raise TypeError(f"expected {_described(kind)} (got {_described(other._dtype)})")
    return primitives["alias"].apply(other)


def _described(kind: dtype) -> str:
    return (
        f"TensorOptions(dtype={C_NAMES.get(kind.name, kind.name)}, device=cpu, layout=Strided, requires_grad=false "
        "(default), pinned_memory=false (default), memory_format=(nullopt))"
    )
