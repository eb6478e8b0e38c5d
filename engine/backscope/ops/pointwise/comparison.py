"""Comparisons, logical ops and where."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.autograd.transforms.transform_refusals import NO_ALLCLOSE, refuse_dynamic, refuse_reading
from backscope.ops.core.declaration import A, K, V, primitives, xp
from backscope.ops.core.elementwise import NUMBERS, elementwise
from backscope.ops.core.namespace import export, torch_functions
from backscope.ops.pointwise.arithmetic import like, pick
from backscope.runtime.given import Value
from backscope.runtime.warning import warn_once
from backscope.tensor.dtype import bool_, dtype
from backscope.tensor.meta import no_item, refuse_meta
from backscope.tensor.strides import arranged
from backscope.tensor.tensor import Tensor, of_raw


def _compare(name: str, symbol: str, function: Callable[..., Any], names: tuple[str, ...] = ()) -> None:
    ordered = name in ("lt", "le", "gt", "ge")

    def forward(self: A, other: A) -> A:
        if ordered and self.dtype.kind == "c":
            kind = dtype.table[self.dtype].type_name
            raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{kind}'")
        if name.startswith("bitwise") and self.dtype.kind in "fcV":
            raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{dtype.table[self.dtype].type_name}'")
        return function(self, other)

    forward.__annotations__ = {"self": "A", "other": "A"}
    elementwise(result="bool", symbol=symbol, names=names, name=name)(type(name, (), {"forward": forward}))


def _compare_in_place(name: str) -> None:
    """Declare the in-place form of a comparison; its gradients are 0."""
    op = primitives[name]

    def grad(g: V) -> V:
        return xp.zeros_like(g)

    def forward_number(self: A, other: Value) -> A:
        if self.dtype.kind == "b" or (self.dtype.kind in "iu" and isinstance(other, float)):
            return op.forward(self, other)
        return op.forward(self, like(other, self))

    forward_number.__annotations__ = {"self": "A", "other": "Any"}
    title = name.capitalize()
    zero = {"self": "0", "other": "0"}
    words = dict.fromkeys(zero, "sends 0: a comparison is constant almost everywhere")
    for suffix, number, forward, inputs in (
        ("tensor", 1, op.forward, ("self", "other")),
        ("number", 0, forward_number, ("self",)),
    ):
        elementwise(
            name=f"{name}_{suffix}_",
            grad_fn=f"{title}Backward{number}",
            result="bool",
            symbol=op.symbol,
            exported=False,
            latex={k: zero[k] for k in inputs},
            summary={k: words[k] for k in inputs},
        )(type(name, (), {"forward": forward, **{f"grad_{k}": grad for k in inputs}}))

    def change(self: Tensor, other: Value) -> Any:
        suffix = "number" if isinstance(other, NUMBERS) else "tensor"
        return primitives[f"{name}_{suffix}_"].call_in_place(self, other)

    change.__name__ = change.__qualname__ = name + "_"
    change.__doc__ = f"Overwrite with 1 where {name} holds, with 0 elsewhere."
    export(name + "_", function=False)(change)


_compare("eq", "=", np.equal)
_compare("ne", "≠", np.not_equal, ("not_equal",))
_compare("lt", "<", np.less, ("less",))
_compare("le", "≤", np.less_equal, ("less_equal",))
_compare("gt", ">", np.greater, ("greater",))
_compare("ge", "≥", np.greater_equal, ("greater_equal",))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    _compare_in_place(_name)
for _alias, _name in (
    ("not_equal", "ne"),
    ("less", "lt"),
    ("less_equal", "le"),
    ("greater", "gt"),
    ("greater_equal", "ge"),
):
    setattr(Tensor, _alias + "_", getattr(Tensor, _name + "_"))
_compare("logical_and", "and", np.logical_and)
_compare("logical_or", "or", np.logical_or)
_compare("logical_xor", "xor", np.logical_xor)
_compare("bitwise_and", "&", np.bitwise_and)
_compare("bitwise_or", "|", np.bitwise_or)
_compare("bitwise_xor", "^", np.bitwise_xor)


@elementwise(result="bool", symbol="not")
class logical_not:
    """True where self is zero."""

    def forward(self: A) -> A:
        return np.logical_not(self)


@elementwise(result="bool", symbol="~")
class bitwise_not:
    """Not for bools, the complement for integers."""

    def forward(self: A) -> A:
        if self.dtype.kind in "fcV":
            raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
        return ~self


def _finite(value: A) -> A:
    return value if value.dtype.kind in "fc" else np.asarray(value).astype(np.float64)


@elementwise(result="bool", symbol="isnan", inplace=False)
class isnan:
    """True where self is NaN."""

    def forward(self: A) -> A:
        return np.isnan(_finite(self))


@elementwise(result="bool", symbol="isinf", inplace=False)
class isinf:
    """True where self is infinite."""

    def forward(self: A) -> A:
        return np.isinf(_finite(self))


@elementwise(result="bool", symbol="isfinite", inplace=False)
class isfinite:
    """True where self is neither NaN nor infinite."""

    def forward(self: A) -> A:
        return np.isfinite(_finite(self))


@elementwise(
    name="where",
    exported=False,
    leading="condition",
    symbol="where",
    latex={"self": r"g \cdot [\text{condition}]", "other": r"g \cdot [\lnot\,\text{condition}]"},
    summary={
        "self": "sends the incoming {g} to {self} where the condition holds",
        "other": "sends the incoming {g} to {other} where the condition does not hold",
    },
)
class choose:
    """self where `condition`, else other."""

    def forward(self: A, other: A, condition: K = None) -> A:
        return pick(condition, self, other)

    def grad_self(g: V, condition: V) -> V:
        return xp.where(condition, g, 0)

    def grad_other(g: V, condition: V) -> V:
        return xp.where(condition, 0, g)


def _raw(condition: Value) -> Any:
    return condition._data if isinstance(condition, Tensor) else condition


def _where_value(condition: V, a: V, b: V) -> V:
    """where() for formulas: raw values stay raw and keep the type of the array among them."""
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        return primitives["where"].slow(a, b, condition)
    like = a if isinstance(a, (np.ndarray, np.generic)) else b
    condition = _raw(condition)
    found = np.where(condition, np.asarray(a, like.dtype), np.asarray(b, like.dtype))[()]
    return arranged(found, [condition, a, b]) if found.ndim > 1 else found


xp.where = _where_value


@export("where", method=False)
def _where(condition: Tensor, input: Value = None, other: Value = None) -> Any:  # noqa: A002
    """input where condition is true, else other; given the condition alone, the indices where it is true."""
    if input is None and other is None:
        refuse_dynamic(condition, "where")
        return condition.nonzero(as_tuple=True)  # type: ignore[attr-defined]
    if condition._dtype is not bool_ and condition._dtype.name != "uint8":
        raise RuntimeError(
            f"where expected condition to be a boolean tensor, but got a tensor with dtype {condition._dtype.type_name}"
        )
    if condition._dtype is not bool_:
        warn_once(
            "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future "
            "version of PyTorch. Use a boolean condition instead."
        )
    if isinstance(input, (bool, int, float, complex)) and not isinstance(other, Tensor):
        input = torch_functions["tensor"](input)  # noqa: A001
    return primitives["where"].slow(input, other, condition)


@export("where", function=False)
def _where_method(self: Tensor, condition: Tensor, other: Value) -> Any:
    """self where condition, else other."""
    return _where(condition, self, other)


@export()
def equal(input: Tensor, other: Tensor) -> bool:  # noqa: A002
    """True when both have the same shape and elements."""
    refuse_meta("equal", input)
    refuse_reading((input, other), "Batching rule not implemented for aten::equal. We could not generate a fallback.")
    return bool(input._data.shape == other._data.shape and np.array_equal(input._data, other._data))


@export()
def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Value:  # noqa: A002
    """True where |input - other| <= atol + rtol * |other|."""
    for name, bound in (("rtol", rtol), ("atol", atol)):
        if bound < 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {bound}")
    if input._dtype is not other._dtype:
        raise RuntimeError(f"{input._dtype.type_name} did not match {other._dtype.type_name}")
    found = of_raw(np.isclose(input._data, other._data, rtol, atol, equal_nan)[()])
    if rtol or atol:
        found._counter()[0] = 1  # PyTorch adds close elements to equal ones in place.
    return found


@export()
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:  # noqa: A002
    """Return True when isclose() is true everywhere."""
    if input.is_meta:
        raise no_item()
    refuse_reading((input, other), NO_ALLCLOSE)
    return bool(isclose(input, other, rtol, atol, equal_nan)._data.all())
