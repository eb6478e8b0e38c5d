"""The goal of a step: where a running program stops next, breakpoints aside."""

from __future__ import annotations

from types import CodeType, FrameType

from backscope.debugger.recording import Recording
from backscope.debugger.stop_points import EVENTS_OF_A_MOMENT, MOMENTS
from backscope.diagnosis.user_frame import Stack, depth_of
from backscope.protocol.commands import Step


class Goal:
    """`kind` is the `to` of a Step command or "pause"; None where the program runs up to a breakpoint.

    `target` is the event that a step to "seq" goes to, and `near` is True when the next moment may record it.
    `nesting` counts the comprehensions around the current place: since Python 3.12 they run in the frame of their
    statement.
    """

    def __init__(self, recorder: Recording) -> None:
        self.kind: str | None = None
        self.target = 0
        self.at_end = False
        self.near = False
        self.nesting = 0
        self._recorder = recorder
        self._begun_at = 0
        self._frame = 0
        self._code: CodeType | None = None
        self._depth = (0, 0)

    def step(self, command: Step, stack: Stack) -> None:
        """Take the goal of a step that begins at the innermost frame of `stack`."""
        self.kind = command.to
        self.target = command.seq or 0
        self.at_end = command.at_end
        frame = stack.frames[0] if stack.frames else None
        self._frame, self._code = id(frame), None if frame is None else frame.f_code
        self._depth = (0 if frame is None else depth_of(frame), self.nesting)

    def pause(self) -> None:
        """Stop at the first place where that is possible."""
        self.kind = "pause"
        self._begun_at = 0

    def resumed(self) -> None:
        """Note that the program goes on: a step to the next moment needs an event after the last one so far."""
        self._begun_at = self._recorder.journal.seq

    def update(self) -> None:
        """Set `near` by the number of events so far."""
        self.near = self.kind == "seq" and self._is_close()

    def becomes_near(self) -> bool:
        """Return whether update() would set `near` now, after some moments of a step to an event."""
        return not self.near and self._is_close()

    def _is_close(self) -> bool:
        return self._recorder.journal.seq + EVENTS_OF_A_MOMENT > self.target

    @property
    def reason(self) -> str:
        """The reason of a stop that reaches the goal."""
        return "pause" if self.kind == "pause" else "step"

    @property
    def at_every_line(self) -> bool:
        """True if each line may be the goal; near an event too, as some events are recorded where nothing can stop."""
        return self.near or self.kind in ("pause", "into", "line", "out")

    @property
    def at_every_node(self) -> bool:
        """True if each node of a pass may be the goal."""
        return self.near or self.kind in ("pause", "node")

    @property
    def moments(self) -> tuple[str, ...]:
        """The moments that may reach the goal."""
        if self.kind in ("pause", "moment", "seq"):
            return MOMENTS
        if self.kind == "backward":
            return ("backward_started",)
        if self.kind == "node":
            return ("accumulating", "backward_failed")
        return ()

    def has_new_events(self) -> bool:
        """Write what was recorded, and return whether there was an event since the program went on."""
        self._recorder.drain()
        return self._recorder.journal.seq > self._begun_at

    def reached_target(self) -> bool:
        """Return whether the target is recorded; the number of pending events is estimated, to write them rarely."""
        recorder = self._recorder
        if recorder.journal.seq + EVENTS_OF_A_MOMENT * len(recorder.journal.moments) > self.target:
            recorder.drain()
        return recorder.journal.seq > self.target

    def reached_at_node(self) -> bool:
        """Return whether the goal is reached before a node of a pass runs."""
        return self.kind in ("node", "pause") or (self.kind == "seq" and self.reached_target())

    def reached_at_line(self, frame: FrameType) -> bool:
        """Return whether the goal is reached before the line that `frame` is at."""
        kind = self.kind
        if kind in ("pause", "into"):
            return True
        if kind == "seq":
            return self.reached_target()
        if kind in ("line", "out"):
            here = (depth_of(frame), self.nesting)
            if kind == "line" and id(frame) == self._frame and frame.f_code is self._code:
                return here <= self._depth
            return here < self._depth
        return False
