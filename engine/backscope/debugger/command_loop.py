"""Carries out the commands that a debugger gets, while the program is stopped and while it runs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from backscope.autograd.modes.grad_mode import mode
from backscope.debugger import inspection
from backscope.debugger.arming import Arming
from backscope.debugger.breakpoint import Unusable
from backscope.debugger.matching import Matching
from backscope.debugger.watching import Watching
from backscope.diagnosis.user_frame import Stack, depth_of
from backscope.protocol import commands
from backscope.protocol.commands import Looking, Order
from backscope.runtime.listening import hub


class Orders(Arming):
    """What can be asked of a program under the debugger, and what it answers."""

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
                if command.to == "seq" and (command.seq or 0) < self.recorder.journal.seq:
                    last = self.recorder.journal.seq - 1
                    self._refuse(command, f"Event {command.seq} is in the past; the last one is {last}.")
                    continue
                self.goal = command.to
                self.target = command.seq or 0
                self.at_end = command.at_end
                frame = stack.frames[0] if stack.frames else None
                depth = (depth_of(frame) if frame is not None else 0, self._nesting)
                self._from = (id(frame), frame.f_code if frame is not None else None, depth)
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

    def _done(self, command: Order) -> None:
        self.transport.answer(commands.Done(id=command.id))

    def _refuse(self, command: Order, reason: str) -> None:
        self.transport.answer(commands.Refused(id=command.id, reason=reason))
