"""Protects runs from being stopped for what they are called or print: all that is told keeps within the bounds."""

from __future__ import annotations

import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest

from backscope.program.runner import run
from backscope.protocol import commands, events, field_bounds, fitting
from backscope.recorder.narration.frequent import quoted
from backscope_server.session import bounds as checks

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "programs"
EXAMPLES = Path(__file__).resolve().parents[3] / "server" / "backscope_server" / "examples"

NUMBERS = ("too large", "too small")
OWN = (*NUMBERS, *(f"{field}: too many" for field in ("shape", "strides", "reduced_from", "values")))
"""What small events are not looked at for: the engine counts by itself, and measures its values."""

CHOICES = {"stream": "stdout", "stage": "program", "status": "ok"}


def least(annotation: Any, field: str = "") -> Any:
    """The smallest value of a type that keeps within its bounds."""
    origin = get_origin(annotation)
    if field in CHOICES:
        return CHOICES[field]
    if origin in (Union, types.UnionType):
        return None if type(None) in get_args(annotation) else least(get_args(annotation)[0], field)
    if origin is Literal:
        return get_args(annotation)[0]
    if origin is list:
        return []
    if origin is dict:
        return {}
    if annotation is int:
        return field_bounds.NUMBERS.get(field, (0, 0))[0]
    if annotation in (str, float, bool):
        return annotation()
    if issubclass(annotation, msgspec.Struct):
        return whole(annotation, {})
    raise AssertionError(annotation)


def whole(kind: type[msgspec.Struct], given: dict[str, Any]) -> Any:
    """A struct of smallest values but for those that are given."""
    hints = get_type_hints(kind)
    return kind(**{name: given[name] if name in given else least(hints[name], name) for name in kind.__struct_fields__})


def beyond(annotation: Any, field: str, owner: str) -> Iterator[tuple[str, Any]]:
    """Values of a type that exceed a bound in one thing, each with the name of that."""
    origin = get_origin(annotation)
    if field in CHOICES or origin is Literal:
        return
    if origin in (Union, types.UnionType):
        for option in get_args(annotation):
            yield from beyond(option, field, owner)
    elif origin is list:
        most = field_bounds.items(owner, field)
        item = get_args(annotation)[0]
        yield f"{field}: too many", [least(item, field)] * (most + 1)
        for what, value in beyond(item, field, owner):
            yield f"{field}: {what}", [value]
    elif origin is dict:
        key, item = get_args(annotation)
        yield f"{field}: too many", {str(i): least(item, field) for i in range(field_bounds.items(owner, field) + 1)}
        for what, value in beyond(key, field, owner):
            yield f"{field}: key {what}", {value: least(item, field)}
        for what, value in beyond(item, field, owner):
            yield f"{field}: {what}", {"key": value}
    elif annotation is int and field != field_bounds.UNBOUNDED:
        low, high = field_bounds.NUMBERS.get(field, field_bounds.INT64)
        yield f"{field}: {NUMBERS[0]}", high + 1
        yield f"{field}: {NUMBERS[1]}", low - 1
    elif annotation is str and field != "source":
        yield f"{field}: too long", "x" * (field_bounds.characters(field) + 1)
        yield f"{field}: too long in JSON", "\0" * field_bounds.characters(field)
        yield f"{field}: no JSON", "\ud800"
    elif isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        for what, value in overfull(annotation):
            yield f"{field}: {what}", value


def overfull(kind: type[msgspec.Struct]) -> Iterator[tuple[str, Any]]:
    """Structs of a kind that exceed a bound in one field, or in a field of what is in it."""
    for name, annotation in get_type_hints(kind).items():
        if name in kind.__struct_fields__:
            for what, value in beyond(annotation, name, kind.__name__):
                yield what, whole(kind, {name: value})


