"""Cuts events to the bounds of their types: names, texts, stacks, lists, and events as a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any, NamedTuple, TypeAlias, TypeVar

import msgspec
from msgspec import inspect

from backscope.protocol import events as ev
from backscope.protocol.field_types import CHARACTERS, EVENT_BYTES, ITEMS, KEEP_ALL, KEEP_ENDS, KEEP_LAST

_Struct = TypeVar("_Struct", bound=msgspec.Struct)

_SMALL = 1000
"""An encoded event of at most so many bytes has no text or list that is too long; its numbers are within bounds."""

_SUSPECT = 4 * ITEMS
"""A line of JSON of at most so many bytes is not too long, and has no list that is."""

_SHORTEST = 100
"""The characters of a text that are always kept."""

Fit: TypeAlias = Callable[[Any, int], Any]
"""Returns a value that is within its bounds divided by a share, else the part of it that fits."""
Fits: TypeAlias = Mapping[type, Fit]
"""The functions that fit the values of a field, by the class of a value; other classes have no bounds."""


def cut(text: str, most: int) -> str:
    """Cut a text to at most so many characters, and add how many were left out."""
    if len(text) <= most:
        return text
    kept = max(most - 40, 0)
    return f"{text[:kept]}... ({len(text) - kept:,} characters left out)"[:most]


def clean(text: str) -> str:
    """Escape lone surrogates, which JSON cannot represent."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def bounded(text: str) -> str:
    """Return a name of the program within the bounds of a Name."""
    return cut(clean(text), CHARACTERS)


def _fits(described: inspect.Type, extra: Mapping[str, Any]) -> Fits:
    """Return the functions that fit values of a type, which msgspec describes with the `extra` of its annotation."""
    if isinstance(described, inspect.Metadata):
        return _fits(described.type, described.extra or {})
    if isinstance(described, inspect.UnionType):
        return {kind: fit for option in described.types for kind, fit in _fits(option, extra).items()}
    if isinstance(described, inspect.IntType):
        return _number(described.ge, described.le)
    if isinstance(described, inspect.StrType):
        return {str: _text(_most(described), extra)}
    if isinstance(described, inspect.ListType):
        return {list: _list(_fits(described.item_type, {}), _most(described), extra)}
    if isinstance(described, inspect.DictType):
        return {dict: _dict(_fits(described.key_type, {}), _fits(described.value_type, {}), _most(described))}
    if isinstance(described, inspect.StructType):
        kind = described.cls
        return {kind: fit, dict: lambda value, share: _fit_json(value, kind, share)}
    return {}


def _most(described: inspect.StrType | inspect.ListType | inspect.DictType) -> int:
    """Return how many characters or items a value of this type may have."""
    assert described.max_length is not None, described
    return described.max_length


def _number(least: int | None, most: int | None) -> Fits:
    if least is None or most is None:
        return {}

    def fit_number(value: int, share: int) -> int:
        return value if least <= value <= most else min(max(value, least), most)

    return {int: fit_number}


def _text(most: int, extra: Mapping[str, Any]) -> Fit:
    if extra.items() >= KEEP_ALL.items():
        return lambda text, share: clean(text)
    return lambda text, share: cut(clean(text), max(most // share, _SHORTEST))


def _list(fits: Fits, most: int, extra: Mapping[str, Any]) -> Fit:
    keep = extra.items()
    whole, ends, last = (keep >= policy.items() for policy in (KEEP_ALL, KEEP_ENDS, KEEP_LAST))

    def fit_list(items: list[Any], share: int) -> list[Any]:
        room = most if whole else most // share
        kept = items
        if len(items) > room:
            if ends and room > 1:
                kept = [items[0], *items[1 - room :]]
            else:
                kept = items[-room:] if last else items[:room]
        fitted = [_fitted(item, fits, share) for item in kept]
        return items if len(fitted) == len(items) and all(map(_same, fitted, items)) else fitted

    return fit_list


def _dict(keys: Fits, values: Fits, most: int) -> Fit:
    def fit_dict(value: dict[str, Any], share: int) -> dict[str, Any]:
        pairs = [
            (_fitted(key, keys, share), _fitted(item, values, share))
            for key, item in list(value.items())[: most // share]
        ]
        same = len(pairs) == len(value) and all(
            a is b and c is d for (a, c), (b, d) in zip(pairs, value.items(), strict=True)
        )
        return value if same else dict(pairs)

    return fit_dict


def _fitted(value: Any, fits: Fits, share: int) -> Any:
    fit_value = fits.get(value.__class__)
    return value if fit_value is None else fit_value(value, share)


def _same(one: Any, other: Any) -> bool:
    return one is other


class _Field(NamedTuple):
    """A field that may exceed a bound; the field `counter` counts what is left out of it, where there is one."""

    name: str
    fits: Fits
    counter: str | None


@lru_cache(None)
def _fields(kind: type[msgspec.Struct]) -> list[_Field]:
    described = inspect.type_info(kind)
    assert isinstance(described, inspect.StructType)
    found = []
    for field in described.fields:
        extra = getattr(field.type, "extra", None) or {}
        fits = _fits(field.type, {})
        if fits:
            found.append(_Field(field.name, fits, extra.get("count")))
    return found


def _changes(kind: type[msgspec.Struct], value_of: Callable[[str], Any], share: int) -> dict[str, Any]:
    """Cut the fields of a struct that exceed their bounds divided by `share`; return these, and counts of the rest."""
    changed: dict[str, Any] = {}
    for field, fits, counter in _fields(kind):
        value = value_of(field)
        fit_value = fits.get(value.__class__)
        if fit_value is None or (fitted := fit_value(value, share)) is value:
            continue
        changed[field] = fitted
        if counter is not None:
            changed[counter] = (value_of(counter) or 0) + len(value) - len(fitted)
    return changed


def fit(struct: _Struct, share: int = 1) -> _Struct:
    """Return a struct that is within all bounds divided by `share`, else a copy that is cut to fit."""
    changed = _changes(struct.__class__, partial(getattr, struct), share)
    return msgspec.structs.replace(struct, **changed) if changed else struct


def _fit_json(fields: dict[str, Any], kind: type[msgspec.Struct], share: int) -> dict[str, Any]:
    """Return `fit` for a struct of this kind that was decoded from JSON."""
    changed = _changes(kind, fields.get, share)
    return {**fields, **changed} if changed else fields


def encode(event: ev.Event) -> bytes:
    """Encode an event as JSON with each field within its bounds, without the newline; `finish` cuts lines."""
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
    """Cut encoded events, a line each, that are larger than a server accepts."""
    if len(events) <= _SUSPECT:
        return events
    lines = events.split(b"\n")
    if max(map(len, lines)) <= _SUSPECT:
        return events
    for i, line in enumerate(lines):
        if len(line) > _SUSPECT:
            # It may exceed the bounds of its type, which a typed decoder refuses.
            fields = msgspec.json.decode(line)
            kind = ev.KINDS[fields["kind"]]
            lines[i] = _shrunk(partial(_fit_json, fields, kind), kind)
    return b"\n".join(lines)


def shrunk(struct: msgspec.Struct) -> bytes:
    """Encode an event or an answer as a line of JSON within bounds; the larger it is, the more of each field is cut."""
    return _shrunk(partial(fit, struct), type(struct))


def _shrunk(fitted: Callable[[int], Any], kind: type[msgspec.Struct]) -> bytes:
    share = 1
    while True:
        line = ev.encode(fitted(share))
        if len(line) <= EVENT_BYTES or kind is ev.ProgramStarted or share > ITEMS:
            return line
        share *= 2
