"""Judges a changed program: whether it reaches the aim of a change, and which feedback its reader gets if not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeAlias

from pydantic import BaseModel, ConfigDict

from backscope.moments import moment_search
from backscope.moments.moment_search import NotFound
from backscope.protocol.commands import Look
from backscope_server.lessons.comparable import BoolValue, NotComparable, value_of, written
from backscope_server.lessons.lesson import ChangeBlock, ProgramBlock
from backscope_server.lessons.lesson_runs import LessonRun, NotEvaluated
from backscope_server.lessons.program_edit import why_not

Evaluate: TypeAlias = Callable[[int, str], Awaitable[Look]]
"""A function that returns the value of an expression after an event of a run; raises NotEvaluated."""


class Attempt(NamedTuple):
    """The part of a changed program's run that the verdict needs; the check is evaluated after the event `seq`.

    Where there is none `problem` says why; otherwise it is the error that ended the program, None without one.
    """

    seq: int | None
    problem: str | None


class Verdict(BaseModel):
    """The verdict on a change: `reached` or not, and the text for the reader, why it is right or the feedback.

    `problem` is the error that ended the program, or why there is nothing to evaluate.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    reached: bool
    text: str
    problem: str | None = None


def attempt_of(change: ChangeBlock, run: LessonRun, original: ProgramBlock | None = None) -> Attempt:
    """Return what the verdict needs of a run; with `original` also check that only the allowed part was changed."""
    if original is not None and (reason := why_not(original.source, run.source, change.edit)) is not None:
        return Attempt(None, reason)
    failure = _failure(run)
    try:
        return Attempt(moment_search.find(run.run, change.at.text).read_seq, failure)
    except NotFound as error:
        return Attempt(None, failure or str(error))


async def judge(change: ChangeBlock, attempt: Attempt, evaluate: Evaluate) -> Verdict:
    """Judge a changed program by the values of the check and of the feedback's conditions."""
    if attempt.seq is None:
        return _missed(attempt.problem or "")
    try:
        if await _holds(evaluate, attempt.seq, change.check):
            return Verdict(reached=True, text=change.right)
        for one in change.missed:
            if await _holds(evaluate, attempt.seq, one.check):
                return _not_yet(one.text, attempt.problem)
    except _NotHeld as error:
        return _missed(attempt.problem or str(error))
    otherwise = change.otherwise or "Not yet: look at what it gives now, and try another change."
    return _not_yet(otherwise, attempt.problem)


class _NotHeld(ValueError):
    """The error for a check that is neither true nor false."""


async def _holds(evaluate: Evaluate, seq: int, check: str) -> bool:
    try:
        value = value_of(await evaluate(seq, check))
    except NotEvaluated as error:
        raise _NotHeld(f"`{check}` has no value there: {error}") from None
    except NotComparable as error:
        raise _NotHeld(f"`{check}` is neither True nor False: it is {error}.") from None
    if not isinstance(value, BoolValue):
        raise _NotHeld(f"`{check}` is neither True nor False: it is {written(value)}.")
    return value.bool


def _failure(run: LessonRun) -> str | None:
    error = run.error
    if error is None:
        return None
    where = "" if error.line is None else f" at line {error.line}"
    return f"The program fails{where}: {error.type}: {error.message}".split("\n")[0]


def _not_yet(text: str, problem: str | None) -> Verdict:
    """Return the verdict with the feedback `text`, after the error that ended the program, if one did.

    The feedback was written for a program that runs to its end: without the error it would miss the cause.
    """
    return Verdict(reached=False, text=text if problem is None else f"{problem}\n\n{text}", problem=problem)


def _missed(problem: str) -> Verdict:
    return Verdict(reached=False, text=problem, problem=problem)