@pytest.mark.parametrize("kind", get_args(events.Event), ids=lambda kind: kind.__name__)
def test_an_event_that_exceeds_a_bound_is_cut_to_it(kind: type[msgspec.Struct]) -> None:
    checks.decode(events.encode(whole(kind, {})))
    for what, event in overfull(kind):
        line = events.encode(fitting.fit(event)) if what.endswith(OWN) else fitting.finish(fitting.encode(event))
        assert len(line) <= field_bounds.EVENT_BYTES, what
        assert isinstance(checks.decode(line), kind), what


@pytest.mark.parametrize("kind", get_args(commands.Reply), ids=lambda kind: kind.__name__)
def test_an_answer_that_exceeds_a_bound_is_cut_to_it(kind: type[msgspec.Struct]) -> None:
    for what, answer in overfull(kind):
        if not what.endswith(tuple(f"id: {number}" for number in NUMBERS)):  # Commands give those.
            line = fitting.shrunk(answer)
            assert len(line) <= field_bounds.EVENT_BYTES, what
            assert isinstance(checks.decode_answer(line), kind), what


def test_variables_that_are_cut_are_counted() -> None:
    look = commands.Look(type="str", text="x" * 200_000, tensor=None, value=None)
    variables = [commands.Variable(name=f"v{n}", look=look) for n in range(200)]
    answer = commands.LocalsListed(id=1, function="f", line=1, variables=variables, omitted=7)
    told = commands.decode_answer(fitting.shrunk(answer))
    assert isinstance(told, commands.LocalsListed)
    assert len(told.variables) + told.omitted == 207


def test_what_keeps_within_the_bounds_stays_as_it_is() -> None:
    text = "x" * field_bounds.CHARACTERS
    event = events.TensorNamed(seq=1, line=1, tensor=1, name=text)
    assert fitting.fit(event) is event
    assert fitting.finish(fitting.encode(event)) == events.encode(event)


def test_what_is_cut_says_so() -> None:
    named = fitting.fit(events.TensorNamed(seq=1, line=1, tensor=1, name="n" * 20_000)).name
    assert len(named) <= field_bounds.CHARACTERS and named.endswith("n... (10,040 characters left out)")
    frames = [events.TracebackLine(line=n + 1, function="f", text="") for n in range(60)]
    error = events.ErrorRaised(
        seq=1, line=1, stage="program", type="E", message="", column=None, traceback=frames, node=None, diagnosis=None,
        frames_left_out=3,
    )  # fmt: skip
    told = fitting.fit(error)
    assert told.traceback == [frames[0], *frames[11:]]
    assert told.frames_left_out == 13


PROGRAMS = {path.stem: path.read_text("utf-8") for path in [*GOLDEN.glob("*.py"), *EXAMPLES.glob("[0-4]*.py")]}


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Bounds that every program exceeds, and the check of them."""
    monkeypatch.setattr(field_bounds, "ITEMS", 3)
    monkeypatch.setattr(field_bounds, "CHARACTERS", fitting._SHORTEST)
    monkeypatch.setattr(field_bounds, "TEXTS", {"source": 1 << 30})
    monkeypatch.setattr(field_bounds, "EVENT_BYTES", 6_000)
    monkeypatch.setitem(field_bounds.LENGTHS, "values", 2)
    monkeypatch.setitem(field_bounds.LENGTHS, "traceback", 1)
    for size in ("_SMALL", "_SUSPECT"):
        monkeypatch.setattr(fitting, size, 0)
    quoted.cache_clear()
    yield msgspec.json.Decoder(checks._Narrowing(checks._CHOICES).type(events.Event)).decode
    quoted.cache_clear()


@pytest.mark.parametrize("name", PROGRAMS)
def test_whatever_a_program_does_it_is_told_within_any_bounds(name: str, narrow: Any) -> None:
    written: list[bytes] = []
    run(PROGRAMS[name], written.append)
    lines = b"".join(written).splitlines()
    for seq, line in enumerate(lines):
        assert narrow(line).seq == seq
        assert len(line) <= field_bounds.EVENT_BYTES or not seq
