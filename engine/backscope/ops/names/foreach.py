"""The functions of lists of tensors (torch._foreach_*): the plain op for each tensor of the list.

In place they give the list back.  Tensors that require grad get the plain op's node each, not one node for the list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from backscope.ops.core.arguments.argument_types import type_name
from backscope.ops.core.namespace import linalg, torch_functions
from backscope.runtime.given import Dtype, MemoryFormat, Value, Values
from backscope.tensor.tensor import Tensor

_EACH = (
    "abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal round "
    "rsqrt sigmoid sign sin sinh sqrt tan tanh trunc"
)
_WITH_OTHER = "add sub mul div clamp_max clamp_min maximum minimum pow"
_WITH_TWO = "addcmul addcdiv"
_NUMBER = (int, float, complex)


def _tensors(name: str, given: Value, argument: str = "self", position: int = 1) -> Any:
    if not isinstance(given, (list, tuple)):
        raise TypeError(
            f"{name}(): argument '{argument}' (position {position}) must be tuple of Tensors, not {type_name(given)}"
        )
    for i, t in enumerate(given):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument {position - 1}, but got {type_name(t)}")
    if not given:
        raise RuntimeError("Tensor list must have at least one tensor.")
    return given


def _partners(tensors: Values, other: Value) -> Any:
    """Return the second operand for each tensor: the element of a list as long, or one number or tensor for all."""
    if isinstance(other, Tensor) and other._data.ndim == 1 and len(tensors) == other._data.size:
        return other.unbind()  # type: ignore[attr-defined]
    if not isinstance(other, (list, tuple)):
        return [other] * len(tensors)
    if len(other) != len(tensors):
        if all(isinstance(o, _NUMBER) for o in other):
            raise RuntimeError("Tensor list must have same number of elements as scalar list.")
        raise RuntimeError(f"Tensor lists must have the same number of tensors, got {len(tensors)} and {len(other)}")
    return other


def _declare(name: str, function: Callable[..., Any]) -> None:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"torch.{name}: the op for each tensor of a list."
    torch_functions[name] = function


def _call(op: str, tensor: Value, *args: Any, **options: Any) -> Any:
    """The op on a tensor: its method where it is in place or has one, else the function."""
    if op in ("maximum", "minimum") and isinstance(args[0], _NUMBER):
        op, args = ("clamp_min" if op == "maximum" else "clamp_max"), args
    elif op in ("maximum_", "minimum_"):
        return tensor.copy_(_call(op[:-1], tensor, *args))
    return getattr(tensor, op)(*args, **options)


def _of_each(op: str) -> None:
    name = f"_foreach_{op}"

    def made(self: Value) -> Any:
        return tuple([_call(op, t) for t in _tensors(name, self)])

    def changed(self: Value) -> Any:
        for t in _tensors(name + "_", self):
            _call(op + "_", t)
        return self

    _declare(name, made)
    _declare(name + "_", changed)


def _with_other(op: str) -> None:
    name = f"_foreach_{op}"

    def made(self: Value, other: Value = None, **options: Any) -> Any:
        other = _given(other, options)
        if op == "pow" and isinstance(self, _NUMBER):
            return tuple([torch_functions["pow"](self, t) for t in _tensors(name, other, "exponent", 2)])
        tensors = _tensors(name, self)
        pairs = zip(tensors, _partners(tensors, other), strict=True)
        return tuple([_call(op, t, o, **options) for t, o in pairs])

    def changed(self: Value, other: Value = None, **options: Any) -> Any:
        tensors = _tensors(name + "_", self)
        for t, o in zip(tensors, _partners(tensors, _given(other, options)), strict=True):
            _call(op + "_", t, o, **options)
        return self

    _declare(name, made)
    _declare(name + "_", changed)


def _given(other: Value, options: dict[str, Any]) -> Any:
    """Return the second operand, whichever name it was passed by."""
    for name in ("scalar", "scalars", "exponent"):
        if name in options:
            other = options.pop(name)
    return other


def _with_two(op: str) -> None:
    name = f"_foreach_{op}"

    def rows(self: Value, tensor1: Value, tensor2: Value, value: Value, options: dict[str, Any]) -> Any:
        value = options.pop("scalars", value)
        tensors = _tensors(name, self)
        return zip(tensors, *[_partners(tensors, given) for given in (tensor1, tensor2, value)], strict=True)

    def made(self: Value, tensor1: Value, tensor2: Value, value: Value = 1, **options: Any) -> Any:
        return tuple([_call(op, t, a, b, value=v) for t, a, b, v in rows(self, tensor1, tensor2, value, options)])

    def changed(self: Value, tensor1: Value, tensor2: Value, value: Value = 1, **options: Any) -> Any:
        for t, a, b, v in rows(self, tensor1, tensor2, value, options):
            _call(op + "_", t, a, b, value=v)
        return self

    _declare(name, made)
    _declare(name + "_", changed)


for _op in _EACH.split():
    _of_each(_op)
for _op in _WITH_OTHER.split():
    _with_other(_op)
for _op in _WITH_TWO.split():
    _with_two(_op)


def _lerp(self: Value, tensors1: Values, weight: Value) -> Any:
    ends = _partners(_tensors("_foreach_lerp", self), tensors1)
    return tuple([t.lerp(e, w) for t, e, w in zip(self, ends, _partners(self, weight), strict=True)])


def _lerp_(self: Value, tensors1: Values, weight: Value) -> Any:
    ends = _partners(_tensors("_foreach_lerp_", self), tensors1)
    for t, e, w in zip(self, ends, _partners(self, weight), strict=True):
        t.lerp_(e, w)
    return self


def _norm(self: Value, ord: Value = 2, dtype: Dtype = None) -> Any:  # noqa: A002
    norm = linalg["vector_norm"]
    return tuple([norm(t, ord, dtype=dtype) for t in _tensors("_foreach_norm", self)])


def _powsum(self: Value, ord: Value = 2, dtype: Dtype = None) -> Any:  # noqa: A002
    return tuple([t.abs().pow(ord).sum(dtype=dtype) for t in _tensors("_foreach_powsum", self)])


def _max(self: Value) -> Any:
    return tuple([t.max() for t in _tensors("_foreach_max", self)])


def _zero_(self: Value) -> Any:
    for t in _tensors("_foreach_zero_", self):
        t.zero_()
    return self


def _clone(self: Value, *, memory_format: MemoryFormat = None) -> Any:
    options = {} if memory_format is None else {"memory_format": memory_format}
    return tuple([t.clone(**options) for t in _tensors("_foreach_clone", self)])


def _copy_(self: Value, src: Value, non_blocking: bool = False) -> Any:
    for t, s in zip(self, _partners(_tensors("_foreach_copy_", self), src), strict=True):
        t.copy_(s)
    return self


def _mm(self: Value, mat2: Value) -> Any:
    return tuple([t.mm(m) for t, m in zip(self, _partners(_tensors("_foreach_mm", self), mat2), strict=True)])


for _function in (_lerp, _lerp_, _norm, _powsum, _max, _zero_, _clone, _copy_, _mm):
    _declare(f"_foreach{_function.__name__}", _function)


def group_by_dtype(lists: Sequence[Sequence[Any]], with_indices: bool = False) -> dict[Any, Any]:
    """Group lists of tensors by device and dtype of the first list's tensors."""
    found: dict[Any, Any] = {}
    for i, row in enumerate(zip(*lists, strict=True)):
        first = next(t for t in row if t is not None)
        columns, indices = found.setdefault((first.device, first.dtype), ([[] for _ in lists], []))
        for column, t in zip(columns, row, strict=True):
            column.append(t)
        indices.append(i)
    return found if with_indices else {key: (columns, []) for key, (columns, _) in found.items()}
