"""Pauses of the debugger, and the values that its user changes."""

from __future__ import annotations

from backscope.protocol.event_parts import Stack
from backscope.protocol.events.base_event import BaseEvent
from backscope.protocol.field_types import Identity, Many, Name, Natural


class Paused(BaseEvent, frozen=True, kw_only=True):
    """The debugger stopped the program; everything before is in the log, and nothing follows until the program goes on.

    `reason` is "pause", "step" or "breakpoint", and `breakpoints` has those that stopped it.  `where` is "line" before
    a line runs, "moment" after the last event, "before node" or "after node" in the backward pass `call` at `node`, or
    "end" where the program ended and its variables still exist.  `stack` has the frames of the user's code, outermost
    first; where it is deep only the innermost, and `frames_left_out` counts the others.  `note` is a remark for the
    user.
    """

    reason: Name
    breakpoints: Many[Natural]
    where: Name
    call: Identity | None
    node: Identity | None
    stack: Stack
    note: Name | None
    frames_left_out: Natural = 0


class Resumed(BaseEvent, frozen=True, kw_only=True):
    """The program goes on; `to` is "resume" or the goal of the step."""

    to: Name


class ValueChanged(BaseEvent, frozen=True, kw_only=True):
    """The user of the debugger ran the assignment `target = expression` in a function of the paused program.

    Its effects on tensors follow as events, as for any other statement.
    """

    function: Name
    target: Name
    expression: Name
