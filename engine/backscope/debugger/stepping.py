"""Decides where a program stops: at its lines, before and after the nodes of its passes, after recorded moments.

It is made of parts that each own their state: breakpoints, the goal of a step, watched expressions, the checks that are
set, the command loop, and the stop itself.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any, NamedTuple

from backscope.debugger.arming import Arming, Checks
from backscope.debugger.breakpoints.armed import Reached, hits
from backscope.debugger.breakpoints.breakpoint_set import BreakpointSet
from backscope.debugger.breakpoints.reached import ReachedBreakpoints
from backscope.debugger.command_loop import CommandLoop
from backscope.debugger.goal import Goal
from backscope.debugger.line_flags import LineFlags
from backscope.debugger.own_work import OwnWork
from backscope.debugger.pausing import Pausing
from backscope.debugger.recording import Recording
from backscope.debugger.stoppable_files import StoppableFiles
from backscope.debugger.stopped import StopNames
from backscope.debugger.stopping import STOP, Places
from backscope.debugger.watching import Watching
from backscope.diagnosis.user_frame import Stack, in_line, stack_of, user_stack


class Parts(NamedTuple):
    """What a debugger is made of."""

    files: StoppableFiles
    own_work: OwnWork
    line_flags: LineFlags
    goal: Goal
    breakpoints: BreakpointSet
    watching: Watching
    checks: Checks
    arming: Arming
    commands: CommandLoop
    pausing: Pausing


class Stepping:
    """The debugger of one run, whatever its program computes with.

    `places` has the lines at which the main file can stop, once checks are woven into it.  `stops` has the flags of
    these lines, and `stop_here` is the function that the program calls where one is set.
    """

    def __init__(self, recorder: Recording, parts: Parts) -> None:
        self.recorder = recorder
        self._files = parts.files
        self.places = parts.files.main
        self._own_work = parts.own_work
        self._line_flags = parts.line_flags
        self._goal = parts.goal
        self._breakpoints = parts.breakpoints
        self._watching = parts.watching
        self._checks = parts.checks
        self._arming = parts.arming
        self._commands = parts.commands
        self._pausing = parts.pausing
        self.stops = self._line_flags.flags

    def begin(self) -> None:
        """Carry out the commands that have come before the program runs; it was made stoppable by now."""
        self._line_flags.make(self.places.last)
        self._run_pending()

    def stops_of(self, path: str) -> list[bool]:
        """Return the flags of a file besides the main one, by the path that its code has."""
        return self._line_flags.of(self.recorder.code.others.numbers[path])

    def imported(self, path: str, places: Places) -> None:
        """Set the breakpoints of a file that the program imports, which was made stoppable at these places."""
        number = self.recorder.code.others.numbers[path]
        self._files.imported(self.recorder.code.others.name(number), number, places)
        self._line_flags.make(places.last, number)
        self._breakpoints.place_lines()
        self._arming.arm_lines()

    def end(self) -> None:
        """Stop nothing any more, and refuse the commands that still come: the program is over."""
        self._own_work.active = True
        self._checks.remove()
        self._commands.refuse_pending()

    def ended(self, error: BaseException | None, space: dict[str, Any], filename: str) -> None:
        """Stop at the end of the program, which an error may have caused, if the goal of a step is there.

        After an error the frames to look into are those that it came through.
        """
        if self._goal.kind != "seq" or not self._goal.at_end or self._own_work.active:
            return
        if self._watching.active:
            self._watching.sample()
        self.recorder.drain()
        if error is None:  # The frame of the program is gone: another one is made with its variables, at its last line.
            tree = ast.increment_lineno(ast.parse(f"{STOP}()"), max(self.places.last, 1) - 1)
            space[STOP] = lambda: self._pausing.stop("step", "end")
            exec(compile(tree, filename, "exec"), space)  # noqa: S102
        elif not isinstance(error, MemoryError):  # After that one, variables were let go of.
            self._pausing.stop("step", "end", stack=stack_of(error, self.recorder.code))

    def tick(self, frame: FrameType | None) -> None:
        """Carry out the commands that have come; the timer calls this while the program runs `frame`."""
        self._watching.flush()
        if self._own_work.active:
            return
        if self._commands.pending():
            self._run_pending()
        # Also for a command that came where the program could not pause, as between a prompt and what is typed.
        if self._goal.kind == "pause" and in_line(frame, self.recorder.code):
            self._pausing.stop("pause", "line")

    def _run_pending(self) -> None:
        with self._own_work:
            self._commands.run_pending()
            self._arming.arm()

    def stop_here(self, for_steps: bool = False, for_breakpoints: bool = False, nesting: int = 0) -> None:
        """Stop before a line if a breakpoint or the goal of a step says so; the program calls this, its flag being set.

        At some places only steps stop (`for_steps`), at some only breakpoints.  `nesting` counts the comprehensions
        around the place.
        """
        self.stop_in(sys._getframe(1), for_steps, for_breakpoints, nesting)

    def stop_in(self, frame: FrameType, for_steps: bool, for_breakpoints: bool, nesting: int) -> None:
        """Do what stop_here() does, before the line of a frame."""
        if self._own_work.active:
            return
        goal = self._goal
        goal.nesting = nesting
        reached = self._breakpoints.matching.reached
        if reached.entries and goal.kind != "end":
            self._arming.arm()  # It clears the flags that were set for this stop.
            self.stop_at_breakpoints(reached, "line")
        elif not for_breakpoints and goal.reached_at_line(frame):
            self._pausing.stop(goal.reason, "line")
        elif goal.kind != "end" and not for_steps:
            on_line = self._breakpoints.lines.get(self.recorder.code.line_at(frame.f_code, frame.f_lineno) or 0)
            if on_line:
                self._stop_if_hit([(armed, None) for armed in on_line], "line")
        goal.nesting = 0

    def raised(self, error: BaseException | None) -> None:
        """Stop where an exception leaves a function of the program or is caught in one, if a breakpoint says so."""
        if (
            error is None
            or self._own_work.active
            or isinstance(error, (GeneratorExit, StopIteration, StopAsyncIteration))
        ):
            return
        matching = self._breakpoints.matching
        matching.exceptions.raised(error)
        self.stop_at_breakpoints(matching.reached, "line", error=error)

    def stop_at_breakpoints(
        self,
        reached: ReachedBreakpoints,
        where: str,
        node: object = None,
        *,
        error: BaseException | None = None,
        names: StopNames | None = None,
    ) -> None:
        """Stop if one of the breakpoints that were reached says so, by its condition and count, and forget them."""
        if reached.entries:
            entries = list(reached.entries)
            reached.entries.clear()
            self._stop_if_hit(entries, where, node, error, names)

    def _stop_if_hit(
        self,
        reached: Sequence[Reached],
        where: str,
        node: object = None,
        error: BaseException | None = None,
        names: StopNames | None = None,
    ) -> None:
        stack = self._stack()
        with self._own_work:
            found, note = hits(reached, stack.frames[0] if stack.frames else None, names)
        if found:
            self._pausing.stop(
                "breakpoint", where, node=node, breakpoints=found, note=note, error=error, stack=stack, names=names
            )

    def _stack(self) -> Stack:
        """Return the user's frames where the program is."""
        return user_stack(sys._getframe(1), self.recorder.code)
