"""What clients send: programs and commands, checked before anything is done with them."""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from starlette.requests import Request

from backscope_server.errors import Problem
from backscope_server.session.ending import amount
from backscope_server.session.program import FILENAME, Program

# What a traceback can show in its place: no control characters, no quotes, no path.
_Filename = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^[\w .()+-]+$")]


class ProgramRequest(BaseModel):
    """A program to run."""

    model_config = ConfigDict(extra="forbid", strict=True)

    source: str
    filename: _Filename = FILENAME
    seed: int = Field(default=0, ge=0, lt=2**63)

    def program(self, source_bytes: int) -> Program:
        """The program.

        Raises: Problem 413 for one of more than `source_bytes` bytes.
        """
        if (size := len(self.source.encode())) > source_bytes:
            raise Problem(413, f"source: it has {size:,} bytes; {amount(source_bytes)} is the most that is run.")
        return Program(source=self.source, filename=self.filename, seed=self.seed)


class RunCommand(ProgramRequest):
    """The first message on /api/run."""

    command: Literal["run"]


class StopCommand(BaseModel):
    """End the run."""

    model_config = ConfigDict(extra="forbid", strict=True)

    command: Literal["stop"]


_Model = TypeVar("_Model", bound=BaseModel)


def parse(model: type[_Model], text: bytes | str) -> _Model:
    """What a client sent as JSON.

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


def program_body(source_bytes: int) -> int:
    """How long the JSON of a program may be, bytes: a character takes up to six bytes there."""
    return 6 * source_bytes + 4096


async def body(request: Request, limit: int, what: str) -> bytes:
    """The body of a request, read no further than `limit` bytes.

    Raises: Problem 413.
    """
    parts = bytearray()
    async for part in request.stream():
        parts += part
        if len(parts) > limit:
            raise Problem(413, f"{what} is larger than {amount(limit)}, which is the most that is accepted.")
    return bytes(parts)
