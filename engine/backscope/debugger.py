"""Stops a program and lets it go on: at its lines, between the nodes of its backward passes, at the recorder's moments.

What a stop waits for is compiled: the flags of lines that are woven into the program (stopping.py), methods of the
recorder that are exchanged for ones which ask, and one attribute that a told pass looks at before each node.  As long
as nothing is waited for, only these looks are paid.
"""

from __future__ import annotations

import ast
import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FrameType
from typing import Any, Protocol

from backscope import commands, inspection, narration as say
from backscope.autograd.grad_mode import mode
from backscope.autograd.node import AccumulateGrad
from backscope.breakpoint import Breakpoints, Reached, Unusable, hits
from backscope.commands import Looking, Order
from backscope.listening import hub
from backscope.matching import Match, Matching
from backscope.moments import EVENTS_OF_A_MOMENT, MOMENTS, UNSEEN, WHERE
from backscope.origins.gradient_trace import Starting
from backscope.recorder import Recorder
from backscope.stopping import STOP, Places
from backscope.transport import Transport
from backscope.user_frame import Stack, in_line, stack_of, user_stack
from backscope.watching import Watching


class Timer(Protocol):
    """What interrupts a program from time to time."""

    def hold(self) -> None:
        """Do not, for as long as it is stopped."""

    def go_on(self) -> None:
        """Do again."""


