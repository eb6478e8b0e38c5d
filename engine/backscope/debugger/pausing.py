"""A stop of the program: records it, carries out commands, and lets the program go on."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Protocol

from backscope.debugger.arming import Arming
from backscope.debugger.attribution.gradient_trace import Starting
from backscope.debugger.command_loop import CommandLoop
from backscope.debugger.goal import Goal
from backscope.debugger.own_work import OwnWork
from backscope.debugger.recording import Recording
from backscope.debugger.stopped import StopNames, Stopped
from backscope.debugger.watching import Watching
from backscope.diagnosis.user_frame import Stack, user_stack
from backscope.recorder import narration as say


class Timer(Protocol):
    """Interrupts a program from time to time."""

    def hold(self) -> None:
        """Suspend the interruptions while the program is paused."""

    def go_on(self) -> None:
        """Resume them."""


class Passes(Protocol):
    """The backward passes that are under way."""

    @property
    def call(self) -> int | None:
        """The number of the innermost one."""

    # Any: of the engine, or of PyTorch.
    @property
    def node(self) -> Any:
        """The node that runs, as the recorder has it."""


class Pausing:
    """Stops the program where it is, until a command resumes it; `identify` gives the number of a node."""

    def __init__(
        self,
        recorder: Recording,
        passes: Passes,
        identify: Callable[[Any], int | None],
        timer: Timer,
        commands: CommandLoop,
        goal: Goal,
        arming: Arming,
        watching: Watching,
        own_work: OwnWork,
    ) -> None:
        self._recorder = recorder
        self._passes = passes
        self._identify = identify
        self._timer = timer
        self._commands = commands
        self._goal = goal
        self._arming = arming
        self._watching = watching
        self._own_work = own_work

    def stop(
        self,
        reason: str,
        where: str,
        *,
        node: object = None,
        breakpoints: list[int] | None = None,
        note: str | None = None,
        error: BaseException | None = None,
        stack: Stack | None = None,
        starting: Starting | None = None,
        names: StopNames | None = None,
    ) -> None:
        """Write all events so far and a paused event, then carry out commands until one resumes the program.

        `stack` has the frames to look into where they are not those of the caller.  `starting` is the pass that is
        about to run, if one is.  `names` are what can be named besides the variables of the program.
        """
        recorder, journal, passes = self._recorder, self._recorder.journal, self._passes
        try:
            with self._own_work:
                self._timer.hold()
                stack = stack or user_stack(sys._getframe(1), recorder.code)
                if error is not None:
                    stack.raised(error)
                line = stack.line
                number = self._identify(node if node is not None else passes.node)
                if self._watching.active:  # The changes of watched expressions are sent before the stop.
                    recorder.drain()
                    self._watching.flush()
                journal.add(
                    say.paused, line, reason, breakpoints or [], where, passes.call, number, stack.for_event(), note
                )
                recorder.drain()
                self._goal.kind = None
                to = self._commands.run_stopped(Stopped(stack, starting, names or StopNames()))
                journal.add(say.resumed, line, to)
                recorder.drain()
                self._goal.resumed()
                self._arming.arm()
        finally:
            self._timer.go_on()
