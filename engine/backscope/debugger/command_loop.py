"""Carries out the commands that a debugger gets, while the program is stopped and while it runs."""

from __future__ import annotations

from backscope.debugger import inspection
from backscope.debugger.breakpoints.armed import Unusable
from backscope.debugger.breakpoints.breakpoint_set import BreakpointSet
from backscope.debugger.goal import Goal
from backscope.debugger.own_work import OwnWork
from backscope.debugger.recording import Recording
from backscope.debugger.stopped import Stopped
from backscope.debugger.tensors import NotInspectable, Tensors
from backscope.debugger.watching import Watching
from backscope.protocol import commands
from backscope.protocol.commands import Looking, Order
from backscope.protocol.transport import Transport


class CommandLoop:
    """Takes commands from `transport` and answers each of them there."""

    def __init__(
        self,
        transport: Transport,
        recorder: Recording,
        breakpoints: BreakpointSet,
        goal: Goal,
        watching: Watching,
        own_work: OwnWork,
        tensors: Tensors,
    ) -> None:
        self._transport = transport
        self._recorder = recorder
        self._breakpoints = breakpoints
        self._goal = goal
        self._watching = watching
        self._own_work = own_work
        self._tensors = tensors

    def pending(self) -> bool:
        """Return whether a command has come."""
        return self._transport.pending()

    def run_stopped(self, stopped: Stopped) -> str:
        """Carry out commands until one resumes the program; return its kind."""
        while True:
            command = self._transport.next_command()
            if command is None:  # No command can come any more.
                self._goal.kind = "end"
                return "end"
            if isinstance(command, commands.Resume):
                self._done(command)
                return "resume"
            if isinstance(command, commands.Step):
                if command.to == "seq" and (command.seq or 0) < self._recorder.journal.seq:
                    last = self._recorder.journal.seq - 1
                    self._refuse(command, f"Event {command.seq} is in the past; the last one is {last}.")
                    continue
                self._goal.step(command, stopped.stack)
                self._done(command)
                return command.to
            if isinstance(command, commands.Pause):
                self._refuse(command, "The program is paused already.")
            elif isinstance(command, commands.SetBreakpoints):
                self._set_breakpoints(command)
            elif isinstance(command, commands.Watch):
                self._watch(command)
            else:
                self._inspect(command, stopped)

    def run_pending(self) -> None:
        """Carry out the commands that have come while the program runs; those that need a stop are refused."""
        while self._transport.pending():
            command = self._transport.next_command()
            if command is None:
                break
            if isinstance(command, commands.Pause):
                self._goal.pause()
                self._done(command)
            elif isinstance(command, commands.SetBreakpoints):
                self._set_breakpoints(command)
            else:
                self._refuse(command, "The program is running. Pause it first.")

    def refuse_pending(self) -> None:
        """Refuse the commands that came after the program's end."""
        while self._transport.pending():
            command = self._transport.next_command()
            if command is None:
                return
            self._refuse(command, "The program has finished.")

    def _inspect(self, command: Looking, stopped: Stopped) -> None:
        """Look into the paused program, or change something in it."""
        evaluating = self._transport.evaluating
        try:
            if isinstance(command, commands.Assign):
                try:
                    with self._own_work.recorded():
                        inspection.assign(command, stopped, self._recorder, self._tensors, evaluating)
                finally:
                    self._recorder.drain()
                answer: commands.Answer = commands.Done(id=command.id)
            else:
                answer = inspection.look(command, stopped, self._tensors, evaluating)
        except NotInspectable as error:
            self._refuse(command, str(error))
        except KeyboardInterrupt:  # In a terminal, for what takes too long.
            self._refuse(command, "It was interrupted.")
        else:
            self._transport.answer(answer)

    def _set_breakpoints(self, command: commands.SetBreakpoints) -> None:
        try:
            places, unusable, pending = self._breakpoints.set(command.breakpoints)
        except Unusable as error:
            self._refuse(command, str(error))
        else:
            self._transport.answer(
                commands.BreakpointsSet(id=command.id, places=places, unusable=unusable, pending=pending)
            )

    def _watch(self, command: commands.Watch) -> None:
        def report(changes: list[commands.WatchChange]) -> None:
            self._transport.answer(commands.Watched(id=command.id, changes=changes))

        unusable = self._watching.set(command.expressions, report)
        self._transport.answer(commands.WatchSet(id=command.id, unusable=unusable))

    def _done(self, command: Order) -> None:
        self._transport.answer(commands.Done(id=command.id))

    def _refuse(self, command: Order, reason: str) -> None:
        self._transport.answer(commands.Refused(id=command.id, reason=reason))
