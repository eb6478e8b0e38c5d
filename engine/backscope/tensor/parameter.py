"""Parameter and Buffer: the tensors that a module owns."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Self, TypeVar

from backscope.autograd.modes.grad_mode import mode
from backscope.runtime.given import Device, Dtype, Option, Tree, Value
from backscope.runtime.listening import hub
from backscope.tensor.serialization import pickled_as
from backscope.tensor.tensor import Tensor, _TensorType, alias
from backscope.tensor.version_counter import INFERENCE

_new = object.__new__

Kind = TypeVar("Kind")
"""The class of a tensor that is made."""


class _ParameterType(_TensorType):
    """`isinstance(t, Parameter)` is also true of other tensors that carry the flag `_is_param`."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False):
            return True
        return super().__instancecheck__(instance)


class Parameter(Tensor, metaclass=_ParameterType):
    """A leaf that a module registers when it is assigned as an attribute; it shares memory with `data`."""

    __slots__ = ()

    def __new__(cls, data: Value = None, requires_grad: bool = True) -> Self:
        if data is None:
            data = empty((0,))
        from backscope.autograd.transforms.transform_tensor import TransformTensor

        if type(data) is Tensor or type(data) is Parameter:
            return make_subclass(cls, data, requires_grad)
        tensor = data.detach()
        # Programs may not call requires_grad_() inside a transform, but may make parameters there.
        if isinstance(tensor, TransformTensor):
            tensor._change_requires_grad(requires_grad)
        else:
            tensor.requires_grad_(requires_grad)
        if type(tensor) is not type(data):
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns "
                f"an instance of the same type, but return type {type(tensor).__name__} was found instead. To use the "
                "type as a Parameter, please correct the detach() semantics defined by its __torch_dispatch__() "
                "implementation."
            )
        tensor._is_param = True
        found: Self = tensor
        return found

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        known = memo.get(id(self))
        if known is None:
            known = memo[id(self)] = type(self)(self.data.clone(), self.requires_grad)  # type: ignore[attr-defined]
        return known

    def __repr__(self, *, tensor_contents: Value = None) -> str:  # type: ignore[override]
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, protocol: Option) -> tuple[Any, ...]:
        return rebuild_parameter, (self.data, self._requires_grad, OrderedDict(), dict(self.__dict__))


def empty(shape: tuple[Any, ...], dtype: Dtype = None, device: Device = None) -> Value:
    """torch.empty, which here is filled with 0s."""
    from backscope.ops.core.namespace import torch_functions

    for place, length in enumerate(shape):
        if not isinstance(length, int) and not hasattr(length, "__index__"):
            kind = type(length).__name__
            raise TypeError(
                "empty(): argument 'size' failed to unpack the object at pos "
                f'{place + 1} with error "type must be tuple of ints,but got {kind}"'
                if place
                else "empty(): argument 'size' (position 1) must be tuple of ints, but found element of type "
                f"{kind} at pos 0"
            )
    return torch_functions["empty"](shape, dtype=dtype, device=device)


@pickled_as("_rebuild_parameter")
def rebuild_parameter(data: Value, requires_grad: bool, hooks: Tree, state: dict[str, Any] | None = None) -> Parameter:
    """The Parameter that a pickle holds; hooks are never among it."""
    parameter = Parameter(data, requires_grad)
    if state:
        parameter.__dict__.update(state)
    return parameter


def make_subclass(cls: type[Kind], data: Tensor, requires_grad: bool = False) -> Kind:
    """A leaf of class `cls` over the memory of `data`, of which it shares the version counter."""
    if not isinstance(requires_grad, bool):
        raise TypeError(
            f"_make_subclass(): argument 'require_grad' (position 3) must be bool, not {type(requires_grad).__name__}"
        )
    if requires_grad and data._dtype.category < 2:
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    out = alias(data, data._array())
    out.__class__ = cls
    out._shared = data._counter()
    out._requires_grad = bool(requires_grad)
    if hub.listener is not None:
        hub.listener.aliased(out, data, cls.__name__)
    made: Kind = out
    return made


def new_parameter(shape: tuple[int, ...], dtype: Dtype = None, device: Device = None) -> Value:
    """A Parameter of zeros that is about to be initialised, and is reported to the listener then."""
    listener, hub.listener = hub.listener, None
    try:
        made = empty(shape, dtype, device)
        if mode.inference:
            made._shared = INFERENCE
        return Parameter(made)
    finally:
        hub.listener = listener


class _BufferType(_TensorType):
    """`isinstance(t, Buffer)` is true of tensors that carry the flag `_is_buffer`."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if cls is Buffer and isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False):
            return True
        return super().__instancecheck__(instance)


class Buffer(Tensor, metaclass=_BufferType):
    """A tensor that a module registers as a buffer when it is assigned; what is made is a plain, flagged Tensor."""

    __slots__ = ()

    def __new__(cls, data: Value = None, *, persistent: bool = True) -> Value:
        if data is None:
            data = empty((0,))
        tensor = data.detach().requires_grad_(data.requires_grad)
        tensor.persistent = persistent
        tensor._is_buffer = True
        return tensor


Parameter.__module__ = Buffer.__module__ = "torch.nn.parameter"
