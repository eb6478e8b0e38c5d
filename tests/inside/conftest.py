"""Fixtures that run programs inside the sandbox, with large limits and every layer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import pytest

from backscope_server.sandbox.launcher import Launcher
from backscope_server.sandbox.limits import Limits
from backscope_server.session.program import Program
from backscope_server.session.session import Session

LIMITS = Limits(
    wall_seconds=120, cpu_seconds=60, memory_bytes=2 << 30, output_bytes=1 << 24, events=1_000_000, log_bytes=1 << 30,
    event_bytes=1 << 22,
)  # fmt: skip


@pytest.fixture(scope="session")
def finish() -> Iterator[Callable[[str], Session]]:
    """Run a program to its end."""
    with asyncio.Runner() as runner:
        launcher = Launcher()
        runner.run(launcher.start())

        async def whole(source: str) -> Session:
            session = Session()
            session.start(Program(source=source), LIMITS, launcher)
            await session.over()
            return session

        yield lambda source: runner.run(whole(source))
        runner.run(launcher.close())
