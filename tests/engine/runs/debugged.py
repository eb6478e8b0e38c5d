"""Runs programs with the debugger and without it."""

from __future__ import annotations

from typing import Any

import msgspec

from backscope.program.runner import run
from backscope.protocol import commands as c, events as ev
from backscope.protocol.transport import Script


def debugged(
    source: str, breakpoints: list[Any], then: list[Any]
) -> tuple[list[Any], list[ev.Paused], list[c.Answer], str]:
    """Run a program with breakpoints and commands; return its events, stops, answers and status."""
    numbered = [
        msgspec.structs.replace(x, id=n) if not isinstance(x, str) else c.Step(id=n, to=x)  # type: ignore[arg-type]
        for n, x in enumerate(then, 1)
    ]
    script = Script([c.SetBreakpoints(id=0, breakpoints=breakpoints)], numbered)
    written: list[bytes] = []
    status = run(source, written.append, transport=script)
    events: list[Any] = [ev.decode(line) for line in b"".join(written).splitlines()]
    return events, [e for e in events if isinstance(e, ev.Paused)], script.answers, status


def plain(source: str) -> list[Any]:
    """Return the events of a run without a debugger."""
    written: list[bytes] = []
    run(source, written.append)
    return [ev.decode(line) for line in b"".join(written).splitlines()]


def without_pauses(events: list[Any]) -> list[Any]:
    """Return the events other than paused and resumed, without their numbers."""
    return [msgspec.structs.replace(e, seq=0) for e in events if not isinstance(e, (ev.Paused, ev.Resumed))]


def line(number: int, **options: Any) -> c.LineBreakpoint:
    """Return a breakpoint on a line, with the line number as its id."""
    return c.LineBreakpoint(id=number, line=number, **options)
