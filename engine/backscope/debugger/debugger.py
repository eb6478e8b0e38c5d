"""Stops a program and lets it go on: at its lines, between the nodes of its passes, at the recorder's moments."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from backscope.autograd.accumulate_inputs import ListenedPass
from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.node import AccumulateGrad
from backscope.debugger.breakpoint import Reached, hits
from backscope.debugger.command_loop import Orders
from backscope.debugger.matching import Matching
from backscope.debugger.stop_points import EVENTS_OF_A_MOMENT
from backscope.debugger.stopping import STOP
from backscope.diagnosis.user_frame import Stack, depth_of, in_line, stack_of, user_stack
from backscope.recorder import narration as say
from backscope.runtime.listener import Listener
from backscope.runtime.listening import hub


class Debugger(Orders):
    """The debugger of one run of a program.

    `stops` has a flag for each line, `stop_here` is what the program calls where one is set.
    """

    def begin(self) -> None:
        """The program was made stoppable and is about to run: take the commands that are there already."""
        self.stops += [False] * (self.places.last + 2)
        hub.debugger = self
        self._take_while_running()

    def end(self) -> None:
        """The program is over: commands that still come are refused."""
        hub.debugger = None
        self._busy = True
        self.recorder.replace({})
        self.recorder.changes.on_changed = self.recorder.identities.on_introduced = None
        while self.transport.pending():
            command = self.transport.next_command()
            if command is None:
                return
            self._refuse(command, "The program has finished.")

    def ended(self, error: BaseException | None, space: dict[str, Any], filename: str) -> None:
        """The program came to its end, by an error or without: stop here where a step asked for that.

        After an error the frames are those that it came through.
        """
        if self.goal != "seq" or not self.at_end or self._busy:
            return
        if self.watching is not None:
            self._sample()
        self.recorder.drain()
        if error is None:  # The frame of the program is gone: one with its variables, at its last line, stands for it.
            tree = ast.increment_lineno(ast.parse(f"{STOP}()"), max(self.places.last, 1) - 1)
            space[STOP] = lambda: self._stop("step", "end")
            exec(compile(tree, filename, "exec"), space)  # noqa: S102
        elif not isinstance(error, MemoryError):  # After that one, variables were let go of.
            self._stop("step", "end", stack=stack_of(error, self.recorder.code.user_globals))

    def tick(self, frame: FrameType | None) -> None:
        """The timer interrupted the program: take the commands that came."""
        if self.watching is not None:
            self.watching.flush()
        if self._busy:
            return
        if self.transport.pending():
            self._take_while_running()
        # Also for a command that came where the program could not pause, as between a prompt and what is typed.
        if self.goal == "pause" and in_line(frame, self.recorder.code.user_globals):
            self._stop("pause", "line")

    def stop_here(self, for_steps: bool = False, for_breakpoints: bool = False, nesting: int = 0) -> None:
        """The program is at a place whose flag is set; at some it stops `for_steps` or `for_breakpoints` alone.

        `nesting` counts the comprehensions around: since Python 3.12 they run in the frame of their statement.
        """
        if self._busy:
            return
        frame = sys._getframe(1)
        self._nesting = nesting
        if self.matching.reached and self.goal != "end":
            self._arm()  # Or every line would go on asking.
            self._reach(self.matching.reached, "line")
        elif not for_breakpoints and self._wants_line(frame):
            self._stop("pause" if self.goal == "pause" else "step", "line")
        elif self.goal != "end" and not for_steps:
            self._reach([(armed, None) for armed in self.breakpoints.lines.get(frame.f_lineno, ())], "line")
        self._nesting = 0

    def nodes(self, order: list[Any], pass_: ListenedPass) -> Iterator[Any]:
        """Yields the nodes of a recorded pass in their order, and stops between them where that is asked for."""
        matching: Matching | None = None
        hot: set[Any] = set()
        told = self.recorder.gradients_sent
        for node in order:
            if self.recorder.gradients_sent is not told:  # What is waited for was changed in a stop within a node.
                told = self.recorder.gradients_sent
                pass_.tell = _listener().gradients_sent
            if not self._at_nodes:
                yield node
                continue
            if matching is not self.matching:
                matching = self.matching
                hot = matching.among(order)
            if self.goal is None and node not in hot:
                yield node
                continue
            self.before_node(node)
            told = self.recorder.gradients_sent
            pass_.tell = _listener().gradients_sent  # It may be another one now.
            yield node
            self.after_node(node)

    def before_node(self, node: Any) -> None:
        """A node of a pass is about to run; leaves tell the recorder."""
        if self._at_nodes and not self._busy and node.__class__ is not AccumulateGrad:
            if self.goal in ("node", "pause") or (self.goal == "seq" and self._reached_target()):
                self._stop("pause" if self.goal == "pause" else "step", "before node", node=node)
            elif self.goal != "end":
                self.matching.before_node(node)
                self._reach(self.matching.reached, "before node", node)

    def after_node(self, node: Any) -> None:
        """A node of a pass ran."""
        if self.matching.after and self.goal != "end" and not self._busy and node.__class__ is not AccumulateGrad:
            self.matching.node(node, self.matching.after)
            self._reach(self.matching.reached, "after node", node)

    def raised(self, error: BaseException | None) -> None:
        """An exception leaves a function of the program, or is caught in one."""
        if error is None or self._busy or isinstance(error, (GeneratorExit, StopIteration, StopAsyncIteration)):
            return
        self.matching.raised(error)
        self._reach(self.matching.reached, "line", error=error)

    def _reach(
        self, reached: list[Reached], where: str, node: Any = None, *, error: BaseException | None = None
    ) -> None:
        """Stop where breakpoints that are reached say so."""
        if not reached:
            return
        given = list(reached)
        self.matching.reached.clear()
        stack = user_stack(sys._getframe(1), self.recorder.code.user_globals)
        found, note = hits(given, stack.frames[0] if stack.frames else None)
        if found:
            self._stop("breakpoint", where, node=node, stopping=found, note=note, error=error)

    def _told(self, moment: str, arguments: tuple[Any, ...]) -> None:
        """The recorder told something."""
        goal, recorder = self.goal, self.recorder
        if goal in ("moment", "pause"):
            recorder.drain()
            if recorder.journal.seq > self._since:
                self._stop("pause" if goal == "pause" else "step", "moment")
        elif goal == "seq":
            if self._reached_target():
                self._stop("step", "moment")
            elif not self._near and recorder.journal.seq + EVENTS_OF_A_MOMENT > self.target:
                self._arm()
        elif goal == "backward" and moment == "backward_started":
            self._stop("step", "moment")
        elif goal == "node" and moment == "accumulating":
            self._stop("step", "before node", node=arguments[0])
        elif goal == "node" and moment == "backward_failed":
            self._stop("step", "moment", error=arguments[0])

    def _reached_target(self) -> bool:
        """Whether the event that a step goes to is told; what is yet to be drained is estimated, to do so rarely."""
        recorder = self.recorder
        if recorder.journal.seq + EVENTS_OF_A_MOMENT * len(recorder.journal.moments) > self.target:
            recorder.drain()
        return recorder.journal.seq > self.target

    def _wants_line(self, frame: FrameType) -> bool:
        goal = self.goal
        if goal in ("pause", "into"):
            return True
        if goal == "seq":
            return self._reached_target()
        if goal in ("line", "out"):
            number, code, depth = self._from
            here = (depth_of(frame), self._nesting)
            if goal == "line" and id(frame) == number and frame.f_code is code:
                return here <= depth
            return here < depth
        return False

    def _stop(
        self,
        reason: str,
        where: str,
        *,
        node: Any = None,
        stopping: list[int] | None = None,
        note: str | None = None,
        error: BaseException | None = None,
        stack: Stack | None = None,
    ) -> None:
        """Be stopped: tell everything, and do as commands say until one of them says to go on.

        `stack` has the frames to look into where they are not those around.
        """
        recorder = self.recorder
        self._busy = True
        self.timer.hold()
        outer, self._mode = self._mode, (mode.enabled, hub.listener)
        mode.enabled, hub.listener = False, None
        try:
            stack = stack or user_stack(sys._getframe(1), recorder.code.user_globals)
            if error is not None:
                stack.raised(error)
            line = stack.line
            node = node if node is not None else recorder.passes.running[-1] if recorder.passes.running else None
            token = None if node is None else node.token
            number = None if token is None or token.identities is not recorder.identities else token.node
            call = recorder.passes.calls[-1] if recorder.passes.calls else None
            if self.watching is not None:  # Whoever waits for the stop is to have it by then.
                recorder.drain()
                self.watching.flush()
            recorder.journal.add(say.paused, line, reason, stopping or [], where, call, number, stack.told(), note)
            recorder.drain()
            self.goal = None
            to = self._obey(stack)
            recorder.journal.add(say.resumed, line, to)
            recorder.drain()
            self._since = recorder.journal.seq
            self._arm()
        finally:
            mode.enabled, hub.listener = self._mode
            self._mode = outer
            self._busy = False
            self.timer.go_on()


def _listener() -> Listener:
    """Who listens to the pass that is under way."""
    assert hub.listener is not None
    return hub.listener
