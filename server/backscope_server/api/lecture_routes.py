"""The API for those who collect moments into a lesson: names a moment of a run, and writes a lesson's file."""

from __future__ import annotations

import logging
from typing import Annotated

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field

from backscope_server.api import response_models
from backscope_server.api.lesson_routes import check_over, pausing_of
from backscope_server.api.lookup import router, session_of, work_of
from backscope_server.api.past import while_there
from backscope_server.api.request import COMMAND_BYTES, arriving, parse
from backscope_server.errors import Problem
from backscope_server.lessons import lesson_file, writing
from backscope_server.lessons.block_parts import MOST_CHARACTERS, an_expression
from backscope_server.lessons.comparable import NotComparable, Value, value_of
from backscope_server.lessons.lesson import Lesson, Moment
from backscope_server.lessons.lesson_error import LessonError
from backscope_server.lessons.lesson_runs import LessonRun, NotEvaluated, Pausing, evaluate
from backscope_server.lessons.moment_naming import NamedMoment, NotNamed, named
from backscope_server.lessons.moment_search import NotFound
from backscope_server.lessons.writing import NotWritable
from backscope_server.session.log import NotKept
from backscope_server.session.session import Session

__all__ = ["router"]

logger = logging.getLogger(__name__)


class MomentRequest(BaseModel):
    """A step of a session's run, from 0, and an expression of which the value there is wanted."""

    model_config = ConfigDict(extra="forbid", strict=True)

    session: Annotated[str, Field(min_length=1, max_length=100)]
    step: Annotated[int, Field(ge=0, lt=2**53)]
    ask: Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS)] | None = None


class LessonText(BaseModel):
    """The text of a lesson's file."""

    text: str


@router.post(
    "/lectures/moments",
    response_model=NamedMoment,
    responses=response_models.problems(404, 408, 409, 410, 413, 422, 503),
    openapi_extra=response_models.json_body(MomentRequest),
)
async def moment(request: Request) -> NamedMoment:
    """Return a step of a finished run as a lesson names it, with its program, and the value of an expression there."""
    async with arriving(request, COMMAND_BYTES, "The request") as text:
        wanted = parse(MomentRequest, text)
    session = await session_of(request, wanted.session)
    session.restart_unwatched_clock()
    pausing = pausing_of(request, session)
    found = await _named(request, session, pausing, wanted.step)
    if wanted.ask is None:
        return found
    answer = await while_there(request, _answer(pausing, found.at, wanted.ask))
    return found.model_copy(update={"answer": answer})


async def _named(request: Request, session: Session, pausing: Pausing, step: int) -> NamedMoment:
    """Return a step of a session's run as a lesson names it.

    Raises: Problem 409, 413, 422, 429, 503; NotKept.
    """
    await check_over(session)
    work = work_of(request)

    def find() -> NamedMoment:
        return named(LessonRun(session, pausing, work.yield_thread), step, work.yield_thread)

    try:
        return await work.do(request.state.address, find)
    except (NotNamed, NotFound) as error:
        raise Problem(422, str(error)) from None
    except (Problem, NotKept):
        raise
    except Exception:
        # A program that forges events can make them contradict each other.
        logger.warning("A moment of a run could not be named.", exc_info=True)
        raise Problem(422, "The record of this run contradicts itself, so its moments have no names.") from None


async def _answer(pausing: Pausing, at: Moment, expression: str) -> Value:
    """Return the value of an expression at a moment, as a reader can type it.

    Raises: Problem 422, 429, 503.
    """
    assert at.place is not None
    try:
        asked = an_expression(expression, 1)
        return value_of(await evaluate(pausing, at.place.read_seq, asked))
    except LessonError as error:
        raise Problem(422, str(error)) from None
    except NotEvaluated as error:
        raise Problem(422, f"`{expression}` has no value {at.text}: {error}") from None
    except NotComparable as error:
        raise Problem(
            422, f"`{expression}` is {error}, which no reader can type: ask for a number, a tensor or a text."
        ) from None


@router.post(
    "/lectures/file",
    response_model=LessonText,
    responses=response_models.problems(408, 413, 422, 503),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Lesson"}}},
        }
    },
)
async def file(request: Request) -> LessonText:
    """Return the text of the file of a lesson, which is given as `GET /api/lessons/NAME` answers."""
    async with arriving(request, lesson_file.MOST_BYTES, "The lesson") as content:
        lesson = parse(Lesson, content)
        try:
            text = await work_of(request).do(request.state.address, writing.write, lesson)
        except NotWritable as error:
            raise Problem(422, str(error)) from None
    return LessonText(text=text)
