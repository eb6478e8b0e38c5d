"""Fixtures of the tests of lessons: their runs in the sandbox."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from backscope_server.lessons import checking
from backscope_server.lessons.lesson_runs import LessonRuns
from backscope_server.sandbox.limits import Limits

LIMITS = Limits(
    wall_seconds=120,
    cpu_seconds=8,
    memory_bytes=256 << 20,
    output_bytes=200_000,
    events=20_000,
    log_bytes=8 << 20,
    event_bytes=1 << 20,
)


@pytest.fixture(scope="session")
def limits() -> Limits:
    """Return the limits that the programs of lessons are run with."""
    return LIMITS


@pytest.fixture(scope="session")
def runs(sandbox: Any) -> Iterator[LessonRuns]:
    made = LessonRuns(sandbox.launcher, LIMITS)
    yield made
    sandbox.run(made.close())


@pytest.fixture(scope="session")
def checked(sandbox: Any, runs: LessonRuns) -> Callable[[Path], checking.Checked]:
    """Return a function that checks the lesson in a file."""

    async def check(path: Path) -> checking.Checked:
        async with asyncio.timeout(300):
            return await checking.check(path, runs)

    return lambda path: sandbox.run(check(path))
