"""Which element a NaN or an infinity begins in, and from which numbers: `element [1, 0, 0]: 0 / 0`."""

from __future__ import annotations

import math

from backscope.diagnosis.why import Tape
from backscope.diagnosis.why.answer import element
from backscope.diagnosis.why.backward_effect import numeral
from backscope.protocol import events as ev
from backscope_server.terminal.written import POINTWISE, is_reversed, name_of, sign_of


def first_bad(value: ev.Summary) -> list[int] | None:
    """The place of the first element that is not finite, among those that are known; NaN comes before infinity."""
    marks = [_mark(one) for one in value.values]
    at = marks.index("NaN") if "NaN" in marks else next((i for i, mark in enumerate(marks) if mark), None)
    if at is None:
        return None
    place: list[int] = []
    for dim in reversed(value.shape):
        place.insert(0, at % dim)
        at //= dim
    return place


def place_words(value: ev.Summary) -> str:
    """`, at element [1, 0, 0]`, where a value has more than one; empty where its place is not known."""
    place = first_bad(value)
    return "" if place is None or math.prod(value.shape) == 1 else f", at element {place}"


def making(tape: Tape, op: ev.OpApplied, result: ev.Summary) -> str | None:
    """What made that element, in the numbers of the op's inputs; None where no one element of each did."""
    place = first_bad(result)
    if place is None:
        return None
    given = [a for a in op.inputs if a.tensor is not None or a.name in ("self", "other", "exponent")]
    operands = [_operand(tape, a, op.seq, place) for a in given]
    shown = [one for one in operands if one is not None]
    if not shown or len(shown) != len(operands):
        return None
    left, *more = reversed(shown) if is_reversed(op.op) else shown
    sign = (sign_of(op.op) or "").replace("=", "") if sign_of(op.op) not in ("==", "<=", ">=", "!=") else ""
    if len(more) == 1 and sign and sign != "@":
        first = f"({left})" if sign == "**" and left.startswith("-") else left
        return f"{first} {sign} {f'({more[0]})' if more[0].startswith('-') else more[0]}"
    name = name_of(op.op).rstrip("_")
    return f"{name}({left})" if not more and name in POINTWISE else None


def _operand(tape: Tape, argument: ev.Argument, seq: int, place: list[int]) -> str | None:
    """An operand's element at a place of the result, over which it may be broadcast."""
    if argument.tensor is None:
        return numeral(argument.text)
    value = tape.value(argument.tensor, seq - 1)
    if value is None or len(value.shape) > len(place) or value.nan_count + value.inf_count > 0:
        return None
    flat = 0
    for dim, at in zip(value.shape, place[len(place) - len(value.shape) :], strict=True):
        if dim != 1 and at >= dim:
            return None
        flat = flat * dim + (0 if dim == 1 else at)
    return element(value.values[flat]) if flat < len(value.values) else None


def _mark(value: object) -> str:
    """`NaN` or `Inf` for an element that is not finite, else nothing."""
    parts = value if isinstance(value, (list, tuple)) else [value]
    told = [_kind(part) for part in parts]
    return "NaN" if "NaN" in told else "Inf" if "Inf" in told else ""


def _kind(value: object) -> str:
    if isinstance(value, str):
        return "NaN" if value == "NaN" else "Inf"
    if not isinstance(value, float) or math.isfinite(value):
        return ""
    return "NaN" if math.isnan(value) else "Inf"
