"""Protects runs from being stopped for long names or prints: recorded events keep within the bounds."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from msgspec import inspect

from backscope.program.runner import run
from backscope.protocol import commands, events, fitting
from backscope.protocol.field_types import CHARACTERS, EVENT_BYTES
from backscope.recorder.narration.frequent import quoted

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "tests" / "golden" / "programs"
EXAMPLES = ROOT / "server" / "backscope_server" / "examples"

NUMBERS = ("too large", "too small")
OWN = (*NUMBERS, *(f"{field}: too many" for field in ("shape", "strides", "reduced_from", "values")))
"""What small events are not looked at for: the engine counts by itself, and measures its values."""


type_info = functools.cache(inspect.type_info)


def plain(described: inspect.Type) -> inspect.Type:
    """A type without what its annotation says beside its bounds."""
    return plain(described.type) if isinstance(described, inspect.Metadata) else described


def least(described: inspect.Type) -> Any:
    """The smallest value of a type that keeps within its bounds."""
    described = plain(described)
    if isinstance(described, inspect.UnionType):
        options = [plain(option) for option in described.types]
        return None if any(isinstance(o, inspect.NoneType) for o in options) else least(options[0])
    if isinstance(described, inspect.LiteralType):
        return described.values[0]
    if isinstance(described, inspect.IntType):
        return max(described.ge or 0, 0)
    if isinstance(described, inspect.StructType):
        return whole(described.cls, {})
    made = {inspect.ListType: [], inspect.DictType: {}, inspect.StrType: "", inspect.FloatType: 0.0}
    return {**made, inspect.BoolType: False}[type(described)]


def fields(kind: type[msgspec.Struct]) -> Iterator[tuple[str, inspect.Type]]:
    """The fields of a struct and their types."""
    described = type_info(kind)
    assert isinstance(described, inspect.StructType)
    for field in described.fields:
        yield field.name, field.type


def whole(kind: type[msgspec.Struct], given: dict[str, Any]) -> Any:
    """A struct of smallest values but for those that are given."""
    return kind(**{name: given[name] if name in given else least(described) for name, described in fields(kind)})


def beyond(described: inspect.Type, field: str) -> Iterator[tuple[str, Any]]:
    """Values of a type that exceed a bound in one thing, each with the name of that."""
    described = plain(described)
    if isinstance(described, inspect.UnionType):
        for option in described.types:
            yield from beyond(option, field)
    elif isinstance(described, inspect.ListType):
        assert described.max_length is not None
        yield f"{field}: too many", [least(described.item_type)] * (described.max_length + 1)
        for what, value in beyond(described.item_type, field):
            yield f"{field}: {what}", [value]
    elif isinstance(described, inspect.DictType):
        assert described.max_length is not None
        item = least(described.value_type)
        yield f"{field}: too many", {str(i): item for i in range(described.max_length + 1)}
        for what, value in beyond(described.key_type, field):
            yield f"{field}: key {what}", {value: item}
        for what, value in beyond(described.value_type, field):
            yield f"{field}: {what}", {"key": value}
    elif isinstance(described, inspect.IntType) and field != "sequence_nr":
        assert described.ge is not None and described.le is not None
        yield f"{field}: {NUMBERS[0]}", described.le + 1
        yield f"{field}: {NUMBERS[1]}", described.ge - 1
    elif isinstance(described, inspect.StrType) and field != "source":
        assert described.max_length is not None
        yield f"{field}: too long", "x" * (described.max_length + 1)
        yield f"{field}: too long in JSON", "\0" * described.max_length
        yield f"{field}: no JSON", "\ud800"
    elif isinstance(described, inspect.StructType):
        for what, value in overfull(described.cls):
            yield f"{field}: {what}", value


def overfull(kind: type[msgspec.Struct]) -> Iterator[tuple[str, Any]]:
    """Structs of a kind that exceed a bound in one field, or in a field of what is in it."""
    for name, described in fields(kind):
        for what, value in beyond(described, name):
            yield what, whole(kind, {name: value})


@pytest.mark.parametrize("kind", events.KINDS.values(), ids=lambda kind: kind.__name__)
def test_an_event_that_exceeds_a_bound_is_cut_to_it(kind: type[msgspec.Struct]) -> None:
    events.decode(events.encode(whole(kind, {})))
    for what, event in overfull(kind):
        line = events.encode(fitting.fit(event)) if what.endswith(OWN) else fitting.finish(fitting.encode(event))
        assert len(line) <= EVENT_BYTES, what
        assert isinstance(events.decode(line), kind), what


@pytest.mark.parametrize("kind", get_args(commands.Reply), ids=lambda kind: kind.__name__)
def test_an_answer_that_exceeds_a_bound_is_cut_to_it(kind: type[msgspec.Struct]) -> None:
    for what, answer in overfull(kind):
        if not what.endswith(tuple(f"id: {number}" for number in NUMBERS)):  # Commands give those.
            line = fitting.shrunk(answer)
            assert len(line) <= EVENT_BYTES, what
            assert isinstance(commands.decode_answer(line), kind), what


def test_variables_that_are_cut_are_counted() -> None:
    look = commands.Look(type="str", text="x" * 200_000, tensor=None, value=None)
    variables = [commands.Variable(name=f"v{n}", look=look) for n in range(200)]
    answer = commands.LocalsListed(id=1, function="f", line=1, variables=variables, omitted=7)
    told = commands.decode_answer(fitting.shrunk(answer))
    assert isinstance(told, commands.LocalsListed)
    assert len(told.variables) + told.omitted == 207


def test_what_keeps_within_the_bounds_stays_as_it_is() -> None:
    text = "x" * CHARACTERS
    event = events.TensorNamed(seq=1, line=1, tensor=1, name=text)
    assert fitting.fit(event) is event
    assert fitting.finish(fitting.encode(event)) == events.encode(event)


def test_what_is_cut_says_so() -> None:
    named = fitting.fit(events.TensorNamed(seq=1, line=1, tensor=1, name="n" * 20_000)).name
    assert len(named) <= CHARACTERS and named.endswith("n... (10,040 characters left out)")
    frames = [events.TracebackLine(line=n + 1, function="f", text="") for n in range(60)]
    error = events.ErrorRaised(
        seq=1, line=1, stage="program", type="E", message="", column=None, traceback=frames, node=None, diagnosis=None,
        frames_left_out=3,
    )  # fmt: skip
    told = fitting.fit(error)
    assert told.traceback == [frames[0], *frames[11:]]
    assert told.frames_left_out == 13


PROGRAMS = {path.stem: path.read_text("utf-8") for path in [*GOLDEN.glob("*.py"), *EXAMPLES.glob("[0-4]*.py")]}


NARROW = {inspect.StrType: fitting._SHORTEST, inspect.ListType: 3, inspect.DictType: 3}
"""Bounds that every program exceeds."""


def most(described: Any) -> int:
    """The narrower bound of a type."""
    return min(described.max_length, 1 << 30 if described.max_length == 1 << 30 else NARROW[type(described)])


def assert_within(value: Any, described: inspect.Type) -> None:
    """That JSON of a type keeps within the narrower bounds."""
    described = plain(described)
    if isinstance(described, inspect.UnionType):
        classes = {str: inspect.StrType, list: inspect.ListType, dict: (inspect.StructType, inspect.DictType)}
        for option in map(plain, described.types):
            if isinstance(option, classes.get(type(value), ())):
                assert_within(value, option)
    elif isinstance(described, inspect.StructType):
        for field in described.fields:
            if field.name in value:
                assert_within(value[field.name], field.type)
    elif isinstance(described, (inspect.StrType, inspect.ListType, inspect.DictType)):
        assert len(value) <= most(described), described
        if isinstance(described, inspect.ListType):
            for item in value:
                assert_within(item, described.item_type)
        elif isinstance(described, inspect.DictType):
            for key, item in value.items():
                assert_within(key, described.key_type)
                assert_within(item, described.value_type)


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Has events cut to narrower bounds."""
    monkeypatch.setattr(fitting, "_most", most)
    monkeypatch.setattr(fitting, "CHARACTERS", fitting._SHORTEST)
    monkeypatch.setattr(fitting, "EVENT_BYTES", 6_000)
    for size in ("_SMALL", "_SUSPECT"):
        monkeypatch.setattr(fitting, size, 0)
    for cache in (quoted, fitting._fields):
        cache.cache_clear()
    yield
    for cache in (quoted, fitting._fields):
        cache.cache_clear()


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.usefixtures("narrow")
def test_whatever_a_program_does_is_recorded_within_any_bounds(name: str) -> None:
    written: list[bytes] = []
    run(PROGRAMS[name], written.append)
    lines = b"".join(written).splitlines()
    for seq, line in enumerate(lines):
        event = msgspec.json.decode(line)
        assert event["seq"] == seq
        assert_within(event, type_info(events.KINDS[event["kind"]]))
        assert len(line) <= 6_000 or not seq
