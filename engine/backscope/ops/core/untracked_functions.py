"""Functions of tensors without gradients: indices, counts, tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.autograd.transforms.level import used
from backscope.ops.core.declaration import Op
from backscope.ops.core.dispatch import to_array, wrap
from backscope.runtime.listening import hub
from backscope.tensor.tensor import Tensor


def measure(name: str, forward: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function of Tensors and other arguments from one of raw values, declared like an op's `forward`."""
    op = Op(name, type(name, (), {"forward": forward}), {})

    def call(*args: Any) -> Any:
        if used:
            from backscope.func.lifting import lift

            lifted = lift(op, args, call)
            if lifted is not None:
                return lifted
        data = to_array(op.forward(*[a._data if isinstance(a, Tensor) else a for a in args]))[()]
        out = wrap(data, args[0]._dtype)
        if hub.listener is not None:
            hub.listener.op(name, op, args, (out,), None)
        return out

    return call
