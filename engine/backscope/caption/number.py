"""Writes numbers, bytes, shapes and small tensors for captions, as the page does."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal

from backscope.protocol import events as ev

MINUS = "−"
_WORDS = {"NaN": "NaN", "Infinity": "Inf", "-Infinity": f"{MINUS}Inf"}
_FOUR_DIGITS = Context(prec=4, rounding=ROUND_HALF_UP)
_AN = re.compile(r"8\d*|(11|18)(\d{3})*", re.ASCII)
"""Numbers that are spoken with a vowel first: all that begin with eight, eleven and eighteen with their thousands."""
_NUMBER = re.compile(r"-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII)
_UNITS = ("B", "KB", "MB", "GB", "TB")


def _trimmed(digits: str) -> str:
    return re.sub(r"\.?0+$", "", digits) if "." in digits else digits


def number(value: ev.Number) -> str:
    """Return a number with four significant digits and a true minus; scientific from 1e5 and below 1e-3."""
    if isinstance(value, str):
        return _WORDS[value]
    size = abs(float(value))
    if math.isnan(size):
        return "NaN"
    sign = MINUS if value < 0 else ""
    if math.isinf(size):
        return f"{sign}Inf"
    if size < 1e5 and size.is_integer():
        return f"{sign if size else ''}{int(size)}"
    rounded = float(_FOUR_DIGITS.create_decimal(Decimal(size)))
    if 1e-3 <= rounded < 1e5:
        return f"{sign}{repr(rounded).removesuffix('.0')}"
    mantissa, exponent = f"{rounded:.3e}".split("e")
    return f"{sign}{_trimmed(mantissa)}e{str(int(exponent)).replace('-', MINUS)}"


def numeral(text: str | None) -> str | None:
    """Return the text of an argument that is a plain number, with four significant digits; None for any other text."""
    return number(float(text)) if text is not None and _NUMBER.fullmatch(text) else None


def amount(count: int) -> str:
    """Return bytes in units of 1024: `4 B`, `1.2 KB`, `3 MB`."""
    size, unit = float(count), 0
    while size >= 1000 and unit < len(_UNITS) - 1:
        size, unit = size / 1024, unit + 1
    places = Decimal(1) if unit == 0 or size >= 99.95 else Decimal("0.1")
    return f"{_trimmed(str(Decimal(size).quantize(places, ROUND_HALF_UP)))} {_UNITS[unit]}"


def held_bytes(saved: Iterable[ev.SavedTensor | ev.BufferFreed]) -> int:
    """Return the bytes of what a node saves or frees; tensors in one storage count once."""
    largest: dict[int, int] = {}
    for one in saved:
        largest[one.storage] = max(one.nbytes, largest.get(one.storage, 0))
    return sum(largest.values())


def shape(dims: Sequence[int]) -> str:
    """Return a shape as PyTorch writes it in a list: `[64, 128]`."""
    return f"[{', '.join(map(str, dims))}]"


def takes_an(dims: Sequence[int]) -> bool:
    """Return True if a shape takes `an`, by the sound of its first number: `an [8, 4] tensor`."""
    return bool(dims) and _AN.fullmatch(str(dims[0])) is not None


def element(value: ev.Element, dtype: str) -> str:
    """Return the text of an element of a tensor: a number, a truth value or a complex number, by the dtype."""
    if isinstance(value, (list, tuple)):
        real, imaginary = (number(part) for part in value)
        return f"{real}{MINUS if imaginary.startswith(MINUS) else '+'}{imaginary.replace(MINUS, '', 1)}i"
    if dtype.endswith("bool"):
        return "True" if value else "False"
    return number(value)


def values(summary: ev.Summary, most: int) -> str | None:
    """Return the elements of a small tensor in brackets, None if they would take more than `most` characters."""
    count = math.prod(summary.shape)
    if not 0 < count <= most or count != len(summary.values):
        return None
    parts = [element(value, summary.dtype) for value in summary.values]
    for dim in reversed(summary.shape):
        parts = [f"[{', '.join(parts[at : at + dim])}]" for at in range(0, len(parts), dim)]
    return parts[0] if len(parts[0]) <= most else None


def is_bad(value: ev.Summary) -> bool:
    """Return True if a value has an element that is not finite."""
    return value.nan_count > 0 or value.inf_count > 0
