"""Elementwise extremes of two, and clamping between bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.ops.core.arguments.number_casts import check_number
from backscope.ops.core.declaration import A, V, primitives, xp
from backscope.ops.core.elementwise import NUMBERS, elementwise
from backscope.ops.core.namespace import export
from backscope.ops.pointwise.arithmetic import like, promoted
from backscope.runtime.given import Value
from backscope.tensor.dtype import C_NAMES, dtype, of_number
from backscope.tensor.strides import arranged
from backscope.tensor.tensor import Tensor


def _extreme(name: str, symbol: str, function: Callable[..., Any], larger: bool) -> None:
    """Declare maximum or minimum: the gradient goes to the larger (or smaller) value, half of it to each at a tie."""
    word, relation, opposite = ("larger", r"\ge", r"\le") if larger else ("smaller", r"\le", r"\ge")

    def forward(self: A, other: A) -> A:
        return function(self, other)

    def share(g: V, self: V, other: V) -> V:
        lost = self < other if larger else self > other
        tied = self == other
        if tied.ndim > 1 and not isinstance(tied, Tensor):
            tied = arranged(tied, [self, other])
        return xp.cleared(xp.where(tied, g / 2, g), lost)

    def grad_other(g: V, self: V, other: V) -> V:
        return share(g, other, self)

    forward.__annotations__ = {"self": "A", "other": "A"}
    elementwise(
        name=name,
        symbol=symbol,
        inplace=False,
        latex={
            "self": rf"g \cdot [\text{{self}} {relation} \text{{other}}]",
            "other": rf"g \cdot [\text{{self}} {opposite} \text{{other}}]",
        },
        summary={
            "self": f"sends the incoming {{g}} where {{self}} is {word}, half of it at a tie",
            "other": f"sends the incoming {{g}} where {{other}} is {word}, half of it at a tie",
        },
    )(type(name, (), {"forward": forward, "grad_self": share, "grad_other": grad_other}))


_extreme("maximum", "max", np.maximum, True)
_extreme("minimum", "min", np.minimum, False)


def _extreme_without_nan(name: str, symbol: str, function: Callable[..., Any], larger: bool) -> None:
    """Declare fmax or fmin: at a tie the first value gets all of the gradient, beside a NaN the other value does."""
    word, relation, opposite = ("larger", r"\ge", "<") if larger else ("smaller", r"\le", ">")

    def forward(self: A, other: A) -> A:
        return function(self, other)

    def first(self: V, other: V) -> V:
        return ((self >= other) if larger else (self <= other)) | xp.isnan(other)

    def grad_self(g: V, self: V, other: V) -> V:
        return xp.where(first(self, other), g, 0)

    def grad_other(g: V, self: V, other: V) -> V:
        return xp.where(first(self, other), 0, g)

    forward.__annotations__ = {"self": "A", "other": "A"}
    elementwise(
        name=name,
        symbol=symbol,
        inplace=False,
        latex={
            "self": rf"g \cdot [\text{{self}} {relation} \text{{other}}]",
            "other": rf"g \cdot [\text{{self}} {opposite} \text{{other}}]",
        },
        summary={
            "self": f"sends the incoming {{g}} where {{self}} is {word}, and all of it at a tie",
            "other": f"sends the incoming {{g}} where {{other}} is {word}",
        },
    )(type(name, (), {"forward": forward, "grad_self": grad_self, "grad_other": grad_other}))


_extreme_without_nan("fmax", "fmax", np.fmax, True)
_extreme_without_nan("fmin", "fmin", np.fmin, False)


def limited(value: A, low: A | None, high: A | None) -> A:
    """Clamp a value to low and high; NaN stays NaN."""
    if low is not None:
        value = np.maximum(low, value)  # In this order -0 is unchanged.
    return value if high is None else np.minimum(high, value)


def _bound(number: Value, value: A) -> A:
    """Convert a number to a bound in the type of a value; RuntimeError where that can't hold it."""
    check_number(number, dtype.table[value.dtype])
    return like(number, value)


