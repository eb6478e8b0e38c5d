"""The API for those who collect moments into a lesson: names a moment of a run, and writes a lesson's file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, TypeVar

from fastapi import Path as PathField, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from backscope.moments.moment_search import NotFound
from backscope.player import page_template
from backscope.runtime.page_folder import NOT_BUILT
from backscope_server.access.room import Room
from backscope_server.access.work import Work
from backscope_server.api import lesson_page, response_models
from backscope_server.api.lesson_routes import pausing_of, read_run
from backscope_server.api.lookup import router, session_of, work_of
from backscope_server.api.past import while_there
from backscope_server.api.request import COMMAND_BYTES, arriving, parse
from backscope_server.api.start import count_start
from backscope_server.api.validated import UNCHANGED, validated
from backscope_server.errors import Problem
from backscope_server.lessons import lesson_file, writing
from backscope_server.lessons.block_parts import MOST_CHARACTERS, an_expression
from backscope_server.lessons.lesson import ChangeBlock, Lesson, ProgramBlock
from backscope_server.lessons.lesson_error import LessonError
from backscope_server.lessons.lesson_runs import LessonRun, evaluate
from backscope_server.lessons.moment_naming import NamedMoment, NotNamed, named
from backscope_server.lessons.sent_lessons import SentLessons, TooManyLessons
from backscope_server.lessons.shelf import NotSolved
from backscope_server.lessons.solving import Solved, value_at
from backscope_server.lessons.writing import NotWritable
from backscope_server.storage.folder import StorageError
from backscope_server.storage.lecture_storage import MOST_BYTES, LectureStorage, NotALecture

__all__ = ["router"]

_Result = TypeVar("_Result")

_BUSY_SECONDS = 60
_Kept = Annotated[str, PathField(description="The id of a lesson that was kept.")]
_LESSON_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Lesson"}}},
    }
}


class MomentRequest(BaseModel):
    """A step of a session's run, from 0, and an expression of which the value there is wanted."""

    model_config = ConfigDict(extra="forbid", strict=True)

    session: Annotated[str, Field(min_length=1, max_length=100)]
    step: Annotated[int, Field(ge=0, lt=2**53)]
    ask: Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS)] | None = None


class LecturePacked(BaseModel):
    """A collected lesson as its link has it, after the sign that begins its name."""

    model_config = ConfigDict(extra="forbid", strict=True)

    lecture: Annotated[str, Field(min_length=1, max_length=MOST_BYTES)]


class LectureKept(BaseModel):
    """The id of a lesson that is kept, and how many the server keeps."""

    lecture: str
    kept: int


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
    openapi_extra=_LESSON_BODY,
)
async def file(request: Request) -> LessonText:
    """Return the text of the file of a lesson, which is given as `GET /api/lessons/NAME` answers."""
    return LessonText(text=(await _sent(request))[1])


@router.post(
    "/lectures/page",
    response_class=response_models.LessonPage,
    responses={200: response_models.LESSON_PAGE, **response_models.problems(408, 413, 422, 503)},
    openapi_extra=_LESSON_BODY,
)
async def page(request: Request) -> Response:
    """Run the programs of a lesson and return its page in one HTML file, as `backscope lesson export` writes it."""
    address: str = request.state.address
    work = work_of(request)
    name, text = await _sent(request)
    lesson = await work.do(address, lesson_file.parse, name, text)
    programs = sum(isinstance(one, (ProgramBlock, ChangeBlock)) for one in lesson.blocks)
    if not programs:
        raise Problem(422, "The lesson is empty: add a moment of a run first.")
    if lesson.needs:
        raise Problem(422, f"needs: a lesson in a file of its own needs no others, and this one {lesson.needs[0]!r}.")
    template = await work.do(address, page_template.lesson)
    if template is None:
        raise Problem(503, NOT_BUILT)
    sent: SentLessons = request.app.state.sent
    unread: Room = request.app.state.unread
    try:
        with sent.place(address):
            await count_start(request.app, address, programs)
            solved = await while_there(
                request, sent.solved(lesson, partial(_continued, work, address), work.yield_thread)
            )
            # The page is held until the client has taken it.
            await request.state.until_sent.enter_async_context(unread.held(address, lesson_page.MOST_BYTES))
            content = await _continued(work, address, _filled, template, solved)
    except TooManyLessons as error:
        raise Problem(503, str(error), retry_after=_BUSY_SECONDS) from None
    except NotSolved as error:
        raise Problem(422, str(error)) from None
    return response_models.LessonPage(content, headers={"content-disposition": "attachment"})


@router.post(
    "/lectures/kept",
    status_code=201,
    response_model=LectureKept,
    responses=response_models.problems(404, 408, 413, 422, 503),
    openapi_extra=response_models.json_body(LecturePacked),
)
async def keep(request: Request) -> LectureKept:
    """Keep a collected lesson for a link; it is removed when as many others were kept or opened after it."""
    storage = _storage_of(request)
    async with arriving(request, MOST_BYTES + 100, "The lesson") as content:
        packed = parse(LecturePacked, content).lecture
        await count_start(request.app, request.state.address)
        try:
            identity = await storage.keep(packed)
        except NotALecture as error:
            raise Problem(422, str(error)) from None
        except OSError as error:
            raise Problem(
                503,
                f"The lesson could not be kept on the server's disk ({error.strerror or error}). Save it as a file.",
                retry_after=_BUSY_SECONDS,
            ) from None
    return LectureKept(lecture=identity, kept=storage.folder.kept)


@router.get(
    "/lectures/kept/{identity}",
    response_model=LecturePacked,
    responses={**UNCHANGED, **response_models.problems(404, 410)},
)
async def kept(request: Request, identity: _Kept) -> Response:
    """Return a lesson that was kept for a link."""
    try:
        packed = await _storage_of(request).open(identity)
    except StorageError as error:
        raise Problem(410, str(error)) from None
    if packed is None:
        raise Problem(
            404,
            f"There is no lesson {identity[:40]!r} any more: this server keeps a number of them, and those that were "
            "opened longest ago go first. Have it shared again, or ask for its file.",
        )
    return validated(request, LecturePacked(lecture=packed).model_dump_json().encode())


def _storage_of(request: Request) -> LectureStorage:
    """Return the store of lessons of a request's application.

    Raises: Problem 404 where there is none.
    """
    storage: LectureStorage | None = request.app.state.lectures
    if storage is None:
        raise Problem(
            404,
            "This server keeps no lessons. Save the lesson as a file, and send that. Whoever runs the server can have "
            "it keep lessons with BACKSCOPE_STORAGE.",
        )
    return storage


async def _continued(work: Work, address: str, function: Callable[..., _Result], /, *arguments: Any) -> _Result:
    """Call a function in a thread as a continuation of work that was admitted."""
    return await work.do(address, function, *arguments, begun=True)


async def _sent(request: Request) -> tuple[str, str]:
    """Return the name of the lesson in a request's body, and the text of its file.

    Raises: Problem 408, 413, 422, 503.
    """
    async with arriving(request, lesson_file.MOST_BYTES, "The lesson") as content:
        lesson = parse(Lesson, content)
        try:
            return lesson.name, await work_of(request).do(request.state.address, writing.write, lesson)
        except NotWritable as error:
            raise Problem(422, str(error)) from None


def _filled(template: str, solved: Solved) -> bytes:
    """Return the bytes of a lesson's page.

    Raises: Problem 413.
    """
    try:
        return lesson_page.fill(template, solved).encode("utf-8", "replace")
    except lesson_page.TooLarge as error:
        raise Problem(413, str(error)) from None
