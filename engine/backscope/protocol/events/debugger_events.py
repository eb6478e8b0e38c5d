"""Pauses of the debugger, and the values that its user changes."""

from __future__ import annotations

from backscope.protocol.event_parts import Stack
from backscope.protocol.events.base_event import BaseEvent
from backscope.protocol.field_types import Identity, Many, Name, Natural


class Paused(BaseEvent, frozen=True, kw_only=True):
    """The debugger stopped the program; everything before has been told, and nothing follows until it goes on.

    `reason` is "pause", "step" or "breakpoint", and `breakpoints` has those that stopped it.  `where` is "line" before
    a line runs, "moment" after what was told last, "before node" or "after node" in a backward pass, of which `call`
    and `node` say where, or "end" where the program is over and its variables are still there.  `stack` has the frames
    of the user's code, outermost first, of a deep one the innermost, and `frames_left_out` counts those around them;
    `note` is what else there is to say.
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
    """The program goes on; `to` is "resume" or what it was told to step to."""

    to: Name


class ValueChanged(BaseEvent, frozen=True, kw_only=True):
    """The user of the debugger carried out `target = expression` in a function of the paused program.

    What that does to tensors follows as for any other statement.
    """

    function: Name
    target: Name
    expression: Name