@elementwise(
    name="clamp",
    grad_fn="ClampBackward1",
    exported=False,
    promotes=True,
    symbol="clamp",
    latex={"self": r"g \cdot [\text{min} \le \text{self} \le \text{max}]"},
    summary={"self": "sends the incoming {g} where {self} is within the bounds, 0 elsewhere"},
)
class clamp_numbers:
    """self limited to min and max, numbers or None."""

    def forward(self: A, min: Value = None, max: Value = None) -> A:  # noqa: A002
        low = None if min is None else _bound(min, self)
        return limited(self, low, None if max is None else _bound(max, self))

    def grad_self(g: V, self: V, min: V, max: V) -> V:  # noqa: A002
        if min is None:
            return xp.where(self <= max, g, 0)
        return xp.where(self >= min if max is None else (self >= min) & (self <= max), g, 0)


@elementwise(
    name="clamp_tensors",
    grad_fn="ClampBackward0",
    exported=False,
    symbol="clamp",
    latex={
        "self": r"g \cdot [\text{min} \le \text{self} \le \text{max}]",
        "min": r"g \cdot [\text{self} < \text{min}]",
        "max": r"g \cdot [\text{self} > \text{max}]",
    },
    summary={
        "self": "sends the incoming {g} where {self} is within the bounds, 0 elsewhere",
        "min": "sends the incoming {g} to {min} where {self} is below it",
        "max": "sends the incoming {g} to {max} where {self} is above it",
    },
)
class clamp_tensors:
    """self limited to min and max, tensors or None."""

    def forward(self: A, min: A | None, max: A | None) -> A:  # noqa: A002
        return limited(self, min, max)

    def grad_self(g: V, self: V, min: V, max: V) -> V:  # noqa: A002
        if min is None:
            return xp.where(self <= max, g, 0)
        return xp.where(self >= min if max is None else (self >= min) & (self <= max), g, 0)

    def grad_min(g: V, self: V, min: V, max: V) -> V:  # noqa: A002
        below = self < min
        return xp.where(below if max is None else below & (min < max), g, 0)

    def grad_max(g: V, self: V, min: V, max: V) -> V:  # noqa: A002
        above = self > max
        return xp.where(above if min is None else above | (max < min), g, 0)


@elementwise(
    name="clamp_min",
    grad_fn="ClampMinBackward0",
    exported=False,
    promotes=True,
    symbol="clamp min",
    latex={"self": r"g \cdot [\text{self} \ge \text{min}]"},
    summary={"self": "sends the incoming {g} where {self} is at least {min}, 0 elsewhere"},
)
class clamp_min_number:
    """self, at least min, a number."""

    def forward(self: A, min: Value) -> A:  # noqa: A002
        return np.maximum(_bound(min, self), self)

    def grad_self(g: V, self: V, min: V) -> V:  # noqa: A002
        return xp.where(self >= min, g, 0)


@elementwise(
    name="clamp_min_tensor",
    grad_fn="ClampMinBackward1",
    exported=False,
    symbol="clamp min",
    latex={"self": r"g \cdot [\text{self} \ge \text{min}]", "min": r"g \cdot [\text{self} < \text{min}]"},
    summary={
        "self": "sends the incoming {g} where {self} is at least {min}, 0 elsewhere",
        "min": "sends the incoming {g} to {min} where {self} is below it",
    },
)
class clamp_min_tensor:
    """self, at least min, another tensor."""

    def forward(self: A, min: A) -> A:  # noqa: A002
        return np.maximum(self, min)

    def grad_self(g: V, self: V, min: V) -> V:  # noqa: A002
        return xp.where(self >= min, g, 0)

    def grad_min(g: V, self: V, min: V) -> V:  # noqa: A002
        return xp.where(self >= min, 0, g)


