"""The debugger of one run: decides where the program stops, at its lines, in its passes, after the recorder's moments.

It is made of parts that each own their state: breakpoints, the goal of a step, watched expressions, the checks that are
set, the command loop, and the stop itself.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any

from backscope.autograd.accumulate_inputs import ListenedPass
from backscope.autograd.node import AccumulateGrad, Node
from backscope.debugger.arming import Arming
from backscope.debugger.attribution.gradient_trace import Starting
from backscope.debugger.breakpoints.armed import Reached, hits
from backscope.debugger.breakpoints.breakpoint_set import BreakpointSet
from backscope.debugger.breakpoints.matching import Matching
from backscope.debugger.breakpoints.reached import ReachedBreakpoints
from backscope.debugger.command_loop import CommandLoop
from backscope.debugger.goal import Goal
from backscope.debugger.line_flags import LineFlags
from backscope.debugger.moment_checks import MomentChecks
from backscope.debugger.own_work import OwnWork
from backscope.debugger.pausing import Pausing, Timer
from backscope.debugger.stopping import STOP, Places
from backscope.debugger.watching import Watching
from backscope.diagnosis.user_frame import in_line, stack_of, user_stack
from backscope.protocol.transport import Transport
from backscope.recorder.recorder import Recorder
from backscope.runtime.listener import Listener
from backscope.runtime.listening import hub


class Debugger:
    """The debugger of one run of a program, which has this `source`.

    `places` has the lines at which the program can stop, once checks are woven into it.  `stops` has the flags of these
    lines, and `stop_here` is the function that the program calls where one is set.
    """

    def __init__(self, source: str, recorder: Recorder, transport: Transport, timer: Timer) -> None:
        self.places = Places()
        self.recorder = recorder
        self._own_work = own_work = OwnWork()
        self._line_flags = line_flags = LineFlags()
        self._goal = goal = Goal(recorder)
        self._breakpoints = breakpoints = BreakpointSet(source, self.places, recorder, line_flags.set_all)
        self._watching = watching = Watching(recorder, own_work)
        self._moment_checks = MomentChecks(recorder, breakpoints, watching, own_work, self)
        self._arming = arming = Arming(breakpoints, goal, watching, line_flags, self._moment_checks)
        self._commands = commands = CommandLoop(transport, recorder, breakpoints, goal, watching, own_work)
        self._pausing = Pausing(recorder, timer, commands, goal, arming, watching, own_work)
        self.stops = line_flags.flags

    def begin(self) -> None:
        """Carry out the commands that have come before the program runs; it was made stoppable by now."""
        self._line_flags.make(self.places.last)
        hub.debugger = self
        self._run_pending()

    def end(self) -> None:
        """Stop nothing any more, and refuse the commands that still come: the program is over."""
        hub.debugger = None
        self._own_work.active = True
        self._moment_checks.remove()
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
        if self._own_work.active:
            return
        goal = self._goal
        frame = sys._getframe(1)
        goal.nesting = nesting
        reached = self._breakpoints.matching.reached
        if reached.entries and goal.kind != "end":
            self._arming.arm()  # It clears the flags that were set for this stop.
            self.stop_at_breakpoints(reached, "line")
        elif not for_breakpoints and goal.reached_at_line(frame):
            self._pausing.stop(goal.reason, "line")
        elif goal.kind != "end" and not for_steps:
            on_line = self._breakpoints.lines.get(frame.f_lineno)
            if on_line:
                self._stop_if_hit([(armed, None) for armed in on_line], "line")
        goal.nesting = 0

    def nodes(self, order: list[Node], pass_: ListenedPass) -> Iterator[Node]:
        """Yield the nodes of a recorded pass in their order, and stop between them if breakpoints or steps say so."""
        recorder, arming, goal, breakpoints = self.recorder, self._arming, self._goal, self._breakpoints
        matching: Matching | None = None
        hot: set[Node] = set()
        record = recorder.gradients_sent
        for node in order:
            if recorder.gradients_sent is not record:  # The checks were changed in a stop within a node.
                record = recorder.gradients_sent
                pass_.gradients_sent = _listener().gradients_sent
            if not arming.at_nodes:
                yield node
                continue
            if matching is not breakpoints.matching:
                matching = breakpoints.matching
                hot = matching.among(order)
            if goal.kind is None and node not in hot:
                yield node
                continue
            self.before_node(node)
            record = recorder.gradients_sent
            pass_.gradients_sent = _listener().gradients_sent  # A stop may have changed the checks.
            yield node
            self.after_node(node)

    def before_node(self, node: Node) -> None:
        """Stop before a node of a pass runs, if it is to; leaves' nodes stop when accumulating() is recorded."""
        if not self._arming.at_nodes or self._own_work.active or node.__class__ is AccumulateGrad:
            return
        if self._goal.reached_at_node():
            self._pausing.stop(self._goal.reason, "before node", node=node)
        elif self._goal.kind != "end":
            matching = self._breakpoints.matching
            matching.before_node(node)
            self.stop_at_breakpoints(matching.reached, "before node", node)

    def after_node(self, node: Node) -> None:
        """Stop after a node of a pass ran, if a breakpoint says so."""
        matching = self._breakpoints.matching
        if (
            matching.nodes.after
            and self._goal.kind != "end"
            and not self._own_work.active
            and node.__class__ is not AccumulateGrad
        ):
            matching.nodes.after_node(node)
            self.stop_at_breakpoints(matching.reached, "after node", node)

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
        node: Node | None = None,
        *,
        error: BaseException | None = None,
    ) -> None:
        """Stop if one of the breakpoints that were reached says so, by its condition and count, and forget them."""
        if reached.entries:
            entries = list(reached.entries)
            reached.entries.clear()
            self._stop_if_hit(entries, where, node, error)

    def _stop_if_hit(
        self, reached: Sequence[Reached], where: str, node: Node | None = None, error: BaseException | None = None
    ) -> None:
        stack = user_stack(sys._getframe(1), self.recorder.code)
        found, note = hits(reached, stack.frames[0] if stack.frames else None)
        if found:
            self._pausing.stop("breakpoint", where, node=node, breakpoints=found, note=note, error=error)

    def moment_recorded(self, moment: str, arguments: tuple[Any, ...]) -> None:
        """Stop if the goal of a step is reached after a moment that was recorded with `arguments`."""
        goal, stop = self._goal, self._pausing.stop
        kind = goal.kind
        if kind in ("moment", "pause"):
            if goal.has_new_events():
                stop(goal.reason, "moment", starting=self._starting(moment, arguments))
        elif kind == "seq":
            if goal.reached_target():
                stop("step", "moment", starting=self._starting(moment, arguments))
            elif goal.becomes_near():
                self._arming.arm()
        elif kind == "backward" and moment == "backward_started":
            stop("step", "moment", starting=self._starting(moment, arguments))
        elif kind == "node" and moment == "accumulating":
            stop("step", "before node", node=arguments[0])
        elif kind == "node" and moment == "backward_failed":
            stop("step", "moment", error=arguments[0])

    def _starting(self, moment: str, arguments: tuple[Any, ...]) -> Starting | None:
        if moment != "backward_started":
            return None
        task, _, _, roots, *_ = arguments
        return Starting(roots, task, self.recorder)


def _listener() -> Listener:
    """Return the listener of the pass that is under way."""
    assert hub.listener is not None
    return hub.listener
