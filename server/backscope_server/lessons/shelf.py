"""The lessons that a server offers, each with answers that are computed when it is opened for the first time."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Sequence
from pathlib import Path

from backscope_server.lessons import lesson_file
from backscope_server.lessons.lesson import Lesson
from backscope_server.lessons.lesson_runs import LessonRuns
from backscope_server.lessons.solving import solve
from backscope_server.sandbox.limits import Limits
from backscope_server.session.running import Runner


class NotSolved(RuntimeError):
    """The error for a lesson that does not hold on this server; the text says why."""


class Shelf:
    """Lessons by their names; each is solved once, one after the other, outside of the places for programs."""

    def __init__(self, runner: Runner, limits: Limits, paths: Sequence[Path] | None = None) -> None:
        self._runs = LessonRuns(runner, limits)
        self._paths = lesson_file.paths() if paths is None else list(paths)
        self._solving: dict[str, asyncio.Task[Lesson]] = {}
        self._turn = asyncio.Lock()

    @property
    def lessons(self) -> dict[str, Lesson]:
        """The lessons as they are written, in their order."""
        return self._written

    @functools.cached_property
    def _written(self) -> dict[str, Lesson]:
        return {path.stem: lesson_file.read(path) for path in self._paths}

    async def solved(self, name: str) -> Lesson:
        """Return a lesson with its moments and answers.

        Raises: KeyError where there is none of that name; NotSolved.
        """
        lesson = self.lessons[name]
        task = self._solving.get(name)
        if task is None or (task.done() and task.exception() is not None):
            task = self._solving[name] = asyncio.create_task(self._solve(lesson), name=f"lesson {name}")
        return await asyncio.shield(task)

    async def close(self) -> None:
        """End the runs of lessons that are being solved."""
        tasks = list(self._solving.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._runs.close()

    async def _solve(self, lesson: Lesson) -> Lesson:
        async with self._turn:
            found = await solve(lesson, self._runs)
        if found.faults:
            fault = found.faults[0]
            raise NotSolved(f"The lesson {lesson.name} does not hold on this server: line {fault.line}: {fault}")
        return found.lesson
