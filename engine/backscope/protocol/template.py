"""Templates of the JSON of structs, as `bytes` formats: filling one is much faster than encoding a struct."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec
from msgspec import inspect


# Any: a field has a value of any type.
def template(kind: type[msgspec.Struct], *joined: str, **given: Any) -> bytes:
    """Return the JSON of a struct as a format, with a place for each field in order, except those that are `given`.

    The place of a whole number is `%d`, that of a list `[%b]` and of a dict `{%b}`, for the JSON of what is in them,
    and that of anything else `%b`, for its JSON.  A field is given as its value; bytes in it are a format themselves,
    such as a template of the struct that the field has.  The fields that are `joined`, neighbours in the struct, have
    one place together, for what `joint` is the format of.
    """
    parts = []
    for name, part in _parts(kind).items():
        if name in joined:
            part = b"%b" if name == joined[0] else b""
        elif name in given:
            part = b"%b:%b" % (_literal(name), _literal(given[name]))
        parts.append(part)
    return b"{%b}" % b",".join([part for part in parts if part])


def joint(kind: type[msgspec.Struct], *joined: str) -> bytes:
    """Return the format of fields that have one place in a template of a struct."""
    parts = _parts(kind)
    return b",".join([parts[name] for name in joined])


@lru_cache(None)
def _parts(kind: type[msgspec.Struct]) -> dict[str, bytes]:
    """Return the format of each field by name, without those that are UNSET by default, and of the tag under ""."""
    described = inspect.type_info(kind)
    assert isinstance(described, inspect.StructType)
    parts = {}
    if described.tag is not None:
        parts[""] = b"%b:%b" % (_literal(described.tag_field), _literal(described.tag))
    left_out = {field.name for field in msgspec.structs.fields(kind) if field.default is msgspec.UNSET}
    for field in described.fields:
        if field.name in left_out:
            continue
        parts[field.name] = b"%b:%b" % (_literal(field.encode_name), _place(field.type))
    return parts


def _place(described: inspect.Type) -> bytes:
    if isinstance(described, inspect.Metadata):
        return _place(described.type)
    places = {inspect.IntType: b"%d", inspect.ListType: b"[%b]", inspect.DictType: b"{%b}"}
    return places.get(type(described), b"%b")


def _literal(value: Any) -> bytes:
    """Return the JSON of a value as a part of a format."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, list):
        return b"[%b]" % b",".join(map(_literal, value))
    return msgspec.json.encode(value).replace(b"%", b"%%")
