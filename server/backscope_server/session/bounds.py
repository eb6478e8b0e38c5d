"""The protocol's own types, made narrower for what a child sends: no field may hold more than `field_bounds` says.

The types of the protocol say what a field is; a program that writes to the event pipe itself can send a name of a
megabyte or the tensor number -3.  What the engine records keeps within the same bounds.
"""

from __future__ import annotations

import types
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from backscope.protocol import commands, events, field_bounds

_CHOICES: dict[tuple[str, str], tuple[str, ...]] = {
    ("OutputPrinted", "stream"): ("stdout", "stderr"),
    ("ErrorRaised", "stage"): ("syntax", "engine", "program"),
}
"""What a child may say where the server has words of its own."""


class _Narrowing:
    def __init__(self, choices: dict[tuple[str, str], tuple[str, ...]]) -> None:
        self.choices = choices
        self.made: dict[type, Any] = {}

    def struct(self, kind: type[msgspec.Struct]) -> Any:
        """The same struct with narrower fields; an instance of it is one of `kind` too."""
        if kind not in self.made:
            hints = get_type_hints(kind, include_extras=True)
            config = kind.__struct_config__
            fields: list[Any] = []
            for field in msgspec.structs.fields(kind):
                name = field.name
                choices = self.choices.get((kind.__name__, name))
                narrow = Literal[choices] if choices else self.type(hints[name], name, kind.__name__)
                # What the protocol may leave out may be left out here.
                optional = () if field.required else (_default(field),)
                fields.append((name, narrow, *optional))
            self.made[kind] = msgspec.defstruct(
                kind.__name__,
                fields,
                bases=(kind,),
                tag=config.tag,
                frozen=True,
                kw_only=True,
                omit_defaults=config.omit_defaults,
            )
        return self.made[kind]

    def type(self, annotation: Any, name: str = "", owner: str = "") -> Any:
        """The type of a field of this name, or of the items in it."""
        origin = get_origin(annotation)
        if annotation is int:
            if name == field_bounds.UNBOUNDED:
                return int
            low, high = field_bounds.NUMBERS.get(name, field_bounds.INT64)
            return Annotated[int, msgspec.Meta(ge=low, le=high)]
        if annotation is str:
            return Annotated[str, msgspec.Meta(max_length=field_bounds.characters(name))]
        if origin in (Union, types.UnionType):
            return Union[tuple(self.type(option, name, owner) for option in get_args(annotation))]  # noqa: UP007
        if origin is list:
            item = self.type(get_args(annotation)[0], name, owner)
            return Annotated[list[item], msgspec.Meta(max_length=field_bounds.items(owner, name))]  # type: ignore[valid-type]
        if origin is dict:
            key, value = (self.type(part, name, owner) for part in get_args(annotation))
            return Annotated[dict[key, value], msgspec.Meta(max_length=field_bounds.items(owner, name))]  # type: ignore[valid-type]
        if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
            return self.struct(annotation)
        return annotation


def _default(field: msgspec.structs.FieldInfo) -> Any:
    if field.default is not msgspec.NODEFAULT:
        return field.default
    return msgspec.field(default_factory=field.default_factory)


_narrowing = _Narrowing(_CHOICES)

decode = msgspec.json.Decoder(_narrowing.type(events.Event)).decode
"""An event that a child may send; raises msgspec.ValidationError or msgspec.DecodeError for anything else."""

decode_recorded = msgspec.json.Decoder(_Narrowing({}).type(events.Event)).decode
"""The same for an event of a recording, in which the server too has had its say."""

_check_answer = msgspec.json.Decoder(_narrowing.type(commands.Reply)).decode


def decode_answer(line: bytes) -> commands.Reply:
    """An answer to a command that a child may send; raises as decode does."""
    _check_answer(line)
    answer: commands.Reply = commands.decode_answer(line)
    return answer
