"""Where breakpoints would have stopped the program in its recorded past."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from backscope.diagnosis.why.log.facts import is_odd
from backscope.protocol import commands as c, events as ev
from backscope_server.terminal.debug_session import DebugSession, Impossible
from backscope_server.terminal.history import NODE_RUNS

_HAPPENINGS: dict[str, tuple[type[Any], ...]] = {
    "created": (ev.TensorCreated, ev.TensorNamed),
    "changed": (ev.TensorMutated,),
    "accumulated": (ev.GradAccumulated,),
    "gradient": (ev.GradAccumulated,),
    "released": (ev.TensorReleased,),
}
"""The events that a breakpoint on a tensor waits for."""


def find(
    session: DebugSession, numbers: Iterable[int], breakpoints: Mapping[int, c.Breakpoint]
) -> tuple[int, list[int]]:
    """Return the first of these moments at which breakpoints stop, and which; -1 and none where they stop at none.

    A condition is evaluated by running the program again up to there; counts of hits are not applied.
    """
    for number in numbers:
        hit = [one.id for one in breakpoints.values() if _stops(session, one, number)]
        hit = [one for one in hit if _holds(session, breakpoints[one].condition, number)]
        if hit:
            return number, hit
    return -1, []


def _holds(session: DebugSession, condition: str | None, number: int) -> bool:
    if condition is None:
        return True
    seq = session.history.moments[number].last
    try:
        look = session.look(c.Evaluate(id=0, expression=f"bool({condition})"), seq).look
    except Impossible:
        return False
    return bool(look.text == "True")


def _stops(session: DebugSession, one: c.Breakpoint, number: int) -> bool:
    """Return whether a breakpoint stops at a moment, without its condition."""
    history = session.history
    moment = history.moments[number]
    if isinstance(one, c.LineBreakpoint):
        line = history.tape.files.line_of(one.line, one.file)
        return line is not None and history.begins(number, line)
    return any(_fits(session, one, event) for event in history.inside(moment))


def _fits(session: DebugSession, one: c.Breakpoint, event: Any) -> bool:
    """Return whether an event is one that a breakpoint on anything but a line stops at."""
    tape = session.history.tape
    if isinstance(one, c.OpBreakpoint):
        if isinstance(event, ev.OpApplied):
            return event.op == one.name
        if isinstance(event, NODE_RUNS):
            facts = tape.nodes.get(event.node)
            return facts is not None and facts.name == one.name
        return isinstance(event, ev.ModuleEntered) and event.path == one.name
    if isinstance(one, c.NodeBreakpoint):
        return isinstance(event, ev.NodeStarted) and event.node == one.node
    if isinstance(one, c.TensorBreakpoint):
        return _concerns(session, one, event)
    if isinstance(one, c.NonFiniteBreakpoint):
        values = (
            [output.value for output in event.outputs]
            if isinstance(event, ev.OpApplied)
            else [event.value]
            if isinstance(event, ev.GradientSent)
            else []
        )
        return any(is_odd(value) for value in values)
    if isinstance(one, c.FreedBreakpoint):
        facts = tape.nodes.get(event.node) if isinstance(event, ev.BufferFreed) else None
        return isinstance(event, ev.BufferFreed) and (
            one.name is None or (facts is not None and facts.name == one.name)
        )
    if isinstance(one, c.HookBreakpoint):
        return isinstance(event, ev.HookRan) and one.name in (None, event.hook)
    if isinstance(one, c.ExceptionBreakpoint):
        return isinstance(event, ev.ErrorRaised) and one.type in (None, event.type)
    return isinstance(event, ev.GradientSent) and _beyond(event.value, one)


def _concerns(session: DebugSession, one: c.TensorBreakpoint, event: Any) -> bool:
    """Return whether an event is what a breakpoint on a tensor waits for."""
    if not isinstance(event, _HAPPENINGS[one.when]):
        return False
    number = one.tensor if isinstance(one.tensor, int) else session.history.tape.find(one.tensor, event.seq)
    return number is not None and (event.info.tensor if isinstance(event, ev.TensorCreated) else event.tensor) == number


def _beyond(value: ev.Summary, one: c.Breakpoint) -> bool:
    if not isinstance(one, c.GradientNormBreakpoint) or not isinstance(value.norm, (int, float)):
        return False
    return (one.above is not None and value.norm > one.above) or (one.below is not None and value.norm < one.below)
