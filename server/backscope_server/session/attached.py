"""A session whose program is run and debugged elsewhere in this process: it takes events, and passes commands on."""

from __future__ import annotations

from typing import Protocol

from backscope.protocol import events
from backscope.protocol.commands import Command, Refused
from backscope_server.session.ending import STOPPED, Ending, closing_events
from backscope_server.session.session import Session
from backscope_server.session.supervisor import FINISHED, Reply

_FINISHED = events.opening(events.ProgramFinished)


class Debugged(Protocol):
    """The program, as a page commands it."""

    def command(self, command: Command, reply: Reply) -> None:
        """Pass a command on; `reply` gets its answer."""

    def kill(self) -> None:
        """End the program."""


class AttachedSession(Session):
    """The session of a debugged program; all of its methods are called in the thread of the server."""

    def __init__(self, program: Debugged, not_rerun: str | None) -> None:
        super().__init__()
        self.not_rerun = not_rerun
        self._program = program

    def append(self, lines: list[bytes]) -> None:
        """Add events."""
        if self.log.complete:
            return
        self.log.append(lines)
        if lines[-1].startswith(_FINISHED):
            last = events.decode(lines[-1])
            self._finish(last.status if isinstance(last, events.ProgramFinished) else "error")

    def ended(self) -> None:
        """Complete the log: no event follows."""
        if not self.log.complete:
            self.log.append(closing_events(STOPPED, self.log.last + 1, None))
            self._finish(STOPPED.status)

    def _finish(self, status: str) -> None:
        self.status = status
        self.notices.clear()
        self.log.finish()

    def command(self, command: Command, reply: Reply) -> None:
        """Pass a command of the page on to the program."""
        if self.log.complete:
            reply(Refused(id=command.id, reason=FINISHED))
        else:
            self._program.command(command, reply)

    def stop(self, ending: Ending = STOPPED) -> None:
        """End the program."""
        if not self.log.complete:
            self._program.kill()
            self.ended()
