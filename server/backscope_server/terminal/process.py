"""A debugged program, as its debugger commands it."""

from __future__ import annotations

from typing import Any

from backscope.protocol import commands as c, events as ev


class Process:
    """Takes commands and gives events and answers; `ended` is its status as os.waitpid has it, None while it runs."""

    ended: int | None

    def send(self, command: Any) -> int:
        """Send a command, numbered; return its number."""
        raise NotImplementedError

    def line(self) -> bytes | None:
        """Wait for the next line, an encoded event or answer, and return it; None when the process is over."""
        raise NotImplementedError

    def next(self) -> ev.Event | c.Reply | None:
        """Wait for the next event or answer and return it; None when the process is over."""
        line = self.line()
        if line is None:
            return None
        received: ev.Event | c.Reply = c.decode_answer(line) if line.startswith(c.ANSWER_OPENING) else ev.decode(line)
        return received

    def end(self) -> None:
        """End the process, if it is still there."""
        raise NotImplementedError

    def interrupt(self) -> None:
        """Interrupt the expression that is being evaluated; anything else goes on."""
        raise NotImplementedError

    def kill(self) -> None:
        """Kill the process."""
        raise NotImplementedError