@elementwise(
    name="clamp_max",
    grad_fn="ClampMaxBackward0",
    exported=False,
    promotes=True,
    symbol="clamp max",
    latex={"self": r"g \cdot [\text{self} \le \text{max}]"},
    summary={"self": "sends the incoming {g} where {self} is at most {max}, 0 elsewhere"},
)
class clamp_max_number:
    """self, at most max, a number."""

    def forward(self: A, max: Value) -> A:  # noqa: A002
        return np.minimum(_bound(max, self), self)

    def grad_self(g: V, self: V, max: V) -> V:  # noqa: A002
        return xp.where(self <= max, g, 0)


@elementwise(
    name="clamp_max_tensor",
    grad_fn="ClampMaxBackward1",
    exported=False,
    symbol="clamp max",
    latex={"self": r"g \cdot [\text{self} \le \text{max}]", "max": r"g \cdot [\text{self} > \text{max}]"},
    summary={
        "self": "sends the incoming {g} where {self} is at most {max}, 0 elsewhere",
        "max": "sends the incoming {g} to {max} where {self} is above it",
    },
)
class clamp_max_tensor:
    """self, at most max, another tensor."""

    def forward(self: A, max: A) -> A:  # noqa: A002
        return np.minimum(self, max)

    def grad_self(g: V, self: V, max: V) -> V:  # noqa: A002
        return xp.where(self <= max, g, 0)

    def grad_max(g: V, self: V, max: V) -> V:  # noqa: A002
        return xp.where(self <= max, 0, g)


def _clamp_op(low: Value, high: Value) -> Any:
    if low is None and high is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    return primitives["clamp_tensors" if isinstance(low, Tensor) or isinstance(high, Tensor) else "clamp"]


@export("clamp", "clip")
def _clamp(input: Tensor, min: Value = None, max: Value = None) -> Any:  # noqa: A002
    """input limited to min and max, numbers or tensors; at least one of them is given."""
    op = _clamp_op(min, max)
    if op.name == "clamp_tensors":
        return op.slow(input, min, max)
    for bound in (min, max):
        if bound is not None:
            input = promoted(input, bound)  # noqa: A001
    return op.call(input, min, max)


@export("clamp_", "clip_", function=False)
def _clamp_in_place(self: Tensor, min: Value = None, max: Value = None) -> Any:  # noqa: A002
    """Limit to min and max in place."""
    for bound in (min, max):
        check_limit(self, bound)
    return _clamp_op(min, max).call_in_place(self, min, max)


def check_limit(target: Tensor, bound: Value) -> None:
    """Raise RuntimeError where an in-place clamp would need a wider type than the tensor's."""
    if isinstance(bound, NUMBERS) and of_number(bound).category > target._dtype.category:
        raise RuntimeError(
            f"result type {of_number(bound).type_name} can't be cast to the desired output type "
            f"{C_NAMES[target._dtype.name]}"
        )


def _publish_one_sided(name: str) -> None:
    def clamp(input: Tensor, bound: Value) -> Any:  # noqa: A002
        if isinstance(bound, Tensor):
            return primitives[name + "_tensor"].slow(input, bound)
        return primitives[name].call(promoted(input, bound), bound)

    def clamp_in_place(self: Tensor, bound: Value) -> Any:
        return primitives[name + "_tensor" if isinstance(bound, Tensor) else name].call_in_place(self, bound)

    word = name[-3:]
    for function, suffix in ((clamp, ""), (clamp_in_place, "_")):
        renamed = _with_keyword(function, word)
        renamed.__doc__ = f"Limited to {word}, a number or a tensor{', in place' if suffix else ''}."
        export(name + suffix, function=not suffix)(renamed)


def _with_keyword(function: Callable[..., Any], word: str) -> Any:
    def call(input: Tensor, *args: Any, **kwargs: Any) -> Any:  # noqa: A002
        return function(input, *args, *([kwargs.pop(word)] if word in kwargs else []), **kwargs)

    return call


_publish_one_sided("clamp_min")
_publish_one_sided("clamp_max")
