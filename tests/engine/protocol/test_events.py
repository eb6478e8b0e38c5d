"""The protocol: every kind of event is documented, and is named by its past tense in snake_case."""

from __future__ import annotations

import pkgutil
import re
import typing
from importlib import import_module

import msgspec
import pytest

from backscope.protocol import event_parts, events
from backscope.protocol.events.base_event import BaseEvent

KINDS: tuple[type[msgspec.Struct], ...] = tuple(events.KINDS.values())


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.__name__)
def test_every_kind_says_what_it_tells(kind: type[msgspec.Struct]) -> None:
    """A kind without a docstring of its own is undocumented."""
    assert kind.__doc__ and kind.__doc__ != kind.__bases__[0].__doc__


def test_the_union_has_every_kind() -> None:
    """Every struct that a file of the room declares is in the union, and the package exports it."""
    assert typing.get_args(events.Event) == KINDS
    modules = [import_module(f"{events.__name__}.{file.name}") for file in pkgutil.iter_modules(events.__path__)]
    declared = [v for module in modules for v in vars(module).values() if isinstance(v, type) and hasattr(v, "seq")]
    assert set(declared) - {BaseEvent} == set(KINDS)
    assert [getattr(events, kind.__name__) for kind in KINDS] == list(KINDS)


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.__name__)
def test_a_kind_is_its_name_in_snake_case(kind: type[msgspec.Struct]) -> None:
    """`OpApplied` travels as "op_applied"."""
    words = re.findall(r"[A-Z][a-z]*", kind.__name__)
    assert kind.__struct_config__.tag == "_".join(w.lower() for w in words)


def test_every_struct_of_the_module_is_used_by_an_event() -> None:
    """A struct that no event contains could never be sent."""
    schema = str(msgspec.json.schema(events.Event))
    declared = [*vars(events).values(), *vars(event_parts).values()]
    structs = {v for v in declared if isinstance(v, type) and issubclass(v, msgspec.Struct)} - {BaseEvent}
    assert structs and not [struct.__name__ for struct in structs if struct.__name__ not in schema]


def test_what_is_no_event_is_refused() -> None:
    """Unknown kinds, missing fields and wrong types raise and are never half accepted."""
    for text in (
        b"{}",
        b'{"kind":"nonsense","seq":0,"line":null}',
        b'{"kind":"tensor_released","seq":0,"line":null}',
        b'{"kind":"tensor_released","seq":"0","line":null,"tensor":1}',
        b"not json",
    ):
        with pytest.raises(msgspec.DecodeError):
            events.decode(text)


def test_an_op_of_a_trace_without_hidden_outputs_has_none() -> None:
    event = events.OpApplied(
        seq=0,
        line=1,
        op="exp",
        inputs=[],
        outputs=[],
        node=None,
        in_place=False,
        is_view=False,
        during=None,
        module_path=None,
        repeat=[],
    )
    fields = msgspec.to_builtins(event)
    del fields["hidden"]
    assert events.decode(msgspec.json.encode(fields)) == event
