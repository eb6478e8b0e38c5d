"""Models of clients' requests, programs and commands, and the parsing of both."""

from __future__ import annotations

import asyncio
import contextlib
import io
from collections.abc import AsyncIterator, Iterable
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, get_args

import msgspec
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from starlette.requests import Request

from backscope.diagnosis.why.answer import amount
from backscope.protocol import commands
from backscope_server.access.room import Room
from backscope_server.errors import Problem
from backscope_server.session.program import FILENAME, Program
from backscope_server.settings import Settings

_BUSY_SECONDS = 5

# A name that a traceback can show: no control characters, no quotes, no path.
_Filename = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^[\w .()+-]+$")]

_Key = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{22,64}$")]


class ProgramRequest(BaseModel):
    """A program to run."""

    model_config = ConfigDict(extra="forbid", strict=True)

    source: str
    filename: _Filename = FILENAME
    seed: int = Field(default=0, ge=0, lt=2**63)
    fresh: bool = False
    """True to run it even if the server has a finished run of the same program."""

    def program(self, source_bytes: int) -> Program:
        """Return the program to run.

        Raises: Problem 413 for one of more than `source_bytes` bytes.
        """
        if (size := len(self.source.encode())) > source_bytes:
            raise Problem(413, f"The program has {size:,} bytes; this server runs {source_bytes:,} bytes at most.")
        return Program(source=self.source, filename=self.filename, seed=self.seed)


class RunCommand(ProgramRequest):
    """The first message on /api/run: a program, its breakpoints, and whether it stops before its first line."""

    command: Literal["run"]
    key: _Key | None = None
    """Chosen by the client at random: the same key again means the same run, when the answer to the first was lost."""
    breakpoints: list[Any] = Field(default=[], max_length=1000)
    pause: bool = False

    def opening(self) -> list[commands.Command]:
        """Return the commands, with id 0, that are sent to the program before it begins.

        Raises: Problem 422 for an invalid breakpoint.
        """
        opening: list[commands.Command] = []
        if self.breakpoints:
            try:
                breakpoints = msgspec.convert(self.breakpoints, list[commands.Breakpoint])
            except msgspec.ValidationError as error:
                raise Problem(422, f"The breakpoints are not valid: {error}.") from None
            opening.append(commands.SetBreakpoints(id=0, breakpoints=breakpoints))
        if self.pause:
            opening.append(commands.Pause(id=0))
        return opening


class StopCommand(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="command", tag="stop"):
    """End the run."""


class StayCommand(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="command", tag="stay"):
    """Restart the time that a paused program waits: a user is there."""


Command: TypeAlias = commands.Command | StopCommand | StayCommand
"""The messages that a page may send while it follows a run."""

COMMAND_BYTES = 1 << 18
"""The longest command, characters."""

_decode_command = msgspec.json.Decoder(Command).decode


def command(text: str) -> Command:
    """Parse a command to a run.

    Raises: Problem 422, which says what is wrong and where.
    """
    if len(text) > COMMAND_BYTES:
        raise _too_large("The command", COMMAND_BYTES)
    try:
        given: Command = _decode_command(text)
    except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors.
        raise invalid(error, get_args(Command)) from None
    return given


def invalid(error: Exception, kinds: Iterable[type[msgspec.Struct]]) -> Problem:
    """Return the answer to an invalid command; one of an unknown kind is answered with the names of these kinds."""
    said = f"The command is not valid: {error}."
    if "`$.command`" in said or "field `command`" in said:
        *names, last = [str(kind.__struct_config__.tag) for kind in kinds]
        said = f"{said} The commands are {', '.join(names)} and {last}."
    return Problem(422, said)


_Model = TypeVar("_Model", bound=BaseModel)


def parse(model: type[_Model], text: bytes | str) -> _Model:
    """Parse JSON from a client as a model.

    Raises: Problem 422, which says what is wrong and where.
    """
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        problems = []
        for found in error.errors(include_url=False, include_input=False, include_context=False)[:5]:
            where = ".".join(str(part) for part in found["loc"])
            problems.append(f"{where}: {found['msg']}" if where else found["msg"])
        raise Problem(422, "The request is not valid. " + "; ".join(problems) + ".") from None


_SMALL = 1 << 14
"""The largest body that needs no room, bytes: the buffers of a connection are as large."""


@contextlib.asynccontextmanager
async def arriving(request: Request, limit: int, what: str) -> AsyncIterator[bytes]:
    """Yield the body of a request, at most `limit` bytes, once there is room for it; hold the room during the context.

    Raises: Problem 413, 503.
    """
    declared = request.headers.get("content-length", "")
    nbytes = int(declared[:20]) if declared.isascii() and declared.isdigit() else limit
    if nbytes > limit:
        raise _too_large(what, limit)
    if nbytes <= _SMALL:
        yield await _read(request, limit, what)
        return
    room: Room = request.app.state.arriving
    settings: Settings = request.app.state.settings
    async with contextlib.AsyncExitStack() as held:
        try:
            async with asyncio.timeout(settings.request_seconds):
                await held.enter_async_context(room.held(request.state.address, nbytes))
        except TimeoutError:
            raise Problem(
                503, "Too much is being sent to this server. Send it again in a moment.", retry_after=_BUSY_SECONDS
            ) from None
        yield await _read(request, limit, what)


async def _read(request: Request, limit: int, what: str) -> bytes:
    parts = io.BytesIO()  # Gives its bytes without copying them.
    async for part in request.stream():
        if parts.tell() + len(part) > limit:
            raise _too_large(what, limit)
        parts.write(part)
    return parts.getvalue()


def _too_large(what: str, limit: int) -> Problem:
    return Problem(413, f"{what} is larger than {amount(limit)}, which is the most that is accepted.")
