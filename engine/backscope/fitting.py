"""Cuts what is told of a program to what the protocol holds: names, texts, stacks, lists, and events as a whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from backscope import bounds, events as ev

_Struct = TypeVar("_Struct", bound=msgspec.Struct)

_SMALL = 1000
"""Bytes up to which no text and no list of an event that was encoded is too long; its numbers are the engine's own."""

_SUSPECT = 4 * bounds.ITEMS
"""Bytes up to which no list of a line of JSON is too long, and no line is."""

_GEOMETRY = frozenset({"shape", "strides", "reduced_from"})

_SHORTEST = 100
"""Characters that a text may have however little room there is."""


def cut(text: str, most: int) -> str:
    """A text of at most so many characters, which says how many were left out."""
    if len(text) <= most:
        return text
    kept = max(most - 40, 0)
    return f"{text[:kept]}... ({len(text) - kept:,} characters left out)"[:most]


def clean(text: str) -> str:
    """A text as JSON can carry it: lone surrogates are escaped."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def bounded(text: str) -> str:
    """A name of the program's within bounds."""
    return cut(clean(text), bounds.CHARACTERS)


def fit(told: _Struct, share: int = 1) -> _Struct:
    """The same struct where it keeps within all bounds, divided by `share`; else one with what fits."""
    changed: dict[str, Any] = {}
    owner = type(told).__name__
    for field in told.__struct_fields__:
        value = getattr(told, field)
        fitted = _fit(value, owner, field, share)
        if fitted is not value:
            changed[field] = fitted
    if "frames_left_out" in told.__struct_fields__:
        stack = "stack" if "stack" in told.__struct_fields__ else "traceback"
        missing = len(getattr(told, stack)) - len(changed.get(stack, getattr(told, stack)))
        if missing:
            changed["frames_left_out"] = told.frames_left_out + missing  # type: ignore[attr-defined]
    return msgspec.structs.replace(told, **changed) if changed else told


def _fit(value: Any, owner: str, field: str, share: int) -> Any:
    kind = value.__class__
    if kind is str:
        if field == "source":
            return clean(value)
        return cut(clean(value), max(bounds.characters(field) // share, _SHORTEST))
    if kind is int:
        if field == bounds.UNBOUNDED:
            return value
        low, high = bounds.NUMBERS.get(field, bounds.INT64)
        return value if low <= value <= high else min(max(value, low), high)
    if kind is list:
        most = bounds.items(owner, field)
        # A value's geometry is short, and nothing without all of it.
        kept = _some(value, field, most if field in _GEOMETRY else most // share)
        fitted = [_fit(item, owner, field, share) for item in kept]
        return value if len(fitted) == len(value) and all(map(_same, fitted, value)) else fitted
    if kind is dict:
        most = bounds.items(owner, field) // share
        pairs = [
            (_fit(key, owner, field, share), _fit(item, owner, field, share))
            for key, item in list(value.items())[:most]
        ]
        same = len(pairs) == len(value) and all(
            a is b and c is d for (a, c), (b, d) in zip(pairs, value.items(), strict=True)
        )
        return value if same else dict(pairs)
    if isinstance(value, msgspec.Struct):
        return fit(value, share)
    return value


def _same(one: Any, other: Any) -> bool:
    return one is other


def _some(items: list[Any], field: str, most: int) -> list[Any]:
    if len(items) <= most:
        return items
    if field == "traceback" and most > 1:  # What began a stack, and where it ended.
        return [items[0], *items[1 - most :]]
    return items[-most:] if field == "stack" else items[:most]


def encode(event: ev.Event) -> bytes:
    """An event as a line of JSON within bounds, without the newline; `finish` sees to its size with its values."""
    try:
        line = ev.encode(event)
    except (UnicodeError, OverflowError):
        return ev.encode(fit(event))
    if len(line) > _SMALL:
        fitted = fit(event)
        if fitted is not event:
            return ev.encode(fitted)
    return line


def finish(events: bytes) -> bytes:
    """Encoded events, a line each, where none is larger than a server takes."""
    if len(events) <= _SUSPECT:
        return events
    lines = events.split(b"\n")
    for i, line in enumerate(lines):
        if len(line) > _SUSPECT:
            lines[i] = shrunk(line, ev.decode, ev.encode)
    return b"\n".join(lines)


def shrunk(line: bytes, decode: Callable[[bytes], Any], encode: Callable[[Any], bytes]) -> bytes:
    """A line of JSON within bounds that is not too long as a whole: the more room it needs, the less of it stays."""
    told = decode(line)
    share = 1
    while True:
        fitted = fit(told, share)
        if fitted is not told:
            line = encode(fitted)
        if len(line) <= bounds.EVENT_BYTES or isinstance(told, ev.ProgramStarted) or share > bounds.ITEMS:
            return line
        share *= 2
