"""All sessions of a server: starts them, finds them, forgets the oldest finished ones when memory is used up."""

from __future__ import annotations

import asyncio

from backscope_server.sandbox.launcher import Launcher
from backscope_server.sandbox.limits import Limits
from backscope_server.session.program import Program
from backscope_server.session.session import Session


class PoolFull(RuntimeError):
    """As many programs are running as may."""


class Pool:
    """Runs up to `running` programs at once and keeps up to `kept` sessions in about `kept_bytes` of memory.

    A session that is running is never forgotten, so memory is bounded by `kept_bytes` plus one log limit for each
    running program.  A program that nobody watches is stopped after `unwatched_seconds`.
    """

    def __init__(
        self,
        launcher: Launcher,
        limits: Limits,
        *,
        running: int,
        kept: int,
        kept_bytes: int,
        unwatched_seconds: float | None = None,
    ) -> None:
        self.launcher = launcher
        self.limits = limits
        self.running = running
        self.kept = kept
        self.kept_bytes = kept_bytes
        self.unwatched_seconds = unwatched_seconds
        self._sessions: dict[str, Session] = {}

    def start(self, program: Program) -> Session:
        """Start a program.

        Raises: PoolFull.
        """
        if sum(session.running for session in self._sessions.values()) >= self.running:
            many = "A program is" if self.running == 1 else f"{self.running} programs are"
            raise PoolFull(f"{many} running already. Stop one, or wait until one ends.")
        session = Session(self.unwatched_seconds)
        self.add(session)
        session.start(program, self.limits, self.launcher)
        return session

    def add(self, session: Session) -> None:
        """Keep a session, and forget the oldest finished ones that there is no room for."""
        self._sessions[session.id] = session
        self._evict()

    def find(self, identity: str) -> Session | None:
        """The session with this id, None where there is none or it has been forgotten."""
        return self._sessions.get(identity)

    def remove(self, session: Session) -> None:
        """Stop a session and forget it; readers that are at it get its log to the end."""
        session.stop()
        self._sessions.pop(session.id, None)

    async def close(self) -> None:
        """Stop every session and end the sandbox."""
        for session in self._sessions.values():
            session.stop()
        await asyncio.gather(*(session.over() for session in self._sessions.values()))
        await self.launcher.close()

    def _evict(self) -> None:
        total = sum(session.log.nbytes for session in self._sessions.values())
        # In order of their start; the newest always stays.
        for session in list(self._sessions.values())[:-1]:
            if total <= self.kept_bytes and len(self._sessions) <= self.kept:
                return
            if not session.running:
                total -= session.log.nbytes
                del self._sessions[session.id]
