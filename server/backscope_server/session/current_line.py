"""Finds out at which line a program is that has written no event for a while, such as one in an endless loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from backscope_server.session.ending import crash_line
from backscope_server.session.log import Log
from backscope_server.session.pipe import Inlet
from backscope_server.session.program import Program

_QUIET_SECONDS = 1.0
"""The time without an event after which the line is requested, again and again."""
_ANSWER_SECONDS = 0.1
_MOST_BYTES = 1 << 16


class CurrentLine:
    """A clock of a run: while it goes, it calls `found` with the line of a quiet program, and with None after an event.

    `said` is what was read of the diagnostics pipe last; a process that ends at that moment wrote its reason there.
    """

    def __init__(self, program: Program, log: Log, found: Callable[[int | None], None]) -> None:
        self.said = b""
        self._line: int | None = None
        self._program = program
        self._log = log
        self._found = found
        self._last = log.last
        self._request: Callable[[], None] | None = None
        self._diagnostics: Inlet | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def line(self) -> int | None:
        """Return the line, None where it is not known or an event has come since."""
        return self._line if self._log.last == self._last else None

    def attach(self, request: Callable[[], None], diagnostics: Inlet) -> None:
        """Use `request` to have the process write its stack to the pipe `diagnostics`."""
        self._request, self._diagnostics = request, diagnostics

    def start(self) -> None:
        """Begin to check the program, or go on after a stop."""
        if self._timer is None:
            self._wait(_QUIET_SECONDS, self._check)

    def stop(self) -> None:
        """Stop checking: the program is paused or over."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._found(None)

    def _wait(self, seconds: float, then: Callable[[], None]) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, then)

    def _check(self) -> None:
        if self._log.last != self._last:
            self._last = self._log.last
            self._set(None)
        elif self._request is not None and self._last >= 0:
            # A process that has sent no event may lack the handler of the signal, and would end by it.
            self._request()
            self._wait(_ANSWER_SECONDS, self._read)
            return
        self._wait(_QUIET_SECONDS, self._check)

    def _read(self) -> None:
        data = self._diagnostics.take(_MOST_BYTES) if self._diagnostics is not None else None
        if data:
            self.said = data
            line = crash_line(data.decode("utf-8", "replace"), self._program.filename)
            self._set(line if self._program.has(line) else None)
        self._wait(_QUIET_SECONDS, self._check)

    def _set(self, line: int | None) -> None:
        self._line = line
        self._found(line)
