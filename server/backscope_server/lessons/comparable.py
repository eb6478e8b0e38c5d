"""Values of expressions as answers: what a reader types is compared with them."""

from __future__ import annotations

import ast
import math
import re
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from backscope.protocol.commands import Look

Number: TypeAlias = int | float | Literal["NaN", "Infinity", "-Infinity"]
Element: TypeAlias = Number | list[Number]
MOST_ELEMENTS = 256
"""The most elements of a tensor that is an answer: a recording has all elements up to there."""
TOLERANCE = 1e-4
"""How far two numbers may be apart, relative to the larger, where a lesson says nothing else."""

_SIZE = re.compile(r"torch\.Size\((\[.*\])\)")
_NON_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


class NotComparable(ValueError):
    """The error for a value that no reader can type; the text says what it is."""


class _Value(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class NumberValue(_Value):
    """A number, also of a tensor without dims."""

    kind: Literal["number"] = "number"
    number: Number


class TensorValue(_Value):
    """A tensor: its shape and its elements in row-major order, a complex one as a pair."""

    kind: Literal["tensor"] = "tensor"
    shape: list[int]
    elements: list[Element]


class NumbersValue(_Value):
    """Numbers in a row: a shape, a tuple, a list."""

    kind: Literal["numbers"] = "numbers"
    numbers: list[Number]


class NoneValue(_Value):
    """None."""

    kind: Literal["none"] = "none"


class BoolValue(_Value):
    """True or False, also of a tensor without dims."""

    kind: Literal["bool"] = "bool"
    bool: bool


class TextValue(_Value):
    """A text."""

    kind: Literal["text"] = "text"
    text: str


Value: TypeAlias = Annotated[
    NumberValue | TensorValue | NumbersValue | NoneValue | BoolValue | TextValue, Field(discriminator="kind")
]


def value_of(look: Look) -> Value:
    """Return the value that the program gave for an expression.

    Raises: NotComparable.
    """
    if (summary := look.value) is not None:
        if len(summary.values) < math.prod(summary.shape):
            raise NotComparable(f"a tensor of shape {summary.shape}; {MOST_ELEMENTS} elements are the most")
        if summary.shape == [] and not isinstance(summary.values[0], list):
            if summary.dtype.endswith("bool"):
                return BoolValue(bool=bool(summary.values[0]))
            return NumberValue(number=summary.values[0])
        return TensorValue(shape=summary.shape, elements=summary.values)
    text = look.text
    if look.type in ("float", "int") and text in _NON_FINITE:
        return NumberValue.model_validate({"number": _NON_FINITE[text]})
    if (size := _SIZE.fullmatch(text)) is not None:
        text = size[1]
    try:
        held = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        raise NotComparable(_of_type(look)) from None
    return _literal(held, look)


def _literal(held: Any, look: Look) -> Value:
    match held:
        case None:
            return NoneValue()
        case bool():
            return BoolValue(bool=held)
        case int() | float() if _is_number(held):
            return NumberValue(number=held)
        case str():
            return TextValue(text=held)
        case list() | tuple() if all(map(_is_number, held)):
            return NumbersValue(numbers=list(held))
    raise NotComparable(_of_type(look))


def _of_type(look: Look) -> str:
    """Return what a value is; its text too, if it is short and does not name an object of this machine."""
    of_type = f"of type {look.type}"
    return f"a value {of_type}" if len(look.text) > 60 or look.text.startswith("<") else f"{look.text} {of_type}"


def _is_number(held: Any) -> bool:
    """Return whether a value is a float, or an int that a float can be: others cannot be compared with numbers."""
    return type(held) is float or (type(held) is int and held.bit_length() < 1024)


def same(one: Value, other: Value, within: float | None = None) -> bool:
    """Return whether two values are the same answer; numbers may be `within` of each other, by default a rounding."""
    match one, other:
        case NumberValue(), NumberValue():
            return _close(one.number, other.number, within)
        case (TensorValue(), TensorValue()):
            return one.shape == other.shape and _all_close(one.elements, other.elements, within)
        case (NumbersValue(), NumbersValue()):
            return _all_close(one.numbers, other.numbers, within)
        case (TensorValue(), NumbersValue()):
            return len(one.shape) == 1 and _all_close(one.elements, other.numbers, within)
        case (NumbersValue(), TensorValue()):
            return same(other, one, within)
    return one == other


def _all_close(ones: list[Any], others: list[Any], within: float | None) -> bool:
    flat, like = _parts(ones), _parts(others)
    return len(flat) == len(like) and all(_close(a, b, within) for a, b in zip(flat, like, strict=True))


def _parts(elements: list[Any]) -> list[Number]:
    return [part for one in elements for part in (one if isinstance(one, list) else [one])]


def _close(one: Number, other: Number, within: float | None) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    apart = abs(one - other)
    return apart <= within if within is not None else apart <= TOLERANCE * max(abs(one), abs(other))


def written(value: Value) -> str:
    """Return a value as Python text, for messages."""
    match value:
        case NumberValue():
            return _short(value.number)
        case TensorValue():
            # Without elements a shape may have any size in its other dims.
            empty = "[]" if len(value.shape) == 1 else f"[], size=({', '.join(map(str, value.shape))})"
            return f"tensor({_nested(value.elements, value.shape) if value.elements else empty})"
        case NumbersValue():
            return f"[{', '.join(map(_short, value.numbers))}]"
        case BoolValue():
            return str(value.bool)
        case TextValue():
            return repr(value.text)
    return "None"


def _short(number: Number) -> str:
    return number if isinstance(number, str) else f"{number:.6g}"


def _nested(elements: list[Any], shape: list[int]) -> str:
    if not shape:
        one = elements[0]
        return f"({', '.join(map(_short, one))})" if isinstance(one, list) else _short(one)
    size = math.prod(shape[1:])
    rows = [_nested(elements[at * size : (at + 1) * size], shape[1:]) for at in range(shape[0])]
    return f"[{', '.join(rows)}]"
