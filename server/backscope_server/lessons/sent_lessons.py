"""Runs the lessons that clients send, one after the other, outside of the places for programs."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterator

from backscope_server.access.rates import Count
from backscope_server.errors import Problem
from backscope_server.lessons.lesson import Lesson, PredictBlock, ProgramBlock, StepBlock
from backscope_server.lessons.lesson_error import LessonError
from backscope_server.lessons.lesson_runs import Calling, LessonRuns
from backscope_server.lessons.shelf import NotSolved
from backscope_server.lessons.solving import Solved, solve
from backscope_server.sandbox.limits import Limits
from backscope_server.session.running import Runner

logger = logging.getLogger(__name__)

MOST_LOG_BYTES = 4 << 20
"""The most bytes of events that the programs of one lesson may record together."""
_OF_ADDRESS = 1
_IN_ALL = 8


class TooManyLessons(RuntimeError):
    """The error for a lesson when as many of its address, or of all, are being run or wait as may."""


class SentLessons:
    """Solves lessons one at a time; one of an address and eight of all may be there, running or waiting.

    All programs of a lesson together have the time of one program, `limits.wall_seconds`, and MOST_LOG_BYTES.
    """

    def __init__(self, runner: Runner, limits: Limits) -> None:
        self._runner = runner
        self._limits = limits
        self._there = Count(_OF_ADDRESS, _IN_ALL)
        self._turn = asyncio.Lock()

    @contextlib.contextmanager
    def place(self, address: str) -> Iterator[None]:
        """Take a place for a lesson of an address, for as long as the context lasts.

        Raises: TooManyLessons.
        """
        if not self._there.enter(address):
            raise TooManyLessons(
                "This server makes the page of one lesson at a time, and yours or those of others wait for it. Try "
                "again in a minute."
            )
        try:
            yield
        finally:
            self._there.leave(address)

    async def solved(self, lesson: Lesson, call: Calling, yield_thread: Callable[[], None]) -> Solved:
        """Run a lesson that was parsed from its file, and return it with its answers and runs.

        Raises: NotSolved, of which the text names the moment that does not hold; what `call` raises itself.
        """
        async with self._turn:
            return await self._solved(lesson, call, yield_thread)

    async def _solved(self, lesson: Lesson, call: Calling, yield_thread: Callable[[], None]) -> Solved:
        seconds = self._limits.wall_seconds
        try:
            async with (
                asyncio.timeout(seconds),
                LessonRuns(
                    self._runner, self._limits, call=call, yield_thread=yield_thread, nbytes=MOST_LOG_BYTES
                ) as runs,
            ):
                solved = await solve(lesson, runs)
        except TimeoutError:
            raise NotSolved(
                f"The programs of this lesson take longer than {seconds:g} s together. Let them run fewer steps, or "
                "make two lessons of it."
            ) from None
        except Problem:
            raise
        except Exception:
            # A program that forges events can make them contradict each other.
            logger.warning("The runs of a lesson could not be read.", exc_info=True)
            raise NotSolved(
                "The record of a program of this lesson contradicts itself, so it cannot be shown."
            ) from None
        if solved.faults:
            raise NotSolved(fault_text(lesson, solved.faults[0]))
        return solved


def fault_text(lesson: Lesson, fault: LessonError) -> str:
    """Return a fault of a parsed lesson with the moment that it is about, as its author counts them."""
    blocks = lesson.blocks
    before = [one for one in blocks if one.line <= fault.line]
    if not before:
        return f"Line {fault.line}: {fault}"
    block = before[-1]
    moments = [one for one in blocks if isinstance(one, (StepBlock, PredictBlock))]
    match block:
        case StepBlock() | PredictBlock():
            return f"Moment {moments.index(block) + 1}, {block.at.text}: {fault}"
        case ProgramBlock():
            shown = [number for number, one in enumerate(moments, 1) if one.program == block.name]
            return f"The program of moment {shown[0]}: {fault}" if shown else f"The program {block.name}: {fault}"
    return f"The {block.kind} at line {fault.line}: {fault}"
