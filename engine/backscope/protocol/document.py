"""The document of the events: each kind, the parts that events are made of, and the types of their fields.

`python -m backscope.protocol.document` prints it; `engine/EVENTS.md` is a copy of that output.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from typing import Any, get_args, get_origin

import msgspec

from backscope.protocol import event_parts, events, field_types

_HEAD = """# The events of a run

Generated from `backscope/protocol/events/`, `event_parts.py` and `field_types.py`; do not edit. After a change there,
in the folder `engine`: `python -m backscope.protocol.document > EVENTS.md`.

An event is a JSON object on a line of its own. Its `kind` is its name below, its `seq` its number in the run, from 0
without gaps, and its `line` the 1-based line of the program that was running, null outside of it. Where that is in
another file than the main one, `file` is the number that `source_added` gave the file; else there is no `file`. A trace
file (`.backscope`) is the line `%s`, then the events, gzipped.
A field with a default (`= ...`) may be missing in traces of before it was recorded.
"""


_TYPES = """
## Types of fields

`Number` is an `Integer`, a float or a `NonFinite`: "NaN", "Infinity" or "-Infinity". `Element`, one of a tensor, is a
`Number`, or a pair [re, im] of them where the tensor is complex. The events say which values `Stream` and `Stage` have.
"""


def document() -> str:
    """Return the document as Markdown."""
    from backscope.protocol import trace

    kinds = ((tag, kind) for tag, kind in events.KINDS.items())
    parts = {
        name: kind
        for name, kind in vars(event_parts).items()
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind.__module__ == event_parts.__name__
    }
    return "\n".join(
        [
            _HEAD % trace.header().decode(),
            "## Kinds\n",
            *_table(("kind", "what it says", "fields"), (_row(tag, kind) for tag, kind in kinds)),
            "\n## Parts\n",
            *_table(("part", "what it says", "fields"), (_row(name, kind) for name, kind in parts.items())),
            _TYPES,
            *_table(("type", "what it holds"), _types()),
            "",
        ]
    )


def described(kind: type[msgspec.Struct]) -> str:
    """Return the docstring of a kind or part.

    Raises: LookupError where it has none of its own.
    """
    text = kind.__dict__.get("__doc__")
    if not text or any(text == base.__doc__ for base in kind.__bases__):
        raise LookupError(f"{kind.__name__} has no docstring: write one that says what happened, to what and when.")
    return inspect.cleandoc(text)


def _row(name: str, kind: type[msgspec.Struct]) -> tuple[str, str, str]:
    said = "<br>".join(" ".join(part.split()) for part in described(kind).split("\n\n"))
    return f"`{name}`", said, ", ".join(_fields(kind))


def _fields(kind: type[msgspec.Struct]) -> Iterator[str]:
    """Yield the fields that a struct itself declares, as code."""
    declared = inspect.get_annotations(kind)
    for field in msgspec.structs.fields(kind):
        if field.name in declared:
            default = "" if field.required else f" = {_default(field)!r}"
            yield f"`{field.name}: {declared[field.name]}{default}`"


def _default(field: msgspec.structs.FieldInfo) -> Any:
    return field.default_factory() if field.default is msgspec.NODEFAULT else field.default


def _types() -> Iterator[tuple[str, str]]:
    """Yield the named types, each with the description in its annotation."""
    for name, alias in (vars(event_parts) | vars(field_types)).items():
        metas = [meta for meta in get_args(alias) if isinstance(meta, msgspec.Meta)]
        if metas and not name.startswith("_"):
            what = "An object with" if get_origin(get_args(alias)[0]) is dict else "A list of"
            yield f"`{name}`", metas[0].description or f"{what} at most {metas[0].max_length:,} items."


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield "|" + "---|" * len(heads)
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"


def main() -> None:
    """Print the document."""
    print(document(), end="")


if __name__ == "__main__":
    main()
