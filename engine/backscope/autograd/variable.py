"""torch.autograd.Variable: what tensors that require grad were made with before they and tensors became one."""

from __future__ import annotations

from typing import Any

from backscope.autograd.engine_queries import execution_engine
from backscope.runtime.warning import warn
from backscope.tensor.tensor import Tensor


class _VariableType(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor)

    def __call__(cls, data: Any, requires_grad: bool | None = None, volatile: bool | None = None) -> Any:
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        if volatile:
            warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")
            if requires_grad:
                raise ValueError("Variable can't be volatile and require_grad at the same time!")
        return data.detach()._change_requires_grad(bool(requires_grad))


class Variable(metaclass=_VariableType):
    """`Variable(tensor, requires_grad=True)` is the tensor's memory as a leaf; every tensor is an instance."""

    _execution_engine = execution_engine
