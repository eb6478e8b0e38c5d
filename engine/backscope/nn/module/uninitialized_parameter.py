"""Parameters and buffers that get their shape in the module's first call."""

from __future__ import annotations

from typing import Any, NoReturn, Self, SupportsIndex

from backscope.runtime.given import Device, Dtype, Shape, Value
from backscope.tensor.parameter import Buffer, Parameter, empty, make_subclass
from backscope.tensor.tensor import Tensor
from backscope.tensor.typename import belongs

__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "UninitializedTensorMixin",
    "is_lazy",
]


class UninitializedTensorMixin:
    """The shared part of parameters and buffers without a shape."""

    cls_to_become: type

    def materialize(self: Value, shape: Shape, device: Device = None, dtype: Dtype = None) -> None:
        """Give it a shape, and with it memory."""
        kind = self._dtype if dtype is None else dtype
        Tensor.data.__set__(self, empty(tuple(shape), kind, device))  # type: ignore[attr-defined]
        self.__class__ = self.cls_to_become

    @property
    def shape(self) -> NoReturn:
        """Raise RuntimeError: there is no shape yet."""
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` "
            "to initialize the parameters before accessing their attributes."
        )

    def share_memory_(self) -> NoReturn:
        """Raise RuntimeError: there is no memory to share yet."""
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters "
            "before calling `module.share_memory()`."
        )

    def __repr__(self, *, tensor_contents: Value = None) -> str:
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self: Value, protocol: SupportsIndex) -> tuple[type, tuple[bool]]:
        return type(self), (self.requires_grad,)


class UninitializedParameter(UninitializedTensorMixin, Parameter):  # type: ignore[misc]
    """A Parameter of a lazy module before its first call."""

    __slots__ = ()
    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Device = None, dtype: Dtype = None) -> Self:
        return make_subclass(cls, empty((0,), dtype, device), requires_grad)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, dtype=self._dtype)
        found: Self = memo[id(self)]
        return found


class UninitializedBuffer(UninitializedTensorMixin, Tensor):  # type: ignore[misc]
    """A buffer of a lazy module before its first call."""

    __slots__ = ()
    cls_to_become = Tensor
    persistent: bool
    _is_buffer: bool

    def __new__(
        cls, requires_grad: bool = False, device: Device = None, dtype: Dtype = None, persistent: bool = True
    ) -> Self:
        out = make_subclass(cls, empty((0,), dtype, device), requires_grad)
        out.persistent = persistent
        out._is_buffer = True
        return out


def is_lazy(param: Value) -> bool:
    """Return True for a parameter or buffer without a shape."""
    return isinstance(param, UninitializedTensorMixin)


belongs("torch.nn.parameter", UninitializedTensorMixin, UninitializedParameter, UninitializedBuffer)
