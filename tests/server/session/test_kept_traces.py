"""Protects recorded traces: those of every protocol version open unchanged, in Python's reader and the server's."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from backscope.diagnosis.why import Tape
from backscope.protocol import events, trace
from backscope.protocol.events import PROTOCOL_VERSION
from backscope_server.sandbox.limits import Limits
from backscope_server.session.trace_file import session_of

TRACES = Path(__file__).resolve().parents[2] / "traces"
LIMITS = Limits(
    wall_seconds=1, cpu_seconds=1, memory_bytes=1, output_bytes=10**6, events=10**4, log_bytes=10**7, event_bytes=10**6
)


def kept() -> list[Path]:
    """Return the recorded traces."""
    return sorted(TRACES.rglob("*.backscope"))


@pytest.mark.parametrize("version", range(1, PROTOCOL_VERSION + 1))
def test_a_trace_of_every_version_is_kept(version: int) -> None:
    assert list((TRACES / f"protocol_{version}").glob("*.backscope"))


def test_every_field_with_a_default_is_missing_in_a_kept_trace() -> None:
    """Such a field was added later than the first traces of its version, which must open without it."""
    defaults = {
        (str(kind.__struct_config__.tag), field.name)
        for kind in events.KINDS.values()
        for field in msgspec.structs.fields(kind)
        if not field.required and field.default is not msgspec.UNSET  # What is UNSET is left out of new traces too.
    }
    recorded = [json.loads(line) for path in kept() for line in trace.read(path)]
    lacking = {
        (event["kind"], name)
        for event in recorded
        for kind, name in defaults
        if event["kind"] == kind and name not in event
    }
    assert lacking == defaults


@pytest.mark.parametrize("path", kept(), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_it_opens(path: Path) -> None:
    lines = list(trace.read(path))
    tape = Tape()
    for seq, line in enumerate(lines):
        event = events.decode(line)
        tape.add(event)
        assert event.seq == seq
        now, then = json.loads(events.encode(event)), json.loads(line)
        assert {name: now[name] for name in then} == then
    session = session_of(path, LIMITS)
    assert session.status == then["status"]
    assert list(session.log.lines) == [events.encode(events.decode(line)) for line in lines]
