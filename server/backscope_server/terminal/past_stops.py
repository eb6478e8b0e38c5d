"""Where breakpoints would have stopped the program in its recorded past."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from backscope.diagnosis.why.log.facts import is_odd
from backscope.protocol import commands as c, events as ev
from backscope_server.terminal.debug_session import DebugSession
from backscope_server.terminal.history import NODE_RUNS

_HAPPENINGS: dict[str, tuple[type[Any], ...]] = {
    "created": (ev.TensorCreated, ev.TensorNamed),
    "changed": (ev.TensorMutated,),
    "accumulated": (ev.GradAccumulated,),
    "gradient": (ev.GradAccumulated,),
    "released": (ev.TensorReleased,),
}
"""The events that a breakpoint on a tensor waits for."""


def find(session: DebugSession, numbers: range, breakpoints: Mapping[int, c.Breakpoint]) -> tuple[int, list[int]]:
    """Return the first of these moments at which breakpoints stop, and which; -1 and none where they stop at none.

    Where some have a condition or a number of hits, the program runs again with these.

    Raises: Impossible where it cannot run again.
    """
    counted = {one.id: one for one in breakpoints.values() if one.condition is not None or one.hits > 1}
    stopped: dict[int, list[int]] = {}
    if counted and numbers:
        history = session.history
        until = history.moments[max(numbers[0], numbers[-1])].last
        for stop in session.stops(list(counted.values()), until):
            stopped.setdefault(history.index(stop.seq), []).extend(stop.breakpoints)
    plain = [one for one in breakpoints.values() if one.id not in counted]
    for number in numbers:
        hit = [one.id for one in plain if _stops(session, one, number)] + stopped.get(number, [])
        if hit:
            return number, hit
    return -1, []


def _stops(session: DebugSession, one: c.Breakpoint, number: int) -> bool:
    """Return whether a breakpoint without a condition stops at a moment."""
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
