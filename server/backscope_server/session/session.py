"""One session: a program, the log of its only run, and how that run stands."""

from __future__ import annotations

import asyncio
import secrets

from backscope_server.sandbox.launcher import Launcher
from backscope_server.sandbox.limits import Limits
from backscope_server.session.ending import STOPPED
from backscope_server.session.log import SessionLog
from backscope_server.session.program import Program
from backscope_server.session.supervisor import Supervisor


class Session:
    """`status` is running, ok, error, stopped or limit; `id` cannot be guessed."""

    def __init__(self) -> None:
        self.id = secrets.token_urlsafe(12)
        self.log = SessionLog()
        self.status = "running"
        self._supervisor: Supervisor | None = None
        self._task: asyncio.Task[None] | None = None

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
