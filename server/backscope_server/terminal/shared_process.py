"""A debugged process that a page commands too, beside the terminal."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from backscope.protocol import commands as c
from backscope_server.session.shared_breakpoints import SharedBreakpoints
from backscope_server.terminal.debugged_process import DebuggedProcess

_PATIENCE_SECONDS = 5.0
_TERMINAL = "terminal"


class NoPage(RuntimeError):
    """The error for a page whose server could not be started; the text says why."""


class Receiver(Protocol):
    """The page; its methods are called in the thread that reads what the program sends."""

    def began(self, process: SharedProcess) -> None:
        """Take a process that has been started; the one before is over.

        Raises: NoPage.
        """

    def received(self, line: bytes) -> None:
        """Take an encoded event."""

    def shared(self, terminal: list[c.Breakpoint], removed: list[int]) -> None:
        """Take the breakpoints of the terminal, and the numbers of those of the page that were removed there."""

    def ended(self) -> None:
        """Take that no event follows."""


class SharedProcess(DebuggedProcess):
    """Gives each event to the terminal and to the page, and each answer to the side that asked.

    `went_on` is called when the page has the program go on, `removed` with the numbers of the terminal's breakpoints
    that the page removed.
    """

    # Any: what a DebuggedProcess is made of.
    def __init__(
        self,
        *given: Any,
        page: Receiver,
        went_on: Callable[[], None],
        removed: Callable[[set[int]], None],
        **named: Any,
    ) -> None:
        self._turn = threading.RLock()
        self._page = page
        self._went_on = went_on
        self._removed = removed
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._replies: dict[int, Callable[[c.Answer], None]] = {}
        self._breakpoints = SharedBreakpoints()
        super().__init__(*given, **named)
        page.began(self)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def of_page(self) -> dict[int, c.Breakpoint]:
        """The breakpoints that the page has set, by their numbers."""
        with self._turn:
            return self._breakpoints.of_page

    def remove_of_page(self, numbers: set[int]) -> None:
        """Remove breakpoints of the page; the next ones that are set go to the program without them."""
        with self._turn:
            self._breakpoints.remove_of_page(numbers)

    def send(self, command: Any) -> int:
        """Send a command of the terminal's, numbered; return its number."""
        with self._turn:
            if isinstance(command, c.SetBreakpoints):
                command = self._breakpoints.from_other(_TERMINAL, command)
            return super().send(command)

    def command(self, command: c.Command, reply: Callable[[c.Answer], None]) -> None:
        """Send a command of the page's; `reply` gets its answer, in a thread of this process."""
        with self._turn:
            if isinstance(command, c.SetBreakpoints):
                command, gone = self._breakpoints.from_page(command)
                self._removed(gone)
            going = isinstance(command, (c.Resume, c.Step))

            def answered(answer: c.Answer) -> None:
                if going and isinstance(answer, c.Done):
                    self._went_on()
                reply(msgspec.structs.replace(answer, id=command.id))

            self._replies[super().send(command)] = answered

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
                if isinstance(answer, c.BreakpointsSet):
                    shared = self._breakpoints.notice(answer)
                    self._page.shared(shared.terminal, shared.removed)
                    if reply is None:
                        line = c.encode(self._breakpoints.for_other(_TERMINAL, answer))
            if reply is None:
                self._lines.put(line)
            elif not isinstance(answer, c.Watched):
                reply(answer)
        for number, reply in self._replies.items():
            reply(c.Refused(id=number, reason="The program has finished."))
        self._page.ended()
        self._lines.put(None)
