"""Python's operators on tensors: which op each of them is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.ops.declaration import primitives as p
from backscope.ops.elementwise import NUMBERS
from backscope.ops.matmul import _matmul
from backscope.ops.namespace import export
from backscope.tensor import Tensor


def _power(self: Any, exponent: Any) -> Any:
    if isinstance(exponent, NUMBERS):
        return p["pow_scalar"].slow(self, exponent) if not isinstance(exponent, bool) else p["pow_scalar"].slow(self, int(exponent))
    return p["pow_tensor"].slow(self, exponent)


@export("pow", "float_power")
def pow(input: Any, exponent: Any, *, out: Any = None) -> Any:  # noqa: A001, A002
    """input to the power of exponent, numbers or tensors."""
    return _power(input, exponent)


@export(function=False)
def pow_(self: Tensor, exponent: Any) -> Any:
    """self to the power of exponent, in place."""
    return p["pow_scalar" if isinstance(exponent, NUMBERS) else "pow_tensor"].call_in_place(self, exponent)


@export()
def square(input: Tensor) -> Any:  # noqa: A002
    """input to the power of 2."""
    return _power(input, 2)


def _bounds(self: Tensor, low: Any, high: Any) -> Any:
    if low is None and high is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if isinstance(low, Tensor) or isinstance(high, Tensor):
        found = self if low is None else p["maximum"].slow(self, low)
        return found if high is None else p["minimum"].slow(found, high)
    kinds = [type(b) for b in (low, high) if b is not None]
    if self._dtype.category < 2 and float in kinds:
        self = self.to(_default())  # type: ignore[attr-defined]
    return p["clamp_bounds"].slow(self, low, high)


def _default() -> Any:
    from backscope.dtype import default

    return default.floating


@export("clamp", "clip")
def clamp(input: Tensor, min: Any = None, max: Any = None) -> Any:  # noqa: A002
    """input limited to min and max."""
    return _bounds(input, min, max)


@export(function=False)
def clamp_(self: Tensor, min: Any = None, max: Any = None) -> Any:  # noqa: A002
    """Limit to min and max in place."""
    return p["clamp_bounds"].call_in_place(self, min, max)


@export()
def clamp_min(input: Tensor, min: Any) -> Any:  # noqa: A002
    """input, at least min."""
    return _bounds(input, min, None)


@export()
def clamp_max(input: Tensor, max: Any) -> Any:  # noqa: A002
    """input, at most max."""
    return _bounds(input, None, max)


@export(function=False)
def zero_(self: Tensor) -> Tensor:
    """Set all elements to 0, in place."""
    return _fill(self, 0, "zero_")


@export(function=False)
def fill_(self: Tensor, value: Any) -> Tensor:
    """Set all elements to one number, in place."""
    return _fill(self, value.item() if isinstance(value, Tensor) else value, "fill_")


def _fill(self: Tensor, value: Any, name: str) -> Tensor:
    from backscope.autograd.grad_mode import mode
    from backscope.autograd.view import check_in_place
    from backscope.listening import hub
    from backscope.ops.elementwise import raw, record_in_place, store

    tracked = mode.enabled and self._requires_grad
    check_in_place(self, tracked)
    store(self, raw(value, self._dtype))
    op = p[name]
    node = record_in_place(op, self, [self], (self,), None) if tracked else None
    if hub.listener is not None:
        hub.listener.op(name, op, (self, value), (self,), node, in_place=True)
    return self


def _reflected(name: str) -> Callable[[Any, Any], Any]:
    op = p[name]

    def call(self: Any, other: Any) -> Any:
        if not isinstance(other, NUMBERS):
            return op.slow(other, self)
        return op.call(self, other) if name in ("add", "mul") else op.slow(other, self)

    return call


def _number_minus(self: Any, other: Any) -> Any:
    return p["rsub"].call(self, other)


def _number_over(self: Any, other: Any) -> Any:
    return p["reciprocal"].call(self) * other if isinstance(other, NUMBERS) else NotImplemented


def _in_place(name: str) -> Callable[[Any, Any], Any]:
    op = p[name]

    def call(self: Any, other: Any) -> Any:
        return op.call_in_place(self, other)

    return call


def _compared(name: str) -> Callable[[Any, Any], Any]:
    op = p[name]

    def call(self: Any, other: Any) -> Any:
        if other is None and name in ("eq", "ne"):
            return name == "ne"
        return op.call(self, other)

    return call


def _base_power(self: Any, other: Any) -> Any:
    return p["pow_tensor"].slow(other, self)


_OPERATORS: dict[str, Any] = {
    "__add__": p["add"].call, "__radd__": _reflected("add"), "__iadd__": _in_place("add"),
    "__sub__": p["sub"].call, "__rsub__": _number_minus, "__isub__": _in_place("sub"),
    "__mul__": p["mul"].call, "__rmul__": _reflected("mul"), "__imul__": _in_place("mul"),
    "__truediv__": p["div"].call, "__rtruediv__": _number_over, "__itruediv__": _in_place("div"),
    "__floordiv__": p["floor_divide"].call, "__rfloordiv__": _reflected("floor_divide"),
    "__mod__": p["remainder"].call, "__rmod__": _reflected("remainder"),
    "__pow__": _power, "__rpow__": _base_power, "__ipow__": pow_,
    "__neg__": p["neg"].call, "__pos__": lambda self: self, "__abs__": p["abs"].call, "__invert__": p["bitwise_not"].call,
    "__matmul__": _matmul, "__rmatmul__": lambda self, other: _matmul(other, self),
    "__eq__": _compared("eq"), "__ne__": _compared("ne"), "__lt__": _compared("lt"), "__le__": _compared("le"),
    "__gt__": _compared("gt"), "__ge__": _compared("ge"),
    "__and__": p["bitwise_and"].call, "__or__": p["bitwise_or"].call, "__xor__": p["bitwise_xor"].call,
    "__rand__": _reflected("bitwise_and"), "__ror__": _reflected("bitwise_or"), "__rxor__": _reflected("bitwise_xor"),
}  # fmt: skip

for _name, _function in _OPERATORS.items():
    setattr(Tensor, _name, _function)
