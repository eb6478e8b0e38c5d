"""A debugged process that a page commands too, beside the terminal."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from backscope.protocol import commands as c
from backscope_server.terminal.debugged_process import DebuggedProcess

_PATIENCE_SECONDS = 5.0


class Receiver(Protocol):
    """The page; its methods are called in the thread that reads what the program sends."""

    def began(self, process: SharedProcess) -> None:
        """Take a process that has been started; the one before is over."""

    def received(self, line: bytes) -> None:
        """Take an encoded event."""

    def ended(self) -> None:
        """Take that no event follows."""


class SharedProcess(DebuggedProcess):
    """Gives each event to the terminal and to the page, and each answer to the side that asked.

    `went_on` is called when the page has the program go on.
    """

    # Any: what a DebuggedProcess is made of.
    def __init__(self, *given: Any, page: Receiver, went_on: Callable[[], None], **named: Any) -> None:
        self._turn = threading.RLock()
        self._page = page
        self._went_on = went_on
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._replies: dict[int, Callable[[c.Answer], None]] = {}
        self._of_page: list[c.Breakpoint] = []
        self._of_terminal: list[c.Breakpoint] = []
        super().__init__(*given, **named)
        page.began(self)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def send(self, command: Any) -> int:
        """Send a command of the terminal's, numbered; return its number."""
        with self._turn:
            if isinstance(command, c.SetBreakpoints):
                self._of_terminal = command.breakpoints
                command = self._both(command)
            return super().send(command)

    def command(self, command: c.Command, reply: Callable[[c.Answer], None]) -> None:
        """Send a command of the page's; `reply` gets its answer, in a thread of this process."""
        with self._turn:
            if isinstance(command, c.SetBreakpoints):
                self._of_page = command.breakpoints
                command = self._both(command)
            going = isinstance(command, (c.Resume, c.Step))

            def answered(answer: c.Answer) -> None:
                if going and isinstance(answer, c.Done):
                    self._went_on()
                reply(msgspec.structs.replace(answer, id=command.id))

            self._replies[super().send(command)] = answered

    def _both(self, command: c.SetBreakpoints) -> c.SetBreakpoints:
        """Return the command that sets the breakpoints of both sides, whose numbers differ."""
        taken = {one.id for one in self._of_page}
        own = [one for one in self._of_terminal if one.id not in taken]
        return msgspec.structs.replace(command, breakpoints=[*self._of_page, *own])

    def line(self) -> bytes | None:
        """Wait for the next event, or answer to the terminal, and return it; None when the process is over."""
        line = self._lines.get()
        if line is None:
            self._lines.put(None)
            if self.ended is None:
                self._reap()
        return line

    def end(self) -> None:
        """End the process, if it is still there."""
        if self.ended is None:
            self.kill()
            self._reader.join(_PATIENCE_SECONDS)
            self._reap()

    def _read(self) -> None:
        while (line := self._events.line()) is not None:
            if not line.startswith(c.ANSWER_OPENING):
                self._page.received(line)
                self._lines.put(line)
                continue
            answer = c.decode_answer(line)
            with self._turn:
                reply = self._replies.pop(answer.id, None)
            if reply is None:
                self._lines.put(line)
            elif not isinstance(answer, c.Watched):
                reply(answer)
        for number, reply in self._replies.items():
            reply(c.Refused(id=number, reason="The program has finished."))
        self._page.ended()
        self._lines.put(None)
