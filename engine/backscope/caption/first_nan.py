"""The first element that is NaN or infinite, and the numbers that it comes from: `element [1, 0, 0]: 0 ÷ 0`."""

from __future__ import annotations

import math
import re

from backscope.caption.expression import is_reversed, power
from backscope.caption.number import MINUS, element, is_bad, numeral, shape
from backscope.caption.state import State
from backscope.protocol import events as ev
from backscope.protocol.op_names import is_power, name_of, sign_of
from backscope.protocol.sentences import say, tables

_POINTWISE = frozenset(tables()["written"]["pointwise"])
_INFINITE = re.compile(r"-?(inf|float\(.-?inf.\))")


def first_bad_place(value: ev.Summary) -> list[int] | None:
    """Return the indices of the first known element that is NaN, or else of the first that is infinite."""
    marks = [[_mark(part) for part in (one if isinstance(one, (list, tuple)) else [one])] for one in value.values]
    at = next((i for i, parts in enumerate(marks) if "NaN" in parts), None)
    if at is None:
        at = next((i for i, parts in enumerate(marks) if any(parts)), None)
    if at is None:
        return None
    place: list[int] = []
    for dim in reversed(value.shape):
        at, rest = divmod(at, dim)
        place.insert(0, rest)
    return place


def place_words(value: ev.Summary) -> str:
    """Return `, at element [1, 0, 0]` for a value with several elements; empty if the place is not known."""
    place = first_bad_place(value)
    return "" if place is None or all(dim == 1 for dim in value.shape) else say("non_finite.at", place=shape(place))


def asked_infinity(event: ev.OpApplied) -> str | None:
    """Return the infinity that an op has as an argument, as the `value` of `masked_fill`, `−Inf`; None without one."""
    texts = (one.text for one in event.inputs if one.tensor is None and one.text is not None)
    text = next((one for one in texts if _INFINITE.fullmatch(one)), None)
    return None if text is None else f"{MINUS if '-' in text else ''}Inf"


def making(event: ev.OpApplied, result: ev.Summary, state: State) -> str | None:
    """Return the computation of that element with numbers; None unless one element of each input made it."""
    place = first_bad_place(result)
    if place is None:
        return None
    given = [one for one in event.inputs if one.tensor is not None or one.name in ("other", "self", "exponent")]
    known = [_operand_at(one, place, len(result.shape), state) for one in given]
    operands = [one for one in known if one is not None]
    if not operands or len(operands) != len(known):
        return None
    left, *more = reversed(operands) if is_reversed(event.op) else operands
    sign = (sign_of(event.op) or "").replace("=", "", 1)
    if len(more) == 1 and is_power(event.op):
        return power(more[0], _bracketed(left))
    if len(more) == 1 and sign and sign not in ("@", "·"):
        return f"{left} {sign} {_bracketed(more[0])}"
    name = name_of(event.op).removesuffix("_")
    return f"{name}({left})" if not more and name in _POINTWISE else None


def _operand_at(given: ev.Argument, place: list[int], dims: int, state: State) -> str | None:
    """Return an operand's element at a place of the result, to whose shape it may be broadcast."""
    if given.tensor is None:
        return numeral(given.text)
    series = state.run.values.get(given.tensor)
    held = None if series is None else series.at(state.seq - 1) or series.at(state.seq)
    if held is None or len(held.shape) > dims or is_bad(held):
        return None
    flat = 0
    for dim, at in zip(held.shape, place[dims - len(held.shape) :], strict=True):
        if dim != 1 and at >= dim:
            return None
        flat = flat * dim + (0 if dim == 1 else at)
    return element(held.values[flat], held.dtype) if flat < len(held.values) else None


def _bracketed(text: str) -> str:
    return f"({text})" if text.startswith(MINUS) else text


def _mark(part: object) -> str:
    """`NaN` or `Infinity` for a number that is not finite, else nothing."""
    if isinstance(part, str):
        return part
    if not isinstance(part, float) or math.isfinite(part):
        return ""
    return "NaN" if math.isnan(part) else "Infinity"