class Debugger:
    """The debugger of one run of a program.

    `stops` has a flag for each line, `stop_here` is what the program calls where one is set.
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
        self._from: tuple[int, CodeType | None, int] = (0, None, 0)
        self._since = 0
        self._at_nodes = False
        self._near = False
        self._busy = False
        self._mode: tuple[bool, Any] = (True, None)
        self._inside = 0
        self._asked: tuple[Any, type[Recorder]] | None = None
        self._starting: Starting | None = None

    def begin(self) -> None:
        """The program was made stoppable and is about to run: take the commands that are there already."""
        self.stops += [False] * (self.places.last + 2)
        hub.debugger = self
        self._take_while_running()

    def end(self) -> None:
        """The program is over: commands that still come are refused."""
        hub.debugger = None
        self._busy = True
        self.recorder.__class__ = Recorder
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
            self._stop("step", "end", stack=stack_of(error, self.recorder.user_globals))

    def tick(self, frame: FrameType | None) -> None:
        """The timer interrupted the program: take the commands that came."""
        if self.watching is not None:
            self.watching.flush()
        if self._busy or not self.transport.pending():
            return
        self._take_while_running()
        if self.goal == "pause" and in_line(frame, self.recorder.user_globals):
            self._stop("pause", "line")

    def stop_here(self, for_steps: bool = False) -> None:
        """The program is at a place whose flag is set; at some places it stops `for_steps` alone."""
        if self._busy:
            return
        frame = sys._getframe(1)
        if self.matching.reached and self.goal != "end":
            self._arm()  # Or every line would go on asking.
            self._reach(self.matching.reached, "line")
        elif for_steps and self.goal == "line" and not frame.f_code.co_name.endswith(("comp>", "expr>")):
            pass  # Since Python 3.12 an element is computed in the frame of its statement, which is stepped over.
        elif self._wants_line(frame):
            self._stop("pause" if self.goal == "pause" else "step", "line")
        elif self.goal != "end" and not for_steps:
            self._reach([(armed, None) for armed in self.breakpoints.lines.get(frame.f_lineno, ())], "line")

    def nodes(self, order: list[Any], audience: Any) -> Iterator[Any]:
        """The nodes of a told pass, stopping between them where asked to."""
        matching: Matching | None = None
        hot: set[Any] = set()
        for node in order:
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
            audience.tell = hub.listener.node_told  # It may be another one now.
            yield node
            self.after_node(node)
            audience.tell = hub.listener.node_told

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
        stack = user_stack(sys._getframe(1), self.recorder.user_globals)
        found, note = hits(given, stack.frames[0] if stack.frames else None)
        if found:
            self._stop("breakpoint", where, node=node, stopping=found, note=note, error=error)

    def _soon(self) -> None:
        """A breakpoint was reached where a program cannot stop: let it do so at its next line."""
        self.stops[:] = [True] * len(self.stops)

    def _told(self, moment: str, arguments: tuple[Any, ...]) -> None:
        """The recorder told something."""
        goal, recorder = self.goal, self.recorder
        if goal in ("moment", "pause"):
            recorder.drain()
            if recorder.seq > self._since:
                self._stop("pause" if goal == "pause" else "step", "moment")
        elif goal == "seq":
            if self._reached_target():
                self._stop("step", "moment")
            elif not self._near and recorder.seq + EVENTS_OF_A_MOMENT > self.target:
                self._arm()
        elif goal == "backward" and moment == "backward_started":
            self._stop("step", "moment")
        elif goal == "node" and moment == "accumulating":
            self._stop("step", "before node", node=arguments[0])

    def _reached_target(self) -> bool:
        """Whether the event that a step goes to is told; what is yet to be drained is estimated, to do so rarely."""
        recorder = self.recorder
        if recorder.seq + EVENTS_OF_A_MOMENT * len(recorder.moments) > self.target:
            recorder.drain()
        return recorder.seq > self.target

    def _wants_line(self, frame: FrameType) -> bool:
        goal = self.goal
        if goal in ("pause", "into"):
            return True
        if goal == "seq":
            return self._reached_target()
        if goal in ("line", "out"):
            number, code, depth = self._from
            if goal == "line" and id(frame) == number and frame.f_code is code:
                return True
            return _depth(frame) < depth
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
            stack = stack or user_stack(sys._getframe(1), recorder.user_globals)
            if error is not None:
                stack.raised(error)
            line = stack.line
            node = node if node is not None else recorder.running[-1] if recorder.running else None
            token = None if node is None else node.token
            number = None if token is None or token.recorder is not recorder else token.node
            call = recorder.calls[-1] if recorder.calls else None
            if self.watching is not None:  # Whoever waits for the stop is to have it by then.
                recorder.drain()
                self.watching.flush()
            recorder.add(say.paused, line, reason, stopping or [], where, call, number, stack.lines(), note)
            recorder.drain()
            self.goal = None
            to = self._obey(stack)
            recorder.add(say.resumed, line, to)
            recorder.drain()
            self._since = recorder.seq
            self._arm()
        finally:
            mode.enabled, hub.listener = self._mode
            self._mode = outer
            self._busy = False
            self.timer.go_on()

    def _obey(self, stack: Stack) -> str:
        """Carry out commands until one says to go on; returns where to."""
        while True:
            command = self.transport.next_command()
            if command is None:  # Nobody is left who could say anything.
                self.goal = "end"
                return "end"
            if isinstance(command, commands.Resume):
                self._done(command)
                return "resume"
            if isinstance(command, commands.Step):
                if command.to == "seq" and (command.seq or 0) < self.recorder.seq:
                    last = self.recorder.seq - 1
                    self._refuse(command, f"Event {command.seq} is in the past; the last one is {last}.")
                    continue
                self.goal = command.to
                self.target = command.seq or 0
                self.at_end = command.at_end
                frame = stack.frames[0] if stack.frames else None
                self._from = (id(frame), frame.f_code, _depth(frame)) if frame is not None else (0, None, 0)
                self._done(command)
                return command.to
            if isinstance(command, commands.Pause):
                self._refuse(command, "The program is paused already.")
            elif isinstance(command, commands.SetBreakpoints):
                self._set(command)
            elif isinstance(command, commands.Watch):
                self._watch(command)
            else:
                self._look(command, stack)

    def _look(self, command: Looking, stack: Stack) -> None:
        """Look into the paused program, or change something in it."""
        evaluating = self.transport.evaluating
        try:
            if isinstance(command, commands.Assign):
                with self._recording():
                    inspection.assign(command, stack, self.recorder, evaluating)
                answer: commands.Answer = commands.Done(id=command.id)
            else:
                answer = inspection.look(command, stack, self.recorder, evaluating, self._starting)
        except inspection.Unseen as error:
            self._refuse(command, str(error))
        except KeyboardInterrupt:  # In a terminal, for what takes too long.
            self._refuse(command, "It was interrupted.")
        else:
            self.transport.answer(answer)

    @contextlib.contextmanager
    def _recording(self) -> Iterator[None]:
        """What the user changes is recorded, as what the program does."""
        mode.enabled, hub.listener = self._mode
        try:
            yield
        finally:
            mode.enabled, hub.listener = False, None
            self.recorder.drain()

    def _take_while_running(self) -> None:
        """Carry out the commands that a running program takes."""
        self._busy = True
        try:
            while self.transport.pending():
                command = self.transport.next_command()
                if command is None:
                    break
                if isinstance(command, commands.Pause):
                    self.goal = "pause"
                    self._since = 0
                    self._done(command)
                elif isinstance(command, commands.SetBreakpoints):
                    self._set(command)
                else:
                    self._refuse(command, "The program is running. Pause it first.")
            self._arm()
        finally:
            self._busy = False

    def _set(self, command: commands.SetBreakpoints) -> None:
        try:
            places, unusable = self.breakpoints.set(command.breakpoints)
        except Unusable as error:
            self._refuse(command, str(error))
        else:
            self.matching = Matching(self.recorder, self.breakpoints.others, self._soon)
            self.transport.answer(commands.BreakpointsSet(id=command.id, places=places, unusable=unusable))

    def _watch(self, command: commands.Watch) -> None:
        def report(changes: list[commands.WatchChange]) -> None:
            self.transport.answer(commands.Watched(id=command.id, changes=changes))

        watching = Watching(command.expressions, self.recorder, report)
        self.watching = watching if command.expressions else None
        self.transport.answer(commands.WatchSet(id=command.id, unusable=watching.unusable))

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

    def _done(self, command: Order) -> None:
        self.transport.answer(commands.Done(id=command.id))

    def _refuse(self, command: Order, reason: str) -> None:
        self.transport.answer(commands.Refused(id=command.id, reason=reason))

    def _arm(self) -> None:
        """Have the program ask where it must, and nowhere else."""
        goal = self.goal
        # What dies is told by nobody who could stop: near an event to stop at, lines and nodes are asked as well.
        self._near = near = goal == "seq" and self.recorder.seq + EVENTS_OF_A_MOMENT > self.target
        everywhere = near or goal in ("pause", "into", "line", "out")
        stops = [everywhere] * len(self.stops)
        moments: tuple[str, ...] = ()
        if goal in ("pause", "moment", "seq") or self.watching is not None:
            moments = MOMENTS
        elif goal == "backward":
            moments = ("backward_started",)
        elif goal == "node":
            moments = ("accumulating",)
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
        self.recorder.__class__ = self._asking(moments, matches) if moments or matches else Recorder

    def _asking(self, moments: Iterable[str], matches: dict[str, Match | None]) -> type[Recorder]:
        """A recorder that asks after these moments, for the goal and for breakpoints."""
        names = dict.fromkeys([*moments, *matches])
        if self._asked is None or self._asked[0] != (moments, matches):
            steps = set(moments)
            members: dict[str, Any] = {
                name: self._after(name, getattr(Recorder, name), name in steps, matches.get(name)) for name in names
            }
            if "accumulating" in steps or "accumulated" in steps:
                members["stored"] = None
            elif "accumulating" in names or "accumulated" in names:
                members["waits"] = staticmethod(self.matching.waits)
            if matches and self.matching.made:
                members["token"] = self.matching.token(Recorder.token)
            kind: type[Recorder] = type("Recorder", (Recorder,), {"__slots__": (), **members})
            self._asked = (moments, matches), kind
        return self._asked[1]

    def _after(self, name: str, plain: Callable[..., Any], steps: bool, match: Match | None) -> Callable[..., Any]:
        matching = self.matching
        where = WHERE.get(name, "moment")

        def tell(recorder: Recorder, *arguments: Any, **named: Any) -> Any:
            # One moment may be told within another; only the outer one is whole.
            self._inside += 1
            try:
                result = plain(recorder, *arguments, **named)
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


def _depth(frame: FrameType) -> int:
    depth = 0
    at: FrameType | None = frame
    while at is not None:
        depth += 1
        at = at.f_back
    return depth
