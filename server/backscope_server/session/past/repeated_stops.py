"""The stops that breakpoints make in a program that is run again, each with the value of an expression there."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import NamedTuple

from backscope.debugger.expression import parsed
from backscope.protocol.commands import (
    Breakpoint,
    BreakpointsSet,
    Evaluate,
    Evaluated,
    Order,
    Refused,
    Reply,
    SetBreakpoints,
    Step,
)
from backscope.protocol.events import Paused
from backscope_server.session.past.course import Course
from backscope_server.session.past.replay_comparison import ReplayComparison
from backscope_server.session.past.run_record import RunRecord

MOST_STOPS = 1000
"""Stops at most at which an expression is evaluated."""
_AHEAD = ("line", "before node")
"""The places at which the program stops before something happens."""


class Stop(NamedTuple):
    """A stop: the event of the original run that it is at or right before, and the ids of its breakpoints.

    `text` is the value of the expression, or why it has none where `refused` is True; empty without an expression.
    """

    seq: int
    breakpoints: list[int]
    text: str
    refused: bool


Plan = Generator[Order, Reply | None, bool]
"""Yields what to send to the paused program; takes the answer to it; returns whether stops are left out."""


def stops(
    course: Course,
    comparison: ReplayComparison,
    record: RunRecord,
    index: int,
    breakpoints: Sequence[Breakpoint],
    expression: str | None,
    report: Callable[[Stop], None],
    most: int | None = None,
) -> Plan:
    """Plan the run of a paused program to the event at `index`, with stops at breakpoints that `report` is called with.

    With `most`, it ends before the stop after so many.

    The caller sends each command, waits after a step until the program is paused again, and gives the plan its answer.

    Raises: Unreachable; ValueError for a breakpoint that cannot be set, or an expression that is none.
    """
    answer = yield SetBreakpoints(id=0, breakpoints=list(breakpoints))
    if isinstance(answer, BreakpointsSet) and answer.unusable:
        raise ValueError(answer.unusable[0].reason)
    if expression is not None:
        parsed(expression)
    # It is before its first line, which no breakpoint stops it at any more.
    hit = _at_first_line(comparison.place, answer, breakpoints)
    count = 0
    while True:
        if hit and (place := comparison.place) is not None:
            course.check()
            if count == most:
                return True
            count += 1
            text, refused = "", False
            if expression is not None:
                text, refused = _text((yield Evaluate(id=0, expression=expression, frame=0)))
            at = min(comparison.index + (place.where in _AHEAD), record.last)
            report(Stop(record.seq(at), hit, text, refused))
        hit = []
        for order in course.to(index):
            yield order
            if isinstance(order, Step) and comparison.place is not None and comparison.place.breakpoints:
                hit = list(comparison.place.breakpoints)
                break
        else:
            return False


def _at_first_line(place: Paused | None, answer: Reply | None, breakpoints: Sequence[Breakpoint]) -> list[int]:
    """Return the ids of the breakpoints on the line that a program waits at before it begins."""
    if place is None or not isinstance(answer, BreakpointsSet):
        return []
    plain = {one.id for one in breakpoints if one.condition is None and one.hits == 1}
    here = {at.id for at in answer.places if at.line == place.line and not (at.file or place.file)}
    return sorted(plain & here)


def _text(answer: Reply | None) -> tuple[str, bool]:
    """Return the value that an answer has, and whether it is the reason for having none."""
    if isinstance(answer, Evaluated):
        return answer.look.text, False
    return (answer.reason if isinstance(answer, Refused) else "The program answered something else."), True
