"""Sets the checks that the breakpoints and the goal of a step need, and no others.

They are the flags of lines that are woven into the program (stopping.py), methods that check for a stop in place of the
recorder's (moment_checks.py), and one attribute that a pass reads before each node.  Without breakpoints, reading these
is all the cost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from backscope.debugger.breakpoints.breakpoint_set import BreakpointSet
from backscope.debugger.breakpoints.matching import Match
from backscope.debugger.goal import Goal
from backscope.debugger.line_flags import LineFlags
from backscope.debugger.stop_points import MOMENTS
from backscope.debugger.watching import Watching


class Checks(Protocol):
    """Checks for a stop after moments."""

    def set(self, moments: tuple[str, ...], matches: Mapping[str, Match | None]) -> None:
        """Check after `moments` for the goal of a step, and after those of `matches` for breakpoints."""

    def remove(self) -> None:
        """Check no more."""


class Arming:
    """`at_nodes` is True where a pass is to be checked between its nodes."""

    def __init__(
        self,
        breakpoints: BreakpointSet,
        goal: Goal,
        watching: Watching,
        line_flags: LineFlags,
        moment_checks: Checks,
    ) -> None:
        self.at_nodes = False
        self._breakpoints = breakpoints
        self._goal = goal
        self._watching = watching
        self._line_flags = line_flags
        self._moment_checks = moment_checks

    def arm(self) -> None:
        """Set all checks anew; called after a breakpoint, the goal or a watched expression has changed."""
        goal, matching = self._goal, self._breakpoints.matching
        goal.update()
        self.arm_lines()
        to_end = goal.kind == "end"
        self.at_nodes = goal.at_every_node or (not to_end and matching.at_nodes)
        moments = MOMENTS if self._watching.active else goal.moments
        self._moment_checks.set(moments, {} if to_end else matching.moments)

    def arm_lines(self) -> None:
        """Set the flags of lines anew; called, too, after a file was imported."""
        goal, matching = self._goal, self._breakpoints.matching
        to_end = goal.kind == "end"
        self._line_flags.set(
            every_line=goal.at_every_line,
            lines=() if to_end else self._breakpoints.lines,
            exceptions=bool(matching.exceptions.armed) and not to_end,
        )
        if matching.reached.entries:
            self._line_flags.set_all()
