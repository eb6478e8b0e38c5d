"""A debugging session: the program's process, its events so far, and the moment and frame that the user inspects."""

from __future__ import annotations

import operator
import os
import signal
import threading
from collections.abc import Sequence
from typing import Any

from backscope.protocol import commands as c, events as ev
from backscope_server.session.past.course import Unreachable
from backscope_server.session.past.logged_elements import read_elements
from backscope_server.session.past.repeated_stops import Stop
from backscope_server.terminal.debugged_process import DebuggedProcess
from backscope_server.terminal.history import History
from backscope_server.terminal.interrupt import interruptible
from backscope_server.terminal.local import Output
from backscope_server.terminal.process import Process
from backscope_server.terminal.rerun import Curve, Rerun
from backscope_server.terminal.screen import Screen
from backscope_server.terminal.shared_process import Receiver, SharedProcess
from backscope_server.terminal.stdin import Stdin
from backscope_server.terminal.view import View


class Impossible(Exception):
    """The error for a command that cannot be carried out now; the text says why, or what to do."""


class Refused(Impossible):
    """The error for a command that the program refused, for instance because an expression raised an error."""


class DebugSession:
    """A program under the debugger.

    `paused` is the stop that it is at, None before the first and after the end; `past` the past moment that the user
    inspects; `frame` the number of the selected frame, 0 for the innermost.  With `torch` it runs on PyTorch.
    """

    def __init__(
        self,
        file: str,
        source: str,
        arguments: list[str],
        seed: int,
        *,
        has_input: bool,
        torch: bool = False,
        page: Receiver | None = None,
        screen: Screen | None = None,
    ) -> None:
        self.file = file
        self.source = source
        self.screen = Screen() if screen is None else screen
        self.history = History()
        self.breakpoints: dict[int, c.Breakpoint] = {}
        self._removed: set[int] = set()
        self.places: dict[int, c.BreakpointPlace] = {}
        self.pending: dict[int, str] = {}
        """By the number of a breakpoint on what the program does not have so far, a note that says so."""
        self.watches: list[str] = []
        self.paused: ev.Paused | None = None
        self._past: int | None = None
        self.inner_seq: int | None = None
        """The event within a past moment that the user inspects; None for the end of the moment."""
        self.frame = 0
        self.output = self.new_output()
        self.process: Process | None = None
        self._arguments = arguments
        self._seed = seed
        self._has_input = has_input
        self._torch = torch
        self._page = page
        self.page_went_on = threading.Semaphore(0)
        """Released each time that the page has the program go on."""
        self._stdin: Stdin | None = None
        self._rerun: Rerun | None = None
        self._warned = False
        self._status: str | None = None
        self.shown = 0
        """The number of moments that have been printed."""

    @property
    def past(self) -> int | None:
        """The past moment that the user inspects; None for the moment where the program is."""
        return self._past

    @past.setter
    def past(self, number: int | None) -> None:
        self._past, self.inner_seq, self.frame = number, None, 0

    def within(self, seq: int) -> None:
        """Inspect the past after this event, which may be within a moment."""
        number = max(self.history.index(seq), 0)
        self.past = number
        if seq < self.history.moments[number].last:
            self.inner_seq = seq

    @property
    def has_page(self) -> bool:
        """Return whether a page is attached to the program."""
        return self._page is not None

    @property
    def live(self) -> bool:
        """Return whether the user inspects the moment where the program is stopped."""
        return self.past is None and self.paused is not None

    @property
    def over(self) -> bool:
        """Return whether the program has ended."""
        return self.process is None or self.process.ended is not None

    @property
    def seq(self) -> int:
        """The last event of the moment that the user inspects."""
        if self.inner_seq is not None:
            return self.inner_seq
        return len(self.history.events) - 1 if self.past is None else self.history.moments[self.past].last

    def moment_to_leave(self) -> int:
        """Return the number of the moment that a step back begins at: after the end, one more than the last.

        Raises: Impossible before the first one, and at it.
        """
        count = len(self.history.moments)
        if not count:
            raise Impossible("Nothing has happened yet.")
        here = count - (0 if self.over else 1) if self.past is None else self.past
        if here == 0:
            raise Impossible("This is the first step.")
        return here

    @property
    def exit_status(self) -> int:
        """Return the exit status of a program that has ended; 0 for one that has not."""
        ended = None if self.process is None else self.process.ended
        if ended is None:
            return 0
        if self.output.exit_status is not None:
            return self.output.exit_status
        if self._status is not None:
            return 0 if self._status == "ok" else 1
        return os.waitstatus_to_exitcode(ended) if os.WIFEXITED(ended) else 128 + os.WTERMSIG(ended)

    def new_output(self) -> Output:
        """Return what shows the output of a run that begins."""
        return Output(self.file, keep=False)

    # Running

    def start(self) -> None:
        """Start or restart the program: it waits before its first line, with the same breakpoints."""
        self.close()
        self._stdin = Stdin() if self._has_input else None
        self.history, self.output = History(), self.new_output()
        self.paused, self.past, self._status, self.shown = None, None, None, 0
        self._rerun = Rerun(lambda: self._begin(unseen=True), self.history, self.screen)
        self.process = self._begin()
        with interruptible(self.process, self._pause, self.screen):
            self._follow()
        if self.breakpoints and not self.over:
            self.set_breakpoints(self.breakpoints)

    def close(self) -> None:
        """End the program, if it is not over, and its replay."""
        if self.process is not None:
            self.process.end()
        if self._rerun is not None:
            self._rerun.close()
        if self._stdin is not None:
            self._stdin.close()

    def _begin(self, *, unseen: bool = False) -> Process:
        given = self.file, self.source, self._arguments, self._seed, self._stdin
        if self._page is None or unseen:
            return DebuggedProcess(*given, unseen=unseen, torch=self._torch)
        went_on, removed = self.page_went_on.release, self._remove
        return SharedProcess(*given, torch=self._torch, page=self._page, went_on=went_on, removed=removed)

    def _remove(self, numbers: set[int]) -> None:
        """Forget breakpoints that the page removed; called in a thread of the page's."""
        self._removed |= numbers
        self.breakpoints = {number: one for number, one in self.breakpoints.items() if number not in numbers}

    def go(self, command: c.Resume | c.Step) -> None:
        """Run on as a command says, to the next stop or the end."""
        if self.paused is None:
            raise Impossible("The program is over. `restart` begins again; `back` and `why` look at what it did.")
        # Events of the program may arrive before the answer to the command.
        with interruptible(self.process, self._pause, self.screen):
            self._answer(command)
            self.paused, self.past = None, None
            self._follow()

    def follow_page(self) -> None:
        """Follow the program, which the page has go on, to its next stop or its end."""
        self.paused, self.past = None, None
        self._follow()

    def step(self) -> None:
        """Run on by one moment."""
        before = len(self.history.moments)
        while True:
            self.go(c.Step(id=0, to="moment"))
            stopped = self.paused
            if stopped is None or stopped.reason != "step" or len(self.history.moments) > before:
                return

    def ask(self, command: Any) -> Any:
        """Return the answer of the stopped program to a command; Ctrl-C interrupts an expression that takes too long.

        Raises: Impossible where it is refused.
        """
        with interruptible(self.process, operator.methodcaller("interrupt"), self.screen):
            return self._answer(command)

    def _answer(self, command: Any) -> Any:
        if self.process is None or self.paused is None:
            raise Impossible("The program is over, so it cannot carry out commands. `restart` begins again.")
        number = self.process.send(command)
        while (came := self.process.next()) is not None:
            if isinstance(came, c.Refused) and came.id == number:
                raise Refused(came.reason)
            if isinstance(came, c.Reply) and came.id == number:
                return came
            if isinstance(came, c.Reply):
                self.replied(came)
            else:
                self._take(came)
        self._ended()
        raise Impossible("The program ended meanwhile.")

    def set_breakpoints(self, wanted: dict[int, c.Breakpoint]) -> None:
        """Replace all breakpoints.

        Raises: Impossible where one cannot be set, and then nothing has changed.
        """
        if self.paused is None:
            self.breakpoints = wanted
            return
        answer = self.ask(c.SetBreakpoints(id=0, breakpoints=list(wanted.values())))
        unusable = {one.id: one.reason for one in answer.unusable}
        new = [reason for number, reason in unusable.items() if number not in self.breakpoints]
        for number in unusable.keys() & self.breakpoints.keys():
            self.screen.say(f"{unusable[number]} It waits for a restart.", style="quiet")
        self.places = {place.id: place for place in answer.places}
        self.pending = {one.id: one.note for one in answer.pending}
        left_out = self._removed | (unusable.keys() if new else set())
        self.breakpoints = {number: b for number, b in wanted.items() if number not in left_out}
        if new:
            raise Impossible(" ".join(new))

    @property
    def page_breakpoints(self) -> dict[int, c.Breakpoint]:
        """The breakpoints that the page has set, by their numbers, which are not those of the terminal's."""
        return self.process.of_page if isinstance(self.process, SharedProcess) and not self.over else {}

    def delete_breakpoints(self, numbers: set[int]) -> None:
        """Delete breakpoints, of the terminal's and of the page's."""
        if isinstance(self.process, SharedProcess):
            self.process.remove_of_page(numbers)
        self.set_breakpoints({n: b for n, b in self.breakpoints.items() if n not in numbers})

    def lines_with_breakpoints(self) -> set[int]:
        """Return the lines of the files so far on which breakpoints were set."""
        lines = (self.history.tape.files.line_of(place.line, place.file) for place in self.places.values())
        return {line for line in lines if line is not None}

    def _follow(self) -> None:
        """Record the events of the running program until it stops or ends."""
        while self.process is not None and self.paused is None:
            came = self.process.next()
            if came is None:
                self._ended()
                return
            if isinstance(came, c.Reply):
                self.replied(came)
            else:
                self._take(came)

    def replied(self, reply: c.Reply) -> None:
        """Take the answer to a command that was sent while the program runs."""

    @staticmethod
    def _pause(process: Process) -> None:
        process.send(c.Pause(id=0))

    def _take(self, event: ev.Event) -> None:
        event = self.history.tape.files.read(event)
        self.history.take(event)
        if isinstance(event, ev.OutputPrinted):
            self.output.show(event)
            self.screen.broken = not event.text.endswith("\n")
        elif isinstance(event, ev.ErrorRaised):
            if event.stage in ("syntax", "program"):
                self.screen.fresh()
            self.output.show(event)
        elif isinstance(event, ev.Paused):
            self.paused = event
        elif isinstance(event, ev.ProgramFinished):
            self._status = event.status

    def _ended(self) -> None:
        self.paused, self.frame = None, 0
        ended = None if self.process is None else self.process.ended
        if self._status is None and ended is not None and os.WIFSIGNALED(ended):
            name = signal.Signals(os.WTERMSIG(ended)).name
            self.screen.say(f"The program was ended by {name}.", style="error")
        else:
            self.screen.say(f"The program is over, with exit status {self.exit_status}.", style="quiet")
        self.say_what_can_be_asked()

    def say_what_can_be_asked(self) -> None:
        """Print which commands look at a program that an error has ended."""
        error = next((e for e in reversed(self.history.tape.errors) if e.stage == "program"), None)
        if error is not None and error.type != "SystemExit":
            explains = "`why` explains the error, " if error.diagnosis is not None else ""
            self.screen.say(f"{explains}`back` shows the steps before it, `restart` begins again.", style="quiet")

    # Looking

    def look(self, command: c.Looking, seq: int | None = None) -> Any:
        """Return the answer to a command at the moment that the user inspects, or after the event `seq`.

        For the past, a program that is run again gives the answer.

        Raises: Impossible where it cannot be had; Refused where it is refused.
        """
        if self.live and seq is None:
            return self.ask(command)
        try:
            answer = self._again().ask(self.inspected_seq if seq is None else seq, command)
        except Unreachable as error:
            raise Impossible(str(error)) from None
        if isinstance(answer, c.Refused):
            raise Refused(answer.reason)
        return answer

    def read(self, command: c.ReadTensor, seq: int | None = None) -> c.TensorRead:
        """Return elements of a tensor as look() does, from the log if it has all of them.

        Raises: Impossible.
        """
        at = self.inspected_seq if seq is None else seq
        known = None if self.live and seq is None else read_elements(self.history.lines, at, command)
        answer: c.TensorRead = self.look(command, seq) if known is None else known
        return answer

    def stack(self) -> list[ev.TracebackLine]:
        """Return the frames at the moment that the user inspects, outermost first.

        Raises: Impossible.
        """
        return self.place().stack

    def place(self) -> ev.Paused:
        """Return the place of the program at the moment that the user inspects.

        Raises: Impossible.
        """
        if self.live and self.paused is not None:
            return self.paused
        try:
            return self._again().at(self.inspected_seq)
        except Unreachable as error:
            raise Impossible(str(error)) from None

    def curve(self, expression: str) -> Curve:
        """Return the values of an expression at all moments so far."""
        return self._again().curve(expression, len(self.history.events) - 1)

    def stops(self, breakpoints: Sequence[c.Breakpoint], seq: int, expression: str | None = None) -> list[Stop]:
        """Return where breakpoints stop the program up to the event `seq`, each with the value of an expression there.

        Raises: Impossible.
        """
        try:
            return self._again().stops(breakpoints, seq, expression)
        except (Unreachable, ValueError) as error:
            raise Impossible(str(error)) from None

    @property
    def inspected_seq(self) -> int:
        """The event after which values are read: for a past moment, one within it."""
        if self.past is None or self.inner_seq is not None:
            return self.seq
        return self.history.within(self.history.moments[self.past])

    def _again(self) -> Rerun:
        if self._rerun is None or not self.history.moments:
            raise Impossible("Nothing has happened yet.")
        if not self._warned:
            self._warned = True
            self.screen.say("The program runs again for this, unseen; files that it writes, again too.", style="quiet")
        return self._rerun

    def view(self) -> View:
        """Return the view of the run at the moment that the user inspects."""
        return View(self.screen, self.history, self.seq)

    def line(self) -> int | None:
        """Return the line at the moment that the user inspects."""
        if self.past is not None and not self.frame:
            within = self.inner_seq
            return (
                self.history.line_of(self.history.moments[self.past])
                if within is None
                else self.history.line_at(within)
            )
        if self.past is not None:
            return self.stack()[-1 - self.frame].line
        if self.paused is not None and self.paused.stack:
            return self.paused.stack[-1 - min(self.frame, len(self.paused.stack) - 1)].line
        return next((m for m in map(self.history.line_of, reversed(self.history.moments)) if m is not None), None)
