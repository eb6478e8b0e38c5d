"""Sets the line flags and the recorder's methods that breakpoints and steps need, and no others.

They are the flags of lines that are woven into the program (stopping.py), methods that check for a stop in place of the
recorder's, and one attribute that a pass reads before each node.  Without breakpoints, reading these is all the cost.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from types import CodeType
from typing import Any, Protocol

from backscope.autograd.modes.grad_mode import mode
from backscope.debugger.attribution.gradient_trace import Starting
from backscope.debugger.breakpoint import Breakpoints, Reached
from backscope.debugger.matching import Match, Matching
from backscope.debugger.stop_points import EVENTS_OF_A_MOMENT, MOMENTS, UNSEEN, WHERE
from backscope.debugger.stopping import Places
from backscope.debugger.watching import Watching
from backscope.protocol.transport import Transport
from backscope.recorder.recorder import Recorder
from backscope.runtime.listener import Listener
from backscope.runtime.listening import hub
from backscope.tensor.tensor import Tensor


class Timer(Protocol):
    """What interrupts a program from time to time."""

    def hold(self) -> None:
        """Suspend it while the program is paused."""

    def go_on(self) -> None:
        """Resume it."""


class Arming:
    """What a run waits for: breakpoints, the goal of a step, watched expressions.

    `stops` has a flag for each line.
    """

    def __init__(self, recorder: Recorder, transport: Transport, timer: Timer) -> None:
        self.recorder = recorder
        self.transport = transport
        self.timer = timer
        self.places = Places()
        self.stops: list[bool] = []
        self.breakpoints = Breakpoints(self.places)
        self.matching = Matching(recorder, (), self._soon)
        self.watching: Watching | None = None
        self.goal: str | None = None
        self.target = 0
        self.at_end = False
        self._from: tuple[int, CodeType | None, tuple[int, int]] = (0, None, (0, 0))
        self._nesting = 0
        self._since = 0
        self._at_nodes = False
        self._near = False
        self._busy = False
        self._mode: tuple[bool, Listener | None] = (True, None)
        self._inside = 0
        self._asked: tuple[Any, dict[str, Callable[..., Any]]] | None = None
        self._starting: Starting | None = None

    def _arm(self) -> None:
        """Set the checks that breakpoints and the goal of a step need; take the others away."""
        goal = self.goal
        # A release has no method that could stop: near the event to stop at, lines and nodes are checked as well.
        self._near = near = goal == "seq" and self.recorder.journal.seq + EVENTS_OF_A_MOMENT > self.target
        everywhere = near or goal in ("pause", "into", "line", "out")
        stops = [everywhere] * len(self.stops)
        moments: tuple[str, ...] = ()
        if goal in ("pause", "moment", "seq") or self.watching is not None:
            moments = MOMENTS
        elif goal == "backward":
            moments = ("backward_started",)
        elif goal == "node":
            moments = ("accumulating", "backward_failed")
        if not everywhere and goal != "end":
            for line in self.breakpoints.lines:
                stops[line] = True
        if stops:
            stops[0] = bool(self.matching.exceptions) and goal != "end"
        self.stops[:] = stops
        if self.matching.reached:
            self._soon()
        matches = {} if goal == "end" else self.matching.moments
        self._at_nodes = near or goal in ("pause", "node") or (goal != "end" and self.matching.at_nodes)
        self._ask(moments, matches)

    def _ask(self, moments: Iterable[str], matches: dict[str, Match | None]) -> None:
        """Have the recorder ask after these moments, for the goal and for breakpoints, and after no others."""
        recorder, matching = self.recorder, self.matching
        names = dict.fromkeys([*moments, *matches])
        if self._asked is None or self._asked[0] != (moments, matches):
            steps = set(moments)
            asking = {
                name: self._after(name, recorder.part_methods[name], name in steps, matches.get(name)) for name in names
            }
            self._asked = (moments, matches), asking
        recorder.replace(self._asked[1])
        if "accumulating" in moments or "accumulated" in moments:
            recorder.waits = lambda *_: True
        elif "accumulating" in names or "accumulated" in names:
            recorder.waits = matching.waits()
        recorder.changes.on_changed = self._changed if matches and matching.looks_at_changes else None
        recorder.identities.on_introduced = matching.met if matches and matching.made else None

    def _changed(self, how: str, tensor: Tensor, line: Any) -> None:
        """A change of memory was recorded, within another moment."""
        if not self._busy:
            self.matching.changed(how, tensor, line)

    def _after(self, name: str, plain: Callable[..., Any], steps: bool, match: Match | None) -> Callable[..., Any]:
        """The recorder's method `plain`, which asks after its moment."""
        matching = self.matching
        where = WHERE.get(name, "moment")

        def tell(*arguments: Any, **named: Any) -> Any:
            # One moment may be recorded within another; only the outer one is whole.
            self._inside += 1
            try:
                result = plain(*arguments, **named)
            finally:
                self._inside -= 1
            if self._busy:
                return result
            if match is not None:
                match(*arguments, **named)
            if not self._inside:
                if self.watching is not None and name not in UNSEEN:
                    self._sample()
                if matching.reached:
                    self._reach(matching.reached, where, arguments[0] if where != "moment" else None)
                elif steps:
                    if name == "backward_started":
                        task, _, _, roots, *_ = arguments
                        self._starting = Starting(roots, task, self.recorder)
                    self._told(name, arguments)
                    self._starting = None
            return result

        def ask(*arguments: Any, **named: Any) -> None:
            if match is not None and not self._busy:
                match(*arguments, **named)
                if matching.reached and not self._inside:
                    self._reach(matching.reached, where, arguments[0] if where != "moment" else None)

        return (None if steps else matching.method(name, plain, tell, ask)) or tell

    def _sample(self) -> None:
        """Look at what is watched."""
        assert self.watching is not None
        self._busy = True
        outer = mode.enabled, hub.listener
        mode.enabled, hub.listener = False, None
        try:
            self.watching.sample(sys._getframe(1))
        finally:
            mode.enabled, hub.listener = outer
            self._busy = False

    def _soon(self) -> None:
        """A breakpoint was reached where a program cannot stop: let it do so at its next line."""
        self.stops[:] = [True] * len(self.stops)

    def _reach(self, reached: list[Reached], where: str, node: Any = None) -> None:
        """Stop where breakpoints that are reached say so."""
        raise NotImplementedError

    def _told(self, moment: str, arguments: tuple[Any, ...]) -> None:
        """The recorder told something."""
        raise NotImplementedError
