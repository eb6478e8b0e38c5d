"""Protects the event streams of whole programs: they equal the golden ones, decode, and show every kind of event."""

from __future__ import annotations

import gzip
import importlib.util
import json
import math
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest

from backscope.protocol import events as ev

HERE = Path(__file__).parent


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("golden_record", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


record = _load(HERE / "record.py")
PROGRAMS = dict(record.programs())


def lines(name: str) -> list[str]:
    """Return the golden stream of a program."""
    return (HERE / f"{name}.jsonl").read_text("utf-8").splitlines()


def _same(now: Any, then: Any) -> bool:
    """Return whether two decoded streams are equal except for the last digits of fractions."""
    if isinstance(now, float) and isinstance(then, float):
        return math.isclose(now, then, rel_tol=1e-5, abs_tol=1e-6)
    if isinstance(now, dict) and isinstance(then, dict):
        return list(now) == list(then) and all(_same(now[key], then[key]) for key in now)
    if isinstance(now, list) and isinstance(then, list):
        return len(now) == len(then) and all(map(_same, now, then))
    return type(now) is type(then) and bool(now == then)


def _in_order(lines: list[str]) -> list[Any]:
    """Return a decoded stream with tensors that were released at once in order, which versions of Python choose."""
    events = [json.loads(line) for line in lines]
    begin = 0
    while begin < len(events):
        end = begin + 1
        if events[begin]["kind"] == "tensor_released":
            while end < len(events) and events[end]["kind"] == "tensor_released":
                end += 1
            numbers = sorted(event["tensor"] for event in events[begin:end])
            for event, number in zip(events[begin:end], numbers, strict=True):
                event["tensor"] = number
        begin = end
    return events


@pytest.mark.parametrize("name", PROGRAMS)
def test_stream_is_current(name: str) -> None:
    """A stream recorded now equals the file, except for last digits, which processors change.

    `python tests/golden/record.py` records all again.
    """
    now, then = record.stream(PROGRAMS[name]), lines(name)
    assert len(now) == len(then)
    if sys.version_info < (3, 14):
        pairs = [(json.loads(made), json.loads(kept)) for made, kept in zip(now, then, strict=True) if made != kept]
    else:
        pairs = list(zip(_in_order(now), _in_order(then), strict=True))
    for made, kept in pairs:
        assert _same(made, kept), f"{made}\n{kept}"


@pytest.mark.parametrize("name", PROGRAMS)
def test_stream_keeps_the_protocol(name: str) -> None:
    """Every event decodes and encodes to the same bytes; seq is gapless; the first and the last are the program's."""
    events = []
    for line in lines(name):
        event = ev.decode(line.encode())
        assert ev.encode(event).decode() == line
        events.append(event)
    assert [e.seq for e in events] == list(range(len(events)))
    assert isinstance(events[0], ev.ProgramStarted) and isinstance(events[-1], ev.ProgramFinished)
    assert sum(isinstance(e, (ev.ProgramStarted, ev.ProgramFinished)) for e in events) == 2


def test_every_kind_of_event_occurs() -> None:
    """The page's tests see each kind at least once."""
    seen = {json.loads(line)["kind"] for name in PROGRAMS for line in lines(name)}
    every = {kind.__struct_config__.tag for kind in get_args(ev.Event)}
    assert seen == every


def test_what_the_catalogue_says_of_ops_is_current() -> None:
    """`python tests/golden/record.py` records it again."""
    assert record.ops() == (HERE / "sentences" / "ops.json").read_text("utf-8")


def test_streams_of_samples_are_current() -> None:
    """Each stream recorded now equals the one in the file.

    `python tests/golden/record_samples.py` records all again.
    """
    samples = _load(HERE / "record_samples.py")
    now = _in_order([line for stream in samples.streams() for line in stream])
    then = _in_order(gzip.decompress(samples.FILE.read_bytes()).decode().splitlines())
    assert len(now) == len(then)
    assert [pair for pair in zip(now, then, strict=True) if not _same(*pair)] == []


def test_no_stream_without_its_program() -> None:
    """A removed or renamed program takes its stream with it."""
    assert {path.stem for path in HERE.glob("*.jsonl")} == set(PROGRAMS)
    assert {path.stem for path in (HERE / "sentences").glob("*.txt")} == set(PROGRAMS)
