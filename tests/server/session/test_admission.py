"""Protects the validation of a program's bytes: however they are split, the same events are admitted."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

import backscope_server
from backscope.program import runner
from backscope.protocol import commands, events
from backscope.protocol.event_parts import Summary
from backscope_server.sandbox.limits import Limits
from backscope_server.session import ending
from backscope_server.session.admission import Admission, NotATrace, check_recorded
from backscope_server.session.lines import Lines

LIMITS = Limits(
    wall_seconds=1, cpu_seconds=1, memory_bytes=1, output_bytes=1000, events=100, log_bytes=100_000, event_bytes=10_000
)


def started(seq: int = 0) -> bytes:
    return events.encode(
        events.ProgramStarted(seq=seq, line=None, protocol=1, filename="a.py", source="", seed=0, versions={})
    )


def printed(seq: int, text: str = "x", line: int | None = 1) -> bytes:
    return events.encode(events.OutputPrinted(seq=seq, line=line, stream="stdout", text=text))


def finished(seq: int, status: str = "ok") -> bytes:
    return events.encode(events.ProgramFinished(seq=seq, line=None, status=status))


def failed(seq: int, stage: events.Stage) -> bytes:
    return events.encode(
        events.ErrorRaised(
            seq=seq, line=1, stage=stage, type="E", message="", column=None, traceback=[], node=None, diagnosis=None
        )
    )


def whole(count: int = 20) -> list[bytes]:
    return [started(), *(printed(seq, f"line {seq}\n é") for seq in range(1, count)), finished(count)]


@pytest.mark.parametrize("seed", range(10))
def test_events_are_the_same_however_the_stream_is_cut(seed):
    lines = whole()
    stream = b"".join(line + b"\n" for line in lines)
    chance = random.Random(seed)
    cuts = sorted(chance.sample(range(len(stream)), 15))
    admission = Admission(LIMITS)
    admitted: list[bytes] = []
    for start, stop in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        found, verdict = admission.admit(stream[start:stop])
        assert verdict is None
        admitted += found
    assert admitted == lines
    assert admission.finished == "ok"
    assert admission.line == 1


def test_nothing_is_admitted_after_the_end():
    admission = Admission(LIMITS)
    found, verdict = admission.admit(b"\n".join([started(), finished(1), printed(2), b"garbage", b""]))
    assert (len(found), verdict) == (2, None)
    assert admission.admit(b"more\n" * 10_000) == ([], None)


@pytest.mark.parametrize(
    "lines",
    [
        [printed(0)],
        [started(), started(1)],
        [started(1)],
        [started(), printed(2)],
        [started(), printed(1), printed(1)],
        [started(), b""],
        [started(), b"null"],
        [started(), b'{"kind":"output_printed","seq":1,"line":null,"stream":"stdout","text":"\\ud800"}'],
        [started(), b'{"kind":"output_printed","seq":1,"line":null,"stream":"stdout","text":"\xff"}'],
        [started(), b'{"kind":"output_printed","seq":1,"line":NaN,"stream":"stdout","text":""}'],
        [started(), b'{"kind":"output_printed","seq":1.0,"line":null,"stream":1,"text":""}'],
        [started(), b'{"kind":"program_finished","seq":' + b"9" * 9000 + b',"line":null,"status":"ok"}'],
        [started(), finished(1, "limit")],
        [started(), failed(1, "limit")],
    ],
)
def test_a_line_that_is_not_of_the_protocol_ends_the_run(lines):
    _, verdict = Admission(LIMITS).admit(b"".join(line + b"\n" for line in lines))
    assert verdict is not None
    assert verdict.type == "EventStreamBroken"


@pytest.mark.parametrize(
    "line",
    [
        b'{"kind":"program_finished","seq":1,"line":null,"status":"ok","x":1}',
        b'{"kind":"program_finished","seq":1,"line":null,"status":"ok","kind":"output_printed"}',
        b'{"seq":1,"kind":"program_finished","line":null,"status":"ok"}',
        b'{"kind": "program_finished","seq":1,"line":null,"status":"ok"}',
    ],
)
def test_a_line_with_another_field_or_its_kind_elsewhere_ends_the_run(line):
    """Such lines stay out of the log, where readers find a kind by the first bytes."""
    found, verdict = Admission(LIMITS).admit(started() + b"\n" + line + b"\n")
    assert found == [started()]
    assert verdict is not None
    assert verdict.type == "EventStreamBroken"


def test_no_struct_of_an_event_takes_unknown_fields():
    """The log keeps each line unchanged, so a field that no struct declares has to be refused."""
    waiting: list[Any] = list(events.KINDS.values())
    seen: set[type] = set()
    while waiting:
        found = waiting.pop()
        if isinstance(found, type) and issubclass(found, msgspec.Struct) and found not in seen:
            seen.add(found)
            assert found.__struct_config__.forbid_unknown_fields, found
            waiting += get_type_hints(found, include_extras=True).values()
        waiting += get_args(found)
    assert Summary in seen


def _recorded(name: str) -> list[bytes]:
    """Run an example and return its events."""
    written: list[bytes] = []
    runner.run((Path(backscope_server.__file__).parent / "examples" / f"{name}.py").read_text(), written.append)
    return b"".join(written).splitlines()


_PROGRAMS = ("01_first_backward", "15_in_place_error", "16_hooks", "28_where_nan")
_LINES = [line for name in _PROGRAMS for line in _recorded(name)]
_WORDS = rb"""" \ \u0041 \ud800 , { } [ ] - 0 1e999 1e5 . NaN null true "seq":1, "line":2, "kind":"paused","""
_PIECES = [*_WORDS.split(), b" ", b"\t", b"\x00", b"\x7f", b"\xff", b"\xed\xa0\x80", b"\xc3\xa9"]


