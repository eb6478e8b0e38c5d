"""Judges a changed program: whether it reaches the aim of a change, and what its reader should know if not."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from backscope_server.lessons import moment_search
from backscope_server.lessons.comparable import BoolValue, NotComparable, value_of, written
from backscope_server.lessons.lesson import ChangeBlock, ProgramBlock
from backscope_server.lessons.lesson_runs import LessonRun, NotEvaluated
from backscope_server.lessons.moment_search import NotFound
from backscope_server.lessons.program_edit import why_not


class Verdict(BaseModel):
    """Whether a change is reached, and the text for the reader: why it is right, or the feedback.

    `problem` says why it could not be evaluated: an error, or a part of the program that was not to be changed.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    reached: bool
    text: str
    problem: str | None = None


async def judge(change: ChangeBlock, run: LessonRun, original: ProgramBlock | None = None) -> Verdict:
    """Judge the run of a changed program; with `original` also whether it was changed in the allowed part alone."""
    if original is not None:
        reason = why_not(original.source, run.source, change.edit)
        if reason is not None:
            return _missed(change, reason)
    try:
        place = moment_search.find(run.run, change.at.text)
        if await _holds(run, place.read_seq, change.check):
            return Verdict(reached=True, text=change.right)
        for one in change.missed:
            if await _holds(run, place.read_seq, one.check):
                return Verdict(reached=False, text=one.text)
    except (NotFound, _NotHeld) as error:
        return _missed(change, _failure(run) or str(error))
    return Verdict(
        reached=False, text=change.otherwise or "Not yet: look at what it gives now, and try another change."
    )


class _NotHeld(ValueError):
    """The error for a check that is neither true nor false."""


async def _holds(run: LessonRun, seq: int, check: str) -> bool:
    try:
        value = value_of(await run.evaluate(seq, check))
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


def _missed(change: ChangeBlock, problem: str) -> Verdict:
    return Verdict(reached=False, text=problem, problem=problem)
