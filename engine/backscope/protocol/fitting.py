"""Cuts events to the bounds of the protocol: names, texts, stacks, lists, and events as a whole."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from backscope.protocol import events as ev, field_bounds

_Struct = TypeVar("_Struct", bound=msgspec.Struct)

_SMALL = 1000
"""Bytes up to which no text and no list of an event that was encoded is too long; its numbers are the engine's own."""

_SUSPECT = 4 * field_bounds.ITEMS
"""Bytes up to which no list of a line of JSON is too long, and no line is."""

_COUNTED = {"traceback": "frames_left_out", "stack": "frames_left_out", "variables": "omitted"}
"""Lists that were cut, and the field that counts the items left out."""

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
    return cut(clean(text), field_bounds.CHARACTERS)


def fit(told: _Struct, share: int = 1) -> _Struct:
    """The same struct where it keeps within all bounds, divided by `share`; else one with what fits."""
    changed: dict[str, Any] = {}
    owner = type(told).__name__
    for field in told.__struct_fields__:
        value = getattr(told, field)
        fitted = _fit(value, owner, field, share)
        if fitted is not value:
            changed[field] = fitted
    for field, count in _COUNTED.items():
        if field in changed and count in told.__struct_fields__:
            missing = len(getattr(told, field)) - len(changed[field])
            changed[count] = changed.get(count, getattr(told, count)) + missing
    return msgspec.structs.replace(told, **changed) if changed else told


def _fit(value: Any, owner: str, field: str, share: int) -> Any:
    kind = value.__class__
    if kind is str:
        if field == "source":
            return clean(value)
        return cut(clean(value), max(field_bounds.characters(field) // share, _SHORTEST))
    if kind is int:
        if field == field_bounds.UNBOUNDED:
            return value
        low, high = field_bounds.NUMBERS.get(field, field_bounds.INT64)
        return value if low <= value <= high else min(max(value, low), high)
    if kind is list:
        most = field_bounds.items(owner, field)
        # A value's geometry is short, and nothing without all of it.
        kept = _some(value, field, most if field in _GEOMETRY else most // share)
        fitted = [_fit(item, owner, field, share) for item in kept]
        return value if len(fitted) == len(value) and all(map(_same, fitted, value)) else fitted
    if kind is dict:
        most = field_bounds.items(owner, field) // share
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
    if max(map(len, lines)) <= _SUSPECT:
        return events
    for i, line in enumerate(lines):
        if len(line) > _SUSPECT:
            lines[i] = shrunk(ev.decode(line))
    return b"\n".join(lines)


def shrunk(told: msgspec.Struct) -> bytes:
    """An event or an answer as a line of JSON within bounds: the more room it needs, the less of it stays."""
    share = 1
    while True:
        line = ev.encode(fit(told, share))
        if len(line) <= field_bounds.EVENT_BYTES or isinstance(told, ev.ProgramStarted) or share > field_bounds.ITEMS:
            return line
        share *= 2
