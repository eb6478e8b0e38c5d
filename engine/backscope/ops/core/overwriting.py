"""The fast path of in-place elementwise calls: an untracked plain tensor and operands of the same kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from backscope.autograd.modes.grad_mode import mode, silenced
from backscope.autograd.transforms.level import used
from backscope.autograd.views.lazy_views import lazies
from backscope.ops.core.constants import constant
from backscope.ops.core.unsupported import TENSOR_ONLY, refusals
from backscope.ops.core.writing import watchers
from backscope.runtime.given import Value
from backscope.runtime.listening import hub
from backscope.tensor import meta
from backscope.tensor.dtype import dtype
from backscope.tensor.parameter import Parameter
from backscope.tensor.tensor import Tensor

if TYPE_CHECKING:
    from backscope.ops.core.declaration import Op

_PLAIN: frozenset[Any] = frozenset({Tensor, Parameter})
_NUMBERS: frozenset[Any] = frozenset({int, float})
_ATTRIBUTES: frozenset[Any] = frozenset({int, float, bool, str, type(None)})
_KERNELS: dict[str, Any] = {"mul": np.multiply, "div": np.divide, "add": np.add, "sub": np.subtract}


def _takes(name: str, kind: dtype) -> bool:
    """Return False for an op that refuses tensors of a type."""
    try:
        for refusal in refusals.get(name, ()):
            refusal.check(kind)
    except (RuntimeError, NotImplementedError):
        return False
    return True


def overwriting(op: Op) -> Callable[..., bool]:
    """`write(target, *args)`: True where it wrote the op's result into its target, else the general way is needed.

    That is where anything is tracked, recorded or a view, not float32 or float64, of mixed dtypes, or where
    operands have other shapes than the target or share memory with it.
    """
    count = len(op.inputs) - 1
    forward, into = op.forward, op.into
    kernel = _KERNELS.get(op.name)
    defaults = tuple([op.defaults[p] for p in op.parameters[count + 1 :] if p in op.defaults])
    if op.kept:
        return lambda *args: False
    takes: dict[dtype, bool] = {}
    numbers = _NUMBERS if op.weighted else _ATTRIBUTES
    others: frozenset[Any] = frozenset() if op.name in TENSOR_ONLY else _NUMBERS

    def write(target: Value, *args: Any) -> bool:
        data = target._data
        kind = target._dtype
        if (
            target.__class__ not in _PLAIN
            or data.__class__ is not np.ndarray
            or not kind.wide
            or target._view is not None
            or hub.listener is not None
            or watchers
            or used
            or meta.used
            or lazies
        ):
            return False
        taken = takes.get(kind)
        if taken is None:
            taken = takes[kind] = _takes(op.name, kind)
        shared = target._shared
        if not taken or (shared is not None and shared.__class__ is not list):
            return False
        recording = not silenced or mode.enabled
        if recording and target._requires_grad:
            return False
        if data.base is not None and not (data.flags.c_contiguous and data.flags.writeable):
            return False
        operands = []
        for other in args[:count]:
            if other.__class__ in _PLAIN:
                value = other._data
                if (
                    value.__class__ is not np.ndarray
                    or other._dtype is not kind
                    or other._view is not None
                    or value.shape != data.shape
                    or (recording and other._requires_grad)
                    or ((data.base is not None or value.base is not None) and np.may_share_memory(data, value))
                ):
                    return False
            elif other.__class__ in others:
                number = kind.arrays.get(other)
                if number is None or number.number.__class__ is not other.__class__:
                    number = constant(other, kind, data)
                value = number._data
            else:
                return False
            operands.append(value)
        attributes = args[count:] or defaults
        for a in attributes:
            if a.__class__ not in numbers:
                return False
        if hub.keeper is not None:
            hub.keeper.before_change(data)
        if kernel is not None and (not attributes or (len(attributes) == 1 and attributes[0] == 1)):
            kernel(data, *operands, data)
        elif into is not None:
            into(data, *operands, *attributes)
        else:
            np.copyto(data, forward(data, *operands, *attributes))
        if shared is None:
            target._shared = [1]
        else:
            shared[0] += 1
        return True

    return write
