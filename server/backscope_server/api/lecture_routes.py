"""The API for those who collect moments into a lesson: names a moment of a run, and writes a lesson's file."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field

from backscope_server.api import response_models
from backscope_server.api.lesson_routes import pausing_of, read_run
from backscope_server.api.lookup import router, session_of, work_of
from backscope_server.api.past import while_there
from backscope_server.api.request import COMMAND_BYTES, arriving, parse
from backscope_server.errors import Problem
from backscope_server.lessons import lesson_file, writing
from backscope_server.lessons.block_parts import MOST_CHARACTERS, an_expression
from backscope_server.lessons.lesson import Lesson
from backscope_server.lessons.lesson_error import LessonError
from backscope_server.lessons.lesson_runs import LessonRun, evaluate
from backscope_server.lessons.moment_naming import NamedMoment, NotNamed, named
from backscope_server.lessons.moment_search import NotFound
from backscope_server.lessons.solving import value_at
from backscope_server.lessons.writing import NotWritable

__all__ = ["router"]


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
    yield_thread = work_of(request).yield_thread

    def name(run: LessonRun) -> NamedMoment:
        try:
            return named(run, wanted.step, yield_thread)
        except (NotNamed, NotFound) as error:
            raise Problem(422, str(error)) from None

    found = await read_run(request, session, name, contradictory="its moments have no names")
    if wanted.ask is None:
        return found
    try:
        expression = an_expression(wanted.ask, 1)
        answering = value_at(found.at, expression, 1, partial(evaluate, pausing_of(request, session)))
        answer = await while_there(request, answering)
    except LessonError as error:
        raise Problem(422, str(error)) from None
    return found.model_copy(update={"answer": answer})


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
