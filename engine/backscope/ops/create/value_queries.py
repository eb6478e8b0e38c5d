"""Questions about tensors and dtypes: what a value is, how large, what a mixture of types would become."""

from __future__ import annotations

from typing import Any

from backscope.ops.core.elementwise import common_dtype
from backscope.ops.core.namespace import export
from backscope.runtime.given import Device, Value
from backscope.tensor.dtype import dtype
from backscope.tensor.layout import strided
from backscope.tensor.tensor import Tensor


@export(method=False)
def is_tensor(obj: Value) -> bool:
    """True for a tensor."""
    return isinstance(obj, Tensor)


@export(method=False)
def is_storage(obj: Value) -> bool:
    """True for the memory of a tensor as an object of its own."""
    return type(obj).__name__ in ("TypedStorage", "UntypedStorage")


@export()
def is_nonzero(input: Tensor) -> bool:  # noqa: A002
    """True where the single element is not zero."""
    return bool(input._single("Boolean value of Tensor with"))


@export()
def is_signed(input: Tensor) -> bool:  # noqa: A002
    """True for dtypes with negative numbers."""
    return input._dtype.is_signed


@export(function=False)
def get_device(self: Tensor) -> int:
    """-1: the tensor is on no numbered device."""
    return -1


@export(method=False)
def result_type(tensor1: Value, tensor2: Value) -> dtype:
    """The dtype that an op on both would compute in."""
    return common_dtype([tensor1, tensor2])


@export(method=False)
def can_cast(from_: dtype, to: dtype) -> bool:
    """True where promotion allows to write the one type into the other."""
    return from_.category <= to.category


@export(function=False)
def share_memory_(self: Tensor) -> Tensor:
    """The tensor itself: the memory of one process is not shared here."""
    return self


@export(function=False)
def is_shared(self: Tensor) -> bool:
    """False: the memory is in this process alone."""
    return False


@export(function=False)
def is_pinned(self: Tensor, device: Device = None) -> bool:
    """False: there is no device to pin memory for."""
    return False


@export(function=False)
def pin_memory(self: Tensor, device: Device = None) -> Tensor:
    """RuntimeError: there is no device to pin memory for."""
    raise RuntimeError("Cannot access accelerator device when none is available.")


@export()
def is_same_size(input: Tensor, other: Tensor) -> bool:  # noqa: A002
    """True when both have the same shape."""
    return bool(input._data.shape == other._data.shape)


@export(method=False)
def typename(obj: Value, /) -> str:
    """The name of a tensor's type, or of a value's class."""
    if isinstance(obj, Tensor):
        return f"torch.{obj._dtype.type_name}Tensor"
    kind = obj if isinstance(obj, type) else type(obj)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _flag(name: str, value: Value, doc: str) -> None:
    if not hasattr(Tensor, name):
        setattr(Tensor, name, property(value, doc=doc))


_flag("itemsize", lambda t: t._dtype.itemsize, "The bytes of one element.")
_flag("nbytes", lambda t: int(t._data.size) * t._dtype.itemsize, "The bytes of all elements.")
for _name in ("is_cuda", "is_mps", "is_xpu", "is_quantized", "is_mkldnn", "is_nested", "is_vulkan", "is_ipu", "is_xla",
              "is_mtia", "is_maia"):  # fmt: skip
    _flag(_name, lambda t: False, "False: there are no such tensors here.")
_flag("is_cpu", lambda t: not t.is_meta, "True unless the tensor has no data.")
_flag("layout", lambda t: strided, "How the elements lie in memory.")
_flag("is_sparse", lambda t: False, "False for a dense tensor.")
_flag("is_sparse_csr", lambda t: False, "False for a dense tensor.")


def _copy_of(self: Tensor) -> Any:
    """copy.copy: another tensor over the same memory, without the gradient."""
    from backscope.tensor.tensor import alias

    out = alias(self, self._array())
    out.__class__ = self.__class__
    out._requires_grad = self._requires_grad
    return out


setattr(Tensor, "__copy__", _copy_of)


def _dim_order(self: Tensor) -> tuple[int, ...]:
    """The dims from the one with the largest steps in memory to the one with the smallest."""
    return tuple(sorted(range(self.dim()), key=lambda d: (-self.stride(d), d)))  # type: ignore[attr-defined]


Tensor.dim_order = _dim_order  # type: ignore[attr-defined]
Tensor._is_zerotensor = lambda self: False  # type: ignore[attr-defined]
