"""Protects the events of whole programs: the engine's are PyTorch's, but for what differences.toml names."""

from __future__ import annotations

import importlib
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from backscope.protocol import events as ev

HERE = Path(__file__).parent
KNOWN: list[dict[str, Any]] = tomllib.loads((HERE / "differences.toml").read_text("utf-8"))["difference"]
"""What is known to differ: a program, facts, and the reason."""
MOST_PROGRAMS = 8
"""The most programs that may be listed there."""


def _names() -> list[str]:
    sys.path.insert(0, str(HERE))
    try:
        return list(importlib.import_module("oracle.programs").programs())
    finally:
        sys.path.remove(str(HERE))


NAMES = _names()


@pytest.fixture(autouse=True)
def beside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the package beside this file importable."""
    monkeypatch.syspath_prepend(str(HERE))


def part(name: str) -> Any:
    """Return a module of that package."""
    return importlib.import_module(f"oracle.{name}")


@pytest.mark.torch
@pytest.mark.parametrize("name", NAMES)
def test_the_same_events_as_on_pytorch(name: str) -> None:
    """An entry of differences.toml that no longer occurs fails too: it has to go."""
    source = part("programs").programs()[name]
    canonical, recordings = part("canonical").canonical, part("recordings")
    ours, theirs = canonical(recordings.on_engine(source)), canonical(recordings.on_pytorch(source))
    known = {fact for one in KNOWN if one["program"] == name for fact in one["facts"]}
    found = part("comparing").differences(ours, theirs)
    unknown = [f"{one.fact}: {one.text}" for one in found if one.fact not in known]
    assert unknown == []
    assert known == {one.fact for one in found}


def test_known_differences_are_few_and_have_reasons() -> None:
    programs = {one["program"] for one in KNOWN}
    assert programs <= set(NAMES)
    assert len(programs) <= MOST_PROGRAMS
    assert all(one["reason"].strip() and one["facts"] for one in KNOWN)


def test_what_is_compared_exists() -> None:
    for kind, fields in part("canonical").COMPARED.items():
        assert set(fields) <= set(ev.KINDS[kind].__struct_fields__), kind


def run_of(*events: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the canonical form of events."""
    return part("canonical").canonical(list(events))


def started(node: int, value: float) -> dict[str, Any]:
    """Return the event of a node that starts, with a gradient."""
    summary = {"dtype": "float32", "shape": [], "strides": [], "norm": abs(value), "values": [value]}
    return {"kind": "node_started", "seq": 0, "line": None, "call": 7, "node": node, "gradients": [summary]}


def made(node: int, name: str) -> dict[str, Any]:
    """Return the event of a node that no op made."""
    return {"kind": "node_created", "seq": 0, "line": 1, "node": node, "name": name, "tensor": None}


def facts(ours: list[dict[str, Any]], theirs: list[dict[str, Any]]) -> list[str]:
    """Return the names of what differs."""
    return [one.fact for one in part("comparing").differences(ours, theirs)]


def test_identities_are_named_by_where_they_appear() -> None:
    one = run_of(made(3, "A"), made(5, "A"), started(5, 1.0))
    assert facts(one, run_of(made(8, "A"), made(9, "A"), started(9, 1.0))) == []
    assert facts(one, run_of(made(8, "A"), made(9, "A"), started(8, 1.0))) == [
        "node_started on PyTorch alone",
        "node_started on the engine alone",
    ]


def test_numbers_differ_beyond_their_rounding() -> None:
    one = run_of(started(1, 3.0))
    assert facts(one, run_of(started(1, 3.0000002))) == []
    assert facts(one, run_of(started(1, 3.01))) == ["node_started.gradients"]


def test_what_is_missing_or_elsewhere_is_named() -> None:
    one = run_of(made(1, "A"), made(2, "B"), started(1, 1.0))
    assert facts(one, run_of(made(1, "A"), started(1, 1.0))) == ["node_created on the engine alone"]
    assert facts(one, run_of(made(1, "A"), started(1, 1.0), made(2, "B"))) == ["node_started order"]