@settings(max_examples=600, deadline=None, derandomize=True)
@given(st.sampled_from(_LINES), st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 3), st.sampled_from(_PIECES))))
def test_what_is_kept_reads_as_what_was_checked(line, edits):
    """Whatever bytes are admitted, every reader of JSON finds in them the event that was checked."""
    for at, removed, piece in edits:
        at %= len(line) + 1
        line = line[:at] + piece + line[at + removed :]
    try:
        event = events.decode(line)
    except (ValueError, RecursionError, OverflowError):
        return
    assert events.decode(json.dumps(json.loads(line)).encode()) == event


def test_events_before_a_bad_one_are_kept():
    found, verdict = Admission(LIMITS).admit(started() + b"\n" + printed(1) + b"\nbad\n")
    assert found == [started(), printed(1)]
    assert verdict is not None


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        ([started(), printed(1, "é" * 300), printed(2, "é" * 300)], "OutputLimitExceeded"),
        ([started(), *(printed(seq) for seq in range(1, 101))], "EventLimitExceeded"),
        ([started(), b" " * 20_000], "EventLimitExceeded"),
    ],
)
def test_quotas(lines, kind):
    found, verdict = Admission(LIMITS).admit(b"".join(line + b"\n" for line in lines))
    assert verdict is not None
    assert verdict.type == kind
    assert len(found) <= LIMITS.events


def test_a_line_without_end_is_not_collected_for_ever():
    admission = Admission(LIMITS)
    for _ in range(10):
        _, verdict = admission.admit(b"x" * 1001)
    assert verdict is not None
    assert verdict.type == "EventLimitExceeded"


def answered(admission: Admission, *answers: commands.Reply) -> ending.Ending | None:
    _, verdict = admission.admit(b"".join(commands.encode(answer) + b"\n" for answer in answers))
    return verdict


def test_only_the_watch_in_force_and_unanswered_ones_are_remembered():
    admission = Admission(LIMITS)
    for number in range(1, 1001):
        admission.awaited.add(number)
        admission.watching.add(number)
        assert answered(admission, commands.WatchSet(id=number, unusable=[])) is None
        assert answered(admission, commands.Watched(id=number, changes=[])) is None
    assert admission.watching == {1000}

    for number in (1001, 1002):
        admission.awaited.add(number)
        admission.watching.add(number)
    assert answered(admission, commands.Watched(id=1000, changes=[])) is None  # It was sent before 1001 was read.
    assert answered(admission, commands.Refused(id=1001, reason="")) is None
    assert admission.watching == {1000, 1002}
    assert answered(admission, commands.WatchSet(id=1002, unusable=[])) is None
    assert admission.watching == {1002}
    verdict = answered(admission, commands.Watched(id=1000, changes=[]))
    assert verdict is not None
    assert verdict.type == "EventStreamBroken"


def checked(lines: list[bytes]) -> tuple[list[bytes], str]:
    admitted = Lines()
    status = check_recorded(lines, LIMITS, admitted)
    return list(admitted), status


def test_a_recorded_log_is_checked_as_a_whole():
    assert checked(whole()) == (whole(), "ok")
    for lines, text in [
        ([], "cut off"),
        (whole()[:-1], "cut off"),
        (whole()[1:], "Event 0"),
        ([*whole(), finished(21)], "Event 21"),
        ([started(), b"{}"], "Event 1"),
        ([started(), b"\xff"], "Event 1"),
        ([started(), printed(1, "x" * 10_000)], "BACKSCOPE_EVENT_BYTES"),
        ([started(), printed(1, line=-3)], "Event 1"),
    ]:
        with pytest.raises(NotATrace, match=text):
            checked(lines)


def test_the_servers_last_events_are_part_of_a_recording():
    lines = [started(), *ending.closing_events(ending.wall_time(LIMITS), 1, 3)]
    assert checked(lines) == (lines, "limit")
