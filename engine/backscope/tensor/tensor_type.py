"""torch.FloatTensor and the like: tensor types from before dtypes, as constructors and for isinstance()."""

from __future__ import annotations

from typing import Any

from backscope.ops.core.namespace import export
from backscope.ops.create.old_constructor import construct_old
from backscope.runtime.given import Dtype, Option, Value
from backscope.tensor import dtype as types
from backscope.tensor.dtype import dtype
from backscope.tensor.tensor import Tensor


class _Type(type):
    """A type of tensors by their dtype; its instances are Tensors."""

    kind: dtype

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.kind

    def __call__(cls, *args: Value, **kwargs: Any) -> Any:
        return construct_old(cls.kind, cls.__name__, args, kwargs, any_kind=False)

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


def dtype_of(given: Value) -> Dtype:
    """The dtype of a legacy type or of its name; None for anything else."""
    if isinstance(given, _Type):
        return given.kind
    if isinstance(given, str) and given.startswith("torch."):
        found = tensor_types.get(given[len("torch.") :])
        return None if found is None else found.kind
    return None


def set_default_tensor_type(t: Value) -> None:
    """Set the floating point type of new tensors by a legacy type or its name."""
    from backscope.runtime.warning import warn_once

    warn_once(
        "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
        "torch.set_default_device() as alternatives."
    )
    types.set_default_dtype(dtype_of(t))


@export(function=False)
def new(self: Tensor, *args: Value, **kwargs: Option) -> Value:
    """An old way to make a tensor of the same type: from a shape (its elements are not to be read) or from data."""
    return construct_old(self._dtype, "new", args, kwargs, any_kind=False)
