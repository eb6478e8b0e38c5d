"""Recorder's methods with checks after them: whether breakpoints or the goal of a step stop the program there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from backscope.autograd.node import Node
from backscope.debugger.breakpoints.breakpoint_set import BreakpointSet
from backscope.debugger.breakpoints.matching import Match
from backscope.debugger.breakpoints.reached import ReachedBreakpoints
from backscope.debugger.own_work import OwnWork
from backscope.debugger.stop_points import WHERE, WITHOUT_NEW_VALUES
from backscope.debugger.watching import Watching
from backscope.recorder.recorder import Recorder
from backscope.tensor.tensor import Tensor


class MomentStops(Protocol):
    """Stops the program after moments."""

    def stop_at_breakpoints(self, reached: ReachedBreakpoints, where: str, node: Node | None = None) -> None:
        """Stop if one of the breakpoints that were reached says so, and forget them."""

    def moment_recorded(self, moment: str, arguments: tuple[Any, ...]) -> None:
        """Stop if the goal of a step is reached after a moment that was recorded with `arguments`."""


class MomentChecks:
    """Gives the recorder methods that check, for some moments; for all others it keeps its own.

    `stops` is called where a check says that the program may stop.
    """

    def __init__(
        self,
        recorder: Recorder,
        breakpoints: BreakpointSet,
        watching: Watching,
        own_work: OwnWork,
        stops: MomentStops,
    ) -> None:
        self._recorder = recorder
        self._breakpoints = breakpoints
        self._watching = watching
        self._own_work = own_work
        self._stops = stops
        self._depth = 0
        """How many moments are being recorded, one within the other: only the outermost is followed by a stop."""
        self._made: tuple[object, dict[str, Callable[..., Any]]] | None = None
        """The methods that were made last, with what they were made for."""

    def set(self, moments: tuple[str, ...], matches: Mapping[str, Match | None]) -> None:
        """Check after `moments` for the goal of a step, and after those of `matches` for breakpoints."""
        recorder, matching = self._recorder, self._breakpoints.matching
        names = dict.fromkeys([*moments, *matches])
        if self._made is None or self._made[0] != (moments, matches):
            steps = set(moments)
            methods = {
                name: self._method(name, recorder.part_methods[name], name in steps, matches.get(name))
                for name in names
            }
            self._made = (moments, matches), methods
        recorder.replace(self._made[1])
        if "accumulating" in moments or "accumulated" in moments:
            recorder.waits = lambda *_: True
        elif "accumulating" in names or "accumulated" in names:
            recorder.waits = matching.waits()
        recorder.changes.on_changed = self._changed if matches and matching.sees_changes else None
        recorder.identities.on_introduced = (
            matching.tensors.introduced if matches and matching.tensors.awaited else None
        )

    def remove(self) -> None:
        """Give the recorder its own methods back."""
        self._recorder.replace({})
        self._recorder.changes.on_changed = self._recorder.identities.on_introduced = None

    def _changed(self, how: str, tensor: Tensor, line: object) -> None:
        """Check a change of memory, which is recorded within another moment."""
        if not self._own_work.active:
            self._breakpoints.matching.changed(how, tensor, line)

    def _method(self, name: str, record: Callable[..., Any], steps: bool, match: Match | None) -> Callable[..., Any]:
        """Return the recorder's method `record` with a check: by `match` for breakpoints, with `steps` for the goal."""
        matching, watching, own_work, stops = self._breakpoints.matching, self._watching, self._own_work, self._stops
        reached, entries = matching.reached, matching.reached.entries
        where = WHERE.get(name, "moment")

        def record_and_check(*arguments: Any, **named: Any) -> Any:
            self._depth += 1
            try:
                result = record(*arguments, **named)
            finally:
                self._depth -= 1
            if own_work.active:
                return result
            if match is not None:
                match(*arguments, **named)
            if not self._depth:
                if watching.active and name not in WITHOUT_NEW_VALUES:
                    watching.sample()
                if entries:
                    stops.stop_at_breakpoints(reached, where, arguments[0] if where != "moment" else None)
                elif steps:
                    stops.moment_recorded(name, arguments)
            return result

        def check(*arguments: Any, **named: Any) -> None:
            if match is not None and not own_work.active:
                match(*arguments, **named)
                if entries and not self._depth:
                    stops.stop_at_breakpoints(reached, where, arguments[0] if where != "moment" else None)

        return (None if steps else matching.method(name, record, record_and_check, check)) or record_and_check
