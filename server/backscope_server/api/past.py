"""The API for values of the past of a run: from its log, or from a replay of the program."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine
from typing import Annotated, Any, Literal, TypeVar, get_args

import msgspec
from fastapi import Request, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import ClientDisconnect

from backscope.protocol import commands
from backscope_server.access.room import Room
from backscope_server.api import response_models
from backscope_server.api.lookup import Identity, router, session_of, sessions_of, settings_of, work_of
from backscope_server.api.request import COMMAND_BYTES, arriving, invalid, parse
from backscope_server.api.start import admit_replay
from backscope_server.errors import Problem
from backscope_server.session.past.course import Unreachable
from backscope_server.session.past.curves import Curves
from backscope_server.session.past.logged_elements import read_elements
from backscope_server.session.past.replay import Replay
from backscope_server.session.past.run_record import NotRunnable
from backscope_server.session.past.stop_stream import StopStream
from backscope_server.session.session import Session

__all__ = ["router"]

_READING = tuple(kind for kind in get_args(commands.Looking) if kind is not commands.Assign)
"""The commands that change nothing, so that they can be carried out in the past."""
_T = TypeVar("_T")
_Seq = Annotated[int, Field(ge=0, lt=2**53)]
_Indices = Annotated[list[Annotated[int, Field(ge=0, lt=2**53)]], Field(max_length=64)]


class ValuesRequest(BaseModel):
    """A slice of a tensor, or of its `.grad`, after the event `seq`: `begin` and `end` of each dim."""

    model_config = ConfigDict(extra="forbid", strict=True)

    seq: _Seq
    tensor: _Seq
    of: Literal["data", "grad"] = "data"
    begin: _Indices = []
    end: _Indices = []


class QuestionRequest(BaseModel):
    """A debugger command that reads, and the event after which it is carried out."""

    model_config = ConfigDict(extra="forbid", strict=True)

    seq: _Seq
    command: dict[str, Any]


class StopsRequest(BaseModel):
    """Breakpoints, as `set_breakpoints` has them, the event that the program is run to, what is evaluated at stops."""

    model_config = ConfigDict(extra="forbid", strict=True)

    seq: _Seq
    breakpoints: Annotated[list[dict[str, Any]], Field(min_length=1, max_length=1000)]
    expression: Annotated[str, Field(min_length=1, max_length=4096)] | None = None


class WatchRequest(BaseModel):
    """Expressions to be evaluated after each moment of a run, in the program's own names."""

    model_config = ConfigDict(extra="forbid", strict=True)

    expressions: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=4096)]], Field(min_length=1, max_length=16)
    ]


@router.post(
    "/sessions/{identity}/values",
    response_model=response_models.Values,
    responses=response_models.problems(404, 408, 409, 410, 413, 422, 503),
    openapi_extra=response_models.json_body(ValuesRequest),
)
async def values(request: Request, identity: Identity) -> Response:
    """Return elements of a tensor at a moment of the past, 16,384 at most."""
    session = await session_of(request, identity)
    session.restart_unwatched_clock()
    async with arriving(request, COMMAND_BYTES, "The request") as text:
        wanted = parse(ValuesRequest, text)
    command = commands.ReadTensor(id=0, tensor=wanted.tensor, of=wanted.of, begin=wanted.begin, end=wanted.end)
    _check(session, wanted.seq)
    # Searching a long log takes time.
    work = work_of(request)
    known = await work.do(
        request.state.address, read_elements, session.log.lines, wanted.seq, command, work.yield_thread
    )
    if known is not None:
        return response_models.encoded(_values(known, wanted.seq, "log"))
    read = await while_there(request, _answered(request, session, wanted.seq, command))
    if not isinstance(read, commands.TensorRead):
        raise Problem(409, _refusal(read))
    return response_models.encoded(_values(read, wanted.seq, "run"))


@router.post(
    "/sessions/{identity}/ask",
    response_model=response_models.Answered,
    responses=response_models.problems(404, 408, 409, 410, 413, 422, 503),
    openapi_extra=response_models.json_body(QuestionRequest),
)
async def ask(request: Request, identity: Identity) -> Response:
    """Carry out a debugger command that reads at a moment of the past; the program is run again for it."""
    session = await session_of(request, identity)
    session.restart_unwatched_clock()
    async with arriving(request, COMMAND_BYTES, "The request") as text:
        wanted = parse(QuestionRequest, text)
    try:
        command = msgspec.convert({"id": 0, **wanted.command}, commands.Looking)
    except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors.
        raise invalid(error, _READING) from None
    if isinstance(command, commands.Assign):
        raise Problem(422, "The command is not valid: the past can be looked at, not changed.")
    _check(session, wanted.seq)
    answered = await while_there(request, _answered(request, session, wanted.seq, command))
    if isinstance(answered, commands.Refused):
        raise Problem(409, _refusal(answered))
    return response_models.encoded({"seq": wanted.seq, "answer": answered})


