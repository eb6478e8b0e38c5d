"""The API for lessons: lists them, gives one with its answers, and judges the changes that readers make."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from functools import partial
from typing import Annotated, TypeVar

from fastapi import Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from backscope.diagnosis.why.answer import amount
from backscope.runtime.known_names import one_of
from backscope_server.api import response_models
from backscope_server.api.lookup import router, session_of, sessions_of, work_of
from backscope_server.api.past import while_there
from backscope_server.api.request import COMMAND_BYTES, arriving, parse
from backscope_server.api.start import admit_replay
from backscope_server.api.validated import UNCHANGED, validated
from backscope_server.errors import Problem
from backscope_server.lessons.judging import Verdict, attempt_of, judge
from backscope_server.lessons.lesson import ChangeBlock, Lesson, LessonTitle
from backscope_server.lessons.lesson_runs import LessonRun, Pausing, evaluate
from backscope_server.lessons.preview import LessonDraft, Preview
from backscope_server.lessons.shelf import NotSolved, Shelf
from backscope_server.session.lines import NotKept
from backscope_server.session.past.replay import Replay
from backscope_server.session.session import Session

__all__ = ["router"]

logger = logging.getLogger(__name__)

_MOST_LOG_BYTES = 4 << 20
"""The largest log that is read for a lesson: those of Backscope's own are a hundredth of it."""
_BUSY_SECONDS = 5
_ENDING_SECONDS = 5.0
"""The longest time that the end of a run is awaited."""

_TITLES = TypeAdapter(list[LessonTitle])
_Read = TypeVar("_Read")
_Name = Annotated[str, Path(description="The name of a lesson.", max_length=100)]
_After = Annotated[str | None, Query(description="The version that the client has.", max_length=100)]


class ChangeRequest(BaseModel):
    """A change to be judged: the line of its block, and the session that ran the changed program."""

    model_config = ConfigDict(extra="forbid", strict=True)

    line: Annotated[int, Field(ge=1, lt=2**53)]
    session: Annotated[str, Field(min_length=1, max_length=100)]


def shelf_of(request: Request) -> Shelf:
    """Return the lessons of the request's application."""
    shelf: Shelf = request.app.state.shelf
    return shelf


@router.get("/lessons", response_model=list[LessonTitle], responses=UNCHANGED)
def lessons(request: Request) -> Response:
    """Return the lessons in the order in which they are to be taken."""
    titles = [one.heading for one in shelf_of(request).lessons.values()]
    return validated(request, _TITLES.dump_json(titles))


@router.get("/lessons/{name}", response_model=Lesson, responses={**UNCHANGED, **response_models.problems(404, 503)})
async def lesson(request: Request, name: _Name) -> Response:
    """Return a lesson with its moments and answers; its programs are run when it is opened for the first time."""
    try:
        found = await shelf_of(request).solved(name)
    except KeyError:
        raise _unknown(request, name) from None
    except NotSolved as error:
        raise Problem(503, str(error), retry_after=_BUSY_SECONDS) from None
    return validated(request, found.model_dump_json().encode())


@router.get(
    "/lessons/{name}/draft",
    response_model=LessonDraft,
    responses={204: {"description": "The file still has the version `after`."}, **response_models.problems(404, 422)},
)
async def draft(request: Request, name: _Name, after: _After = None) -> LessonDraft | Response:
    """Return a lesson as its file is now, with what does not hold in it, on a server that previews lessons."""
    shelf = shelf_of(request)
    if not isinstance(shelf, Preview):
        raise Problem(404, "This server shows no drafts of lessons: `backscope lesson preview PATH` does.")
    await request.body()  # It has none; the next message says that the client has left.
    try:
        found = await while_there(request, shelf.draft(name, after))
    except KeyError:
        raise _unknown(request, name) from None
    return Response(status_code=204) if found is None else found


@router.post(
    "/lessons/{name}/changes",
    response_model=Verdict,
    responses=response_models.problems(404, 408, 409, 410, 413, 422, 503),
    openapi_extra=response_models.json_body(ChangeRequest),
)
async def change(request: Request, name: _Name) -> Verdict:
    """Judge a changed program that was run: whether it reaches the aim, and what its reader should know."""
    async with arriving(request, COMMAND_BYTES, "The request") as text:
        wanted = parse(ChangeRequest, text)
    written = _written(request, name)
    block = next((one for one in written.blocks if isinstance(one, ChangeBlock) and one.line == wanted.line), None)
    if block is None:
        lines = [str(one.line) for one in written.blocks if isinstance(one, ChangeBlock)]
        raise Problem(422, f"line: the lesson {name} has no change at line {wanted.line}, but at {', '.join(lines)}.")
    session = await session_of(request, wanted.session)
    session.restart_unwatched_clock()
    original = written.program(block.program)
    # Nothing else of the run is kept while values are awaited.
    attempt = await read_run(
        request, session, lambda run: attempt_of(block, run, original), contradictory="it cannot be judged"
    )
    judged = judge(block, attempt, partial(evaluate, pausing_of(request, session)))
    return await while_there(request, judged)


def pausing_of(request: Request, session: Session) -> Pausing:
    """Return a function that gives a replay of a session's run, paused after an event."""
    address: str = request.state.address
    replays = sessions_of(request).replays

    def pausing(seq: int) -> AbstractAsyncContextManager[Replay]:
        return replays.at(session, seq, address, lambda: admit_replay(request.app, address))

    return pausing


async def read_run(request: Request, session: Session, read: Callable[[LessonRun], _Read], contradictory: str) -> _Read:
    """Return what a function, called in a thread, reads of a session's run; a run that is just ending is awaited.

    `contradictory` is the end of the message about a run whose events contradict each other.

    Raises: Problem 409, 413, 422, 429, 503; NotKept; the Problems of `read`.
    """
    await _check_over(session)
    work = work_of(request)
    pausing = pausing_of(request, session)
    try:
        return await work.do(request.state.address, lambda: read(LessonRun(session, pausing, work.yield_thread)))
    except (Problem, NotKept):
        raise
    except Exception:
        # A program that forges events can make them contradict each other.
        logger.warning("A run could not be read for a lesson.", exc_info=True)
        raise Problem(422, f"The record of this run contradicts itself, so {contradictory}.") from None


async def _check_over(session: Session) -> None:
    """Check that a run is over and short enough to be read for a lesson; one that is just ending is awaited.

    Raises: Problem 409, 413.
    """
    # A page has the last event a moment before the process that made it is gone.
    with suppress(TimeoutError):
        await asyncio.wait_for(session.log.completed(), _ENDING_SECONDS)
    if session.running:
        raise Problem(409, "The program is still running. Ask again when it has finished, or stop it first.")
    if (nbytes := session.log.lines.text_nbytes) > _MOST_LOG_BYTES:
        raise Problem(
            413, f"This run is too long for a lesson: its events take {amount(nbytes)}, and those of a lesson's "
            f"program {amount(_MOST_LOG_BYTES)} at most."
        )  # fmt: skip


def _written(request: Request, name: str) -> Lesson:
    """Return a lesson as it is written.

    Raises: Problem 404.
    """
    try:
        return shelf_of(request).lessons[name]
    except KeyError:
        raise _unknown(request, name) from None


def _unknown(request: Request, name: str) -> Problem:
    return Problem(404, f"There is no lesson {name[:40]!r}. {one_of(name, shelf_of(request).lessons)}")
