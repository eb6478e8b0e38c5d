"""torch.autograd.Variable: the old name for making a leaf tensor."""

from __future__ import annotations

from typing import Any

from backscope.autograd.engine_queries import execution_engine
from backscope.runtime.given import Array
from backscope.runtime.warning import warn
from backscope.tensor.tensor import Tensor


class _VariableType(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor)

    def __call__(cls, data: Array, requires_grad: bool | None = None, volatile: bool | None = None) -> Any:
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        if volatile:
            warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")
            if requires_grad:
                raise ValueError("Variable can't be volatile and require_grad at the same time!")
        return data.detach()._change_requires_grad(bool(requires_grad))


class Variable(metaclass=_VariableType):
    """`Variable(tensor, requires_grad=True)` makes a leaf over the tensor's memory; every tensor is an instance."""

    _execution_engine = execution_engine