@router.post(
    "/sessions/{identity}/stops",
    response_class=response_models.CurveStream,
    responses={200: response_models.STOP_STREAM, **response_models.problems(404, 408, 409, 410, 413, 422, 503)},
    openapi_extra=response_models.json_body(StopsRequest),
)
async def stops(request: Request, identity: Identity) -> Response:
    """Stream where breakpoints would stop a run, as lines of JSON, while the program is run again."""
    session = await session_of(request, identity)
    session.restart_unwatched_clock()
    async with arriving(request, COMMAND_BYTES, "The request") as text:
        wanted = parse(StopsRequest, text)
    try:
        breakpoints = msgspec.convert(wanted.breakpoints, list[commands.Breakpoint])
    except (ValueError, RecursionError) as error:
        raise Problem(422, f"The breakpoints are not valid: {error}") from None
    _check(session, wanted.seq)
    replay = await _separate(request, session)
    found = StopStream(replay, breakpoints, wanted.expression, wanted.seq)
    return response_models.CurveStream(_lines(found.read()))


@router.post(
    "/sessions/{identity}/watch",
    response_class=response_models.CurveStream,
    responses={200: response_models.CURVE_STREAM, **response_models.problems(404, 408, 409, 410, 413, 422, 503)},
    openapi_extra=response_models.json_body(WatchRequest),
)
async def watch(request: Request, identity: Identity) -> Response:
    """Stream the values of expressions over a run, as lines of JSON, while the program is run again."""
    session = await session_of(request, identity)
    session.restart_unwatched_clock()
    async with arriving(request, COMMAND_BYTES, "The request") as text:
        wanted = parse(WatchRequest, text)
    replay = await _separate(request, session)
    return response_models.CurveStream(_lines(Curves(replay, wanted.expressions, session.log.last).read()))


async def _separate(request: Request, session: Session) -> Replay:
    """Return a replay of a session for one use.

    Raises: Problem 409 where its program cannot be run again, 429, 503.
    """
    address: str = request.state.address
    if session.not_rerun is not None:
        raise Problem(409, session.not_rerun)
    try:
        replays = sessions_of(request).replays
        await work_of(request).do(address, replays.record(session).scan)
        return replays.separate(session, address, lambda: admit_replay(request.app, address))
    except NotRunnable as error:
        raise Problem(409, str(error)) from None


async def _lines(reading: AsyncGenerator[dict[str, object], None]) -> AsyncIterator[bytes]:
    """Yield the parts of an answer as lines of JSON, until the client has left."""
    async with contextlib.aclosing(reading) as parts:
        async for part in parts:
            yield msgspec.json.encode(part) + b"\n"


def _values(read: commands.TensorRead, seq: int, source: str) -> dict[str, object]:
    return {
        "seq": seq,
        "source": source,
        "whole": read.whole,
        "shape": read.shape,
        "dtype": read.dtype,
        "values": read.values,
    }


def _refusal(given: commands.Answer) -> str:
    return given.reason if isinstance(given, commands.Refused) else "The program answered something else."


def _check(session: Session, seq: int) -> None:
    if seq > session.log.last:
        raise Problem(422, f"seq: the run has no event {seq}; its last one is {session.log.last}.")


async def _answered(request: Request, session: Session, seq: int, command: commands.Order) -> commands.Answer:
    """Run the program of a session again up to an event, and return its answer to a command.

    Raises: Problem 409 where it cannot be brought there, 429, 503.
    """
    if session.not_rerun is not None:
        raise Problem(409, session.not_rerun)
    address: str = request.state.address
    unread: Room = request.app.state.unread
    # An answer may be as long as an event, and is held until the client has taken it.
    await request.state.until_sent.enter_async_context(unread.held(address, settings_of(request).event_bytes))
    try:
        replays = sessions_of(request).replays
        await work_of(request).do(address, replays.record(session).scan)
        async with replays.at(session, seq, address, lambda: admit_replay(request.app, address)) as replay:
            return await replay.ask(command)
    except (Unreachable, NotRunnable) as error:
        raise Problem(409, str(error)) from None


async def while_there(request: Request, work: Coroutine[Any, Any, _T]) -> _T:
    """Return the result of `work`; cancel it, and end its process, when the client disconnects.

    The body of the request has been read: the next message says that the client has left.

    Raises: ClientDisconnect; what `work` does.
    """
    answering, left = asyncio.ensure_future(work), asyncio.ensure_future(request.receive())
    try:
        await asyncio.wait([answering, left], return_when=asyncio.FIRST_COMPLETED)
        if not answering.done():
            raise ClientDisconnect
        return answering.result()
    finally:
        answering.cancel()
        left.cancel()
        await asyncio.gather(answering, left, return_exceptions=True)
