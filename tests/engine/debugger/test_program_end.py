"""Protects stops at the end of a program, after an error too, and at the recursion limit."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from debugged import debugged, plain, without_pauses

from backscope.program.runner import run
from backscope.protocol import commands as c, events as ev
from backscope.protocol.transport import Script


def ending(source: str, *looks: Any) -> tuple[ev.Paused, list[Any], list[Any]]:
    """Step a program to an event after its last one; return the stop at its end, the answers there, all events."""
    to_the_end = c.Step(id=1, to="seq", seq=10_000, at_end=True)
    script = Script([c.Pause(id=0)], [to_the_end, *[msgspec.structs.replace(look, id=2) for look in looks]])
    written: list[bytes] = []
    run(source, written.append, transport=script)
    events: list[Any] = [ev.decode(line) for line in b"".join(written).splitlines()]
    assert without_pauses(events) == without_pauses(plain(source))
    (stop,) = [e for e in events[2:] if isinstance(e, ev.Paused)]
    return stop, script.answers[2:], events


def test_a_program_stops_at_its_end() -> None:
    """All its output is recorded by then, and its variables can be read."""
    stop, (seen,), events = ending("x = 1\nprint('half', end='')\nx += 1\n", c.Evaluate(id=0, expression="x"))
    assert (stop.where, stop.line, stop.reason) == ("end", 3, "step")
    assert [type(e) for e in events[stop.seq - 1 :]] == [ev.OutputPrinted, ev.Paused, ev.Resumed, ev.ProgramFinished]
    assert seen.look.text == "2"


def test_after_an_error_its_frames_can_be_read() -> None:
    """The innermost frame comes first, at the line that raised."""
    source = "def f(a):\n    b = a * 2\n    raise ValueError(b)\nf(4)\n"
    looks = [c.Evaluate(id=0, expression="b"), c.ListLocals(id=0, frame=1)]
    stop, (inner, outer), _ = ending(source, *looks)
    assert [(t.line, t.function) for t in stop.stack] == [(4, "<module>"), (3, "f")]
    assert (inner.look.text, outer.function, outer.line) == ("8", "<module>", 4)


def test_a_program_that_leaves_by_sys_exit_stops_once() -> None:
    """The status of the run does not change."""
    _, _, events = ending("import sys\nsys.exit()\n")
    assert events[-1].status == "ok"


def _but_for_depth(event: Any) -> Any:
    """Replace the number of omitted frames by 1: the debugger's own calls at the limit take some."""
    count = getattr(event, "frames_left_out", 0)
    return msgspec.structs.replace(event, frames_left_out=1) if count else event


@pytest.mark.parametrize("body", ["return f(n + 1)", "y = x * 1\n    return f(n + 1) + y"])
def test_recursion_that_goes_too_deep_stops_once_and_is_recorded_as_without_a_debugger(
    body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The debugger's own calls need frames too: the error, its text and all events are as without it."""
    monkeypatch.setattr(
        "backscope.program.flush_timer.timer", lambda tick: None
    )  # A tick at the limit itself is an error there.
    source = (
        f"import torch\nx = torch.ones(1)\ndef f(n):\n    {body}\n"
        "try:\n    f(0)\nexcept RecursionError as e:\n    print(e)\ny = x * 2\nf(0)\n"
    )
    plain(source)  # The first run imports modules, which needs frames too.
    breakpoints = [c.ExceptionBreakpoint(id=1)]
    events, stops, _, status = debugged(source, breakpoints, [c.Resume(id=0)] * 4)
    assert status == "error"
    assert len(stops) == 2
    recorded, expected = ([_but_for_depth(e) for e in without_pauses(found)] for found in (events, plain(source)))
    assert recorded == expected
