"""One session: a program, the log of its only run, and how that run stands."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Iterator

from backscope_server.sandbox.launcher import Launcher
from backscope_server.sandbox.limits import Limits
from backscope_server.session.ending import STOPPED, unwatched
from backscope_server.session.log import SessionLog
from backscope_server.session.program import Program
from backscope_server.session.supervisor import Supervisor


class Session:
    """`status` is running, ok, error, stopped or limit; `id` cannot be guessed.

    A run that nobody watches for `unwatched_seconds` is ended; None lets it run on.
    """

    def __init__(self, unwatched_seconds: float | None = None) -> None:
        self.id = secrets.token_urlsafe(12)
        self.log = SessionLog()
        self.status = "running"
        self._supervisor: Supervisor | None = None
        self._task: asyncio.Task[None] | None = None
        self._unwatched_seconds = unwatched_seconds
        self._watchers = 0
        self._timer: asyncio.TimerHandle | None = None

    @classmethod
    def recorded(cls, lines: list[bytes], status: str) -> Session:
        """A finished session with the events of a trace file."""
        session = cls()
        session.log.append(lines)
        session.log.finish()
        session.status = status
        return session

    @property
    def running(self) -> bool:
        """True until the last event is in the log."""
        return not self.log.complete

    def start(self, program: Program, limits: Limits, launcher: Launcher) -> None:
        """Run the program; its events appear in `log` from now on."""
        self._supervisor = Supervisor(program, limits, self.log)
        self._task = asyncio.create_task(self._run(self._supervisor, launcher), name=f"session {self.id}")
        self.noticed()

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Somebody watches the run for as long as the context lasts."""
        self._watchers += 1
        self.noticed()
        try:
            yield
        finally:
            self._watchers -= 1
            self.noticed()

    def noticed(self) -> None:
        """Somebody came, asked or left: the time without anybody begins anew."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._unwatched_seconds is not None and self._watchers == 0 and self.running:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._unwatched_seconds, self._leave, self._unwatched_seconds)

    def _leave(self, seconds: float) -> None:
        if self._supervisor is not None and self.running:
            self._supervisor.end(unwatched(seconds))

    def stop(self) -> None:
        """End the run, if it is not over, with status "stopped"."""
        if self._supervisor is not None and self.running:
            self._supervisor.end(STOPPED)

    async def over(self) -> None:
        """Wait until the run is over."""
        if self._task is not None:
            await asyncio.shield(self._task)

    async def _run(self, supervisor: Supervisor, launcher: Launcher) -> None:
        self.status = await supervisor.run(launcher)
        if self._timer is not None:
            self._timer.cancel()
