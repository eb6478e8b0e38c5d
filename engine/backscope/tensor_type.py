"""torch.FloatTensor and the like: tensor types from before dtypes, as constructors and for isinstance()."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope import dtype as types
from backscope.dtype import dtype
from backscope.ops.creation import born, tensor
from backscope.ops.dims import sizes
from backscope.ops.namespace import export
from backscope.size import Size
from backscope.tensor import Tensor


class _Type(type):
    """A type of tensors by their dtype; its instances are Tensors."""

    kind: dtype

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.kind

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not isinstance(args[0], int):
            return tensor(args[0], dtype=cls.kind)
        return born(np.zeros(sizes(args), cls.kind.np), cls.kind, cls.__name__)

    def __repr__(cls) -> str:
        return f"<class 'torch.{cls.__name__}'>"


tensor_types: dict[str, Any] = {}
"""The legacy types by name."""

for _kind in (
    types.bool_, types.uint8, types.int8, types.int16, types.int32, types.int64, types.float16, types.bfloat16,
    types.float32, types.float64,
):  # fmt: skip
    _name = f"{_kind.type_name}Tensor"
    tensor_types[_name] = _Type(_name, (), {"kind": _kind, "__module__": "torch", "dtype": _kind})


def dtype_of(given: Any) -> Any:
    """The dtype that a legacy type or its name stands for; None for anything else."""
    if isinstance(given, _Type):
        return given.kind
    if isinstance(given, str) and given.startswith("torch."):
        found = tensor_types.get(given[len("torch.") :])
        return None if found is None else found.kind
    return None


def set_default_tensor_type(t: Any) -> None:
    """Set the floating point type of new tensors by a legacy type or its name."""
    from backscope.warning import warn_once

    warn_once(
        "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
        "torch.set_default_device() as alternatives."
    )
    types.set_default_dtype(dtype_of(t))


@export(function=False)
def new(self: Tensor, *args: Any, device: Any = None) -> Any:
    """An old way to make a tensor of the same type: from a shape (its elements are not to be read) or from data."""
    kind = self._dtype
    if len(args) == 1 and not isinstance(args[0], (int, Size)):
        (data,) = args
        if isinstance(data, Tensor):
            if data._dtype is not kind:
                raise TypeError(f"expected a tensor of dtype {kind} (got {data._dtype})")
            return data.detach()
        if isinstance(data, str):
            raise TypeError("new(): invalid data type 'str'")
        if not isinstance(data, (list, tuple, np.ndarray)):
            raise TypeError(f"new(): data must be a sequence (got {type(data).__name__})")
        if isinstance(data, np.ndarray):
            return tensor(data.astype(kind.np), dtype=kind)
        return tensor(data, dtype=kind) if kind.category > 1 else tensor(np.asarray(data).astype(kind.np), dtype=kind)
    return born(np.zeros(sizes(args) if args else (0,), kind.np), kind, "new")
