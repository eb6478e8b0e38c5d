"""Templates: a struct's JSON by one is to the byte what encoding the struct gives, whatever its fields hold."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest
from msgspec import inspect

from backscope.protocol import event_parts, events
from backscope.protocol.template import joint, template

STRUCTS: list[type[msgspec.Struct]] = [
    *events.KINDS.values(),
    *(
        kind
        for kind in vars(event_parts).values()
        if isinstance(kind, type)
        and issubclass(kind, msgspec.Struct)
        and kind is not msgspec.Struct
        and not kind.__struct_config__.omit_defaults
    ),
]

TEXTS = ("", "x", "100%", "%d %b %%", 'a "quoted" name', "é\n\t\u2028", "\\", "{}[]")


def left_out(kind: type[msgspec.Struct]) -> set[str]:
    """The fields of a struct that its JSON does not have unless they are set."""
    return {field.name for field in msgspec.structs.fields(kind) if field.default is msgspec.UNSET}


def drawn(described: inspect.Type, chance: random.Random) -> Any:
    """A random value of a type."""
    if isinstance(described, inspect.Metadata):
        return drawn(described.type, chance)
    if isinstance(described, inspect.UnionType):
        return drawn(chance.choice(described.types), chance)
    if isinstance(described, inspect.LiteralType):
        return chance.choice(described.values)
    if isinstance(described, inspect.IntType):
        return chance.randint(described.ge or 0, described.le if described.le is not None else 2**64 - 1)
    if isinstance(described, inspect.StrType):
        return chance.choice(TEXTS)
    if isinstance(described, inspect.FloatType):
        return chance.uniform(-1e9, 1e9)
    if isinstance(described, inspect.BoolType):
        return chance.random() < 0.5
    if isinstance(described, inspect.ListType):
        return [drawn(described.item_type, chance) for _ in range(chance.randrange(3))]
    if isinstance(described, inspect.DictType):
        keys = chance.sample(TEXTS, chance.randrange(3))
        return {key: drawn(described.value_type, chance) for key in keys}
    if isinstance(described, inspect.StructType):
        fields = [field for field in described.fields if field.name not in left_out(described.cls)]
        return described.cls(**{field.name: drawn(field.type, chance) for field in fields})
    assert isinstance(described, inspect.NoneType), described
    return None


def filled(place: str, value: Any) -> Any:
    """What goes into the place of a field: a number as it is, a list or dict without brackets, JSON of the rest."""
    if place.endswith("%d"):
        return value
    text = msgspec.json.encode(value)
    return text[1:-1] if place.endswith(("[%b]", "{%b}")) else text


@pytest.mark.parametrize("kind", STRUCTS, ids=lambda kind: kind.__name__)
def test_any_template_gives_what_encoding_gives(kind: type[msgspec.Struct]) -> None:
    chance = random.Random(kind.__name__)
    described = inspect.type_info(kind)
    assert isinstance(described, inspect.StructType)
    for _ in range(200):
        value = drawn(described, chance)
        names = [name for name in kind.__struct_fields__ if name not in left_out(kind)]
        places = {name: joint(kind, name).decode() for name in names}
        begin = chance.randrange(len(names))
        joined = names[begin : begin + chance.randrange(4)]
        given = {name: getattr(value, name) for name in names if name not in joined and chance.random() < 0.3}
        told: list[Any] = []
        for name in names:
            if name in given:
                continue
            if name not in joined:
                told.append(filled(places[name], getattr(value, name)))
            elif name == joined[0]:
                told.append(joint(kind, *joined) % tuple(filled(places[n], getattr(value, n)) for n in joined))
        assert template(kind, *joined, **given) % tuple(told) == msgspec.json.encode(value)


def test_a_template_inside_another() -> None:
    edge = event_parts.Edge(node=7, output_nr=1)
    node = event_parts.NodeInfo(
        node=8, name="%Backward0", sequence_nr=2**64 - 1, next_functions=[None, edge], saved=[], attributes={"a%": "1"}
    )
    event = events.GraphRebased(seq=3, line=None, tensor=5, node=node)
    following = [None, template(event_parts.Edge)]
    info = template(event_parts.NodeInfo, name="%Backward0", next_functions=following, saved=[])
    told = 3, b"null", 5, 8, 2**64 - 1, 7, 1, b'"a%":"1"'
    assert template(events.GraphRebased, node=info) % told == events.encode(event)
