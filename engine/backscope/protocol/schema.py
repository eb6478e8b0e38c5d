"""The JSON schema of the protocol, events and commands, from which the page's TypeScript types are generated.

`python -m backscope.protocol.schema` prints it; `web/src/protocol/schema.json` is a copy of that output.
"""

from __future__ import annotations

import inspect
import json
from typing import Any

import msgspec

from backscope.protocol import commands, events, field_types

_NAMED = {
    "Natural": field_types.Natural,
    "Identity": field_types.Identity,
    "Positive": field_types.Positive,
    "Size": field_types.Size,
    "Integer": field_types.Integer,
    "Name": field_types.Name,
    "LongText": field_types.LongText,
    "NonFinite": field_types.NonFinite,
    "Scalar": field_types.Number,
    "TensorElement": field_types.Element,
}
"""The type aliases that keep a name, inner ones first; `Number` and `Element` are names of types of the browser."""


def schema() -> dict[str, Any]:
    """Return the schema of `events.Event`: a union by `kind`, with every struct and alias under `$defs`.

    `Command` and `Answer` are in `$defs` too; `protocol` is the version of the protocol.
    """
    aliases: dict[str, dict[str, Any]] = {}
    for name, alias in _NAMED.items():
        aliases[name] = _refer(msgspec.json.schema(alias), aliases)
    union = msgspec.json.schema(events.Event)
    for name, other in (("Command", commands.Command), ("Answer", commands.Answer)):
        described = msgspec.json.schema(other)
        union["$defs"] |= described.pop("$defs")
        union["$defs"][name] = described
    definitions = {name: _refer(definition, aliases) for name, definition in union.pop("$defs").items()}
    for event in events.KINDS.values():
        _require_all(definitions[event.__name__], event)
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Event",
        "protocol": events.PROTOCOL_VERSION,
        **union,
        "$defs": {**aliases, **definitions},
    }


def _require_all(definition: dict[str, Any], kind: type[msgspec.Struct]) -> None:
    """Require the fields that a new event has: defaults are for older traces, except UNSET, for what is left out."""
    left_out = {field.encode_name for field in msgspec.structs.fields(kind) if field.default is msgspec.UNSET}
    definition["required"] = [name for name in definition["properties"] if name not in left_out]


def _refer(schema: Any, aliases: dict[str, dict[str, Any]]) -> Any:
    """Replace aliases that are written out by references, and remove the indentation of docstrings."""
    if isinstance(schema, list):
        return [_refer(item, aliases) for item in schema]
    if not isinstance(schema, dict):
        return schema
    walked = {key: _refer(value, aliases) for key, value in schema.items()}
    if isinstance(walked.get("description"), str):
        walked["description"] = inspect.cleandoc(walked["description"])
    if "anyOf" in walked:
        walked["anyOf"] = _without_integer(walked["anyOf"])
    for name, alias in aliases.items():
        reference = {"$ref": f"#/$defs/{name}"}
        if walked == alias:
            return reference
        options = alias.get("anyOf")
        if options and "anyOf" in walked and all(option in walked["anyOf"] for option in options):
            rest = [option for option in walked["anyOf"] if option not in options]
            walked["anyOf"] = [reference, *rest]
    return walked


def _without_integer(options: list[Any]) -> list[Any]:
    """Remove Integer where "number" is possible too: in JSON schema that includes integers."""
    if {"type": "number"} not in options:
        return options
    return [option for option in options if option != {"$ref": "#/$defs/Integer"}]


def main() -> None:
    """Print the schema."""
    print(json.dumps(schema(), indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
