"""Python's operators on tensors, each with its op."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.autograd.evaluation import WrappedFloat, WrappedInt, in_formula
from backscope.ops.core.arguments.argument_types import type_name
from backscope.ops.core.declaration import primitives as p
from backscope.ops.core.elementwise import NUMBERS
from backscope.ops.core.namespace import torch_functions
from backscope.ops.create.creation import from_numpy
from backscope.ops.linalg import products  # noqa: F401 - declare what is looked up here
from backscope.ops.pointwise import comparison, complex_numbers, division, signs  # noqa: F401 - declare what is looked up here
from backscope.ops.pointwise.arithmetic import promoted
from backscope.ops.pointwise.powers import power_of
from backscope.ops.pointwise.scalars import number_minus, number_over
from backscope.runtime.given import Value
from backscope.tensor.dtype import dtype
from backscope.tensor.tensor import Tensor

_PYTHON_NUMBERS: frozenset[Any] = frozenset({int, float, complex, WrappedFloat, WrappedInt})


def _check_self(title: str, self: Value) -> None:
    """Raise TypeError for a reflected operator that was taken from the class and called on something else."""
    if not isinstance(self, Tensor):
        raise TypeError(
            f"descriptor '{title}' for 'torch._C.TensorBase' objects doesn't apply to a '{type_name(self)}' object"
        )


def _reflected(name: str, title: str = "") -> Callable[[Any, Any], Any]:
    op = p[name]

    def call(self: Value, other: Value) -> Any:
        if title:
            _check_self(title, self)
        return op.slow(other, self)

    return call


def _commuted(name: str, title: str) -> Callable[[Any, Any], Any]:
    """Return an operator for a number on the left, for ops with operands that can be swapped."""
    op = p[name]

    def call(self: Value, other: Value) -> Any:
        if isinstance(other, NUMBERS) and isinstance(self, Tensor):
            return op.call(self, other)
        _check_self(title, self)
        return op.slow(other, self)

    return call


def _number_minus(self: Value, other: Value) -> Any:
    if other.__class__ not in _PYTHON_NUMBERS:
        if not isinstance(other, (Tensor, np.generic, *NUMBERS)):
            return NotImplemented
        return torch_functions["rsub"](self, other)
    if in_formula:
        return number_minus(other, self)
    if self._dtype.category == 0:
        return p["rsub"].call(self, other)
    return p["rsub"].call(promoted(self, other), other)


def _number_over(self: Value, other: Value) -> Any:
    if isinstance(other, NUMBERS) and in_formula:
        return number_over(other, self)
    try:
        return p["reciprocal"].call(self) * other
    except TypeError:
        return NotImplemented


def _modulo(self: Value, other: Value) -> Any:
    if not isinstance(other, (Tensor, np.generic, *NUMBERS)):
        return NotImplemented
    return torch_functions["remainder"](self, other)


def _reflected_modulo(self: Value, other: Value) -> Any:
    return _modulo(other, self) if isinstance(other, (Tensor, np.generic, *NUMBERS)) else NotImplemented


def _in_place(name: str) -> Callable[[Any, Any], Any]:
    op = p[name]

    def call(self: Value, other: Value) -> Any:
        return op.call_in_place(self, other)

    return call


def _in_place_method(name: str) -> Callable[[Any, Any], Any]:
    def call(self: Value, other: Value) -> Any:
        try:
            return getattr(self, name)(other)
        except TypeError:
            return NotImplemented

    return call


def _unexplained(name: str, title: str) -> Callable[[Any, Any], Any]:
    """Return an operator that leaves the error for unsupported operands to Python."""
    op = p[name]

    def call(self: Value, other: Value) -> Any:
        _check_self(title, self)
        return op.call(self, other)

    call.checked = True, title  # type: ignore[attr-defined]
    return call


def _compared(name: str) -> Callable[[Any, Any], Any]:
    op = p[name]

    def call(self: Value, other: Value) -> Any:
        if other is None and name in ("eq", "ne"):
            return name == "ne"
        if name == "eq" and isinstance(other, np.ndarray) and other.dtype in dtype.table:
            other = from_numpy(other)
        return op.call(self, other)

    return call


def _base_power(self: Value, other: Value) -> Any:
    return power_of(other, self)


def _product(self: Value, other: Value) -> Any:
    if not isinstance(other, Tensor):
        return NotImplemented
    return torch_functions["matmul"](self, other)


def _reflected_product(self: Value, other: Value) -> Any:
    return torch_functions["matmul"](other, self) if isinstance(other, Tensor) else NotImplemented


def _inverted(self: Tensor) -> Any:
    if self._dtype.category > 1:
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return p["bitwise_not"].call(self)


_OPERATORS: dict[str, Any] = {
    "__add__": p["add"].call, "__radd__": _commuted("add", "__radd__"), "__iadd__": _in_place("add"),
    "__sub__": p["sub"].call, "__rsub__": _number_minus, "__isub__": _in_place("sub"),
    "__mul__": p["mul"].call, "__rmul__": _commuted("mul", "__rmul__"), "__imul__": _in_place("mul"),
    "__truediv__": p["div"].call, "__rtruediv__": _number_over, "__itruediv__": _in_place("div"),
    "__rdiv__": _number_over,
    "__floordiv__": p["floor_divide"].call, "__rfloordiv__": _reflected("floor_divide"),
    "__ifloordiv__": _in_place("floor_divide"),
    "__mod__": _modulo, "__rmod__": _reflected_modulo,
    "__imod__": _in_place_method("remainder_"),
    "__pow__": power_of, "__rpow__": _base_power, "__ipow__": _in_place_method("pow_"),
    "__neg__": p["neg"].call, "__pos__": torch_functions["positive"], "__abs__": p["abs"].call,
    "__invert__": _inverted,
    "__matmul__": _product, "__rmatmul__": _reflected_product,
    "__eq__": _compared("eq"), "__ne__": _compared("ne"), "__lt__": _compared("lt"), "__le__": _compared("le"),
    "__gt__": _compared("gt"), "__ge__": _compared("ge"),
    "__and__": _unexplained("bitwise_and", "__and__"), "__or__": _unexplained("bitwise_or", "__or__"),
    "__xor__": _unexplained("bitwise_xor", "__xor__"),
    "__lshift__": _unexplained("bitwise_left_shift", "__lshift__"),
    "__rshift__": _unexplained("bitwise_right_shift", "__rshift__"),
    "__rlshift__": _reflected("bitwise_left_shift"), "__rrshift__": _reflected("bitwise_right_shift"),
    "__rand__": _reflected("bitwise_and", "__rand__"), "__ror__": _reflected("bitwise_or", "__ror__"),
    "__rxor__": _reflected("bitwise_xor", "__rxor__"),
    "__iand__": _in_place("bitwise_and"), "__ior__": _in_place("bitwise_or"), "__ixor__": _in_place("bitwise_xor"),
}  # fmt: skip

for _name, _function in _OPERATORS.items():
    setattr(Tensor, _name, _function)
