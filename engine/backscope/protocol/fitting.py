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
"""Bytes up to which no text and no list of an event that was encoded is too long; its numbers are the engine's own."""

_SUSPECT = 4 * ITEMS
"""Bytes up to which no list of a line of JSON is too long, and no line is."""

_SHORTEST = 100
"""Characters that a text may have however little room there is."""

Fit: TypeAlias = Callable[[Any, int], Any]
"""Gives a value where it keeps within its bounds divided by a share, else what of it fits."""
Fits: TypeAlias = Mapping[type, Fit]
"""How to fit the values of a field, by their class; those of other classes have no bounds."""


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
    return cut(clean(text), CHARACTERS)


def _fits(described: inspect.Type, extra: Mapping[str, Any]) -> Fits:
    """How to fit values of a type, as msgspec describes it with the `extra` of its annotation."""
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
    """How many characters or items a value of this type may have."""
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
    """The fields of a struct that exceed their bounds divided by `share`, with what fits, and counts of the rest."""
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


def fit(told: _Struct, share: int = 1) -> _Struct:
    """The same struct where it keeps within all bounds, divided by `share`; else one with what fits."""
    changed = _changes(told.__class__, partial(getattr, told), share)
    return msgspec.structs.replace(told, **changed) if changed else told


def _fit_json(told: dict[str, Any], kind: type[msgspec.Struct], share: int) -> dict[str, Any]:
    """`fit` for a struct of this kind that came as JSON."""
    changed = _changes(kind, told.get, share)
    return {**told, **changed} if changed else told


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
            # It may exceed the bounds of its type, which a typed decoder refuses.
            told = msgspec.json.decode(line)
            kind = ev.KINDS[told["kind"]]
            lines[i] = _shrunk(partial(_fit_json, told, kind), kind)
    return b"\n".join(lines)


def shrunk(told: msgspec.Struct) -> bytes:
    """An event or an answer as a line of JSON within bounds: the more room it needs, the less of it stays."""
    return _shrunk(partial(fit, told), type(told))


def _shrunk(fitted: Callable[[int], Any], kind: type[msgspec.Struct]) -> bytes:
    share = 1
    while True:
        line = ev.encode(fitted(share))
        if len(line) <= EVENT_BYTES or kind is ev.ProgramStarted or share > ITEMS:
            return line
        share *= 2
