"""Recorded sessions of programs that many people run unchanged, such as the examples: each is run once for all.

A program with the same seed does the same in every run, so a recording serves as well as another run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from backscope_server.sandbox.limits import Limits
from backscope_server.session.log import SessionLog
from backscope_server.session.program import Program
from backscope_server.session.running import Runner
from backscope_server.session.session import Session


class Recordings:
    """Finished sessions by the program that they ran, and by their id."""

    def __init__(self) -> None:
        self._by_program: dict[Program, Session] = {}
        self._by_id: dict[str, Session] = {}
        self._making: asyncio.Task[None] | None = None
        self._running: Session | None = None

    def start(
        self, programs: Iterable[Program], limits: Limits, runner: Runner, made: Callable[[SessionLog], None]
    ) -> None:
        """Run each of these programs, one after the other; `made` gets the log of each."""
        self._making = asyncio.create_task(self._make(list(programs), limits, runner, made), name="recordings")

    async def _make(
        self, programs: list[Program], limits: Limits, runner: Runner, made: Callable[[SessionLog], None]
    ) -> None:
        for program in programs:
            self._running = session = Session()
            session.start(program, limits, runner)
            await session.over()
            self._running = None
            if session.status in ("ok", "error"):  # A run that a limit ended may end otherwise another time.
                self._by_program[program] = self._by_id[session.id] = session
                made(session.log)

    def of(self, program: Program) -> Session | None:
        """Return the session of this program, None if it is not recorded."""
        return self._by_program.get(program)

    def find(self, identity: str) -> Session | None:
        """Return the session with this id."""
        return self._by_id.get(identity)

    async def close(self) -> None:
        """Record no more."""
        if self._making is not None:
            self._making.cancel()
            await asyncio.gather(self._making, return_exceptions=True)
        if self._running is not None:
            self._running.stop()
            await self._running.over()
