"""Models of the API's answers, from which its OpenAPI description is made."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from pydantic import BaseModel
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from backscope_server.access.connection import GuardedConnection
from backscope_server.errors import Problem
from backscope_server.session.lines import NotKept

_MEANING = {
    400: "The request is not HTTP as it should be.",
    401: "The token is missing or wrong.",
    403: "The Host or Origin of the request is not this server's.",
    404: "There is no such session or lesson.",
    408: "The body did not arrive in time.",
    409: "The program is still running, or cannot be run again to that moment.",
    410: "The session or the lesson is on disk and cannot be read any more.",
    413: "What was sent is too large.",
    422: "What was sent is not valid.",
    429: "Too many requests, starts or waiting programs of one address; Retry-After says when to come back.",
    503: "The server is busy, and so is the line; Retry-After says when to come back.",
}
_WITH_RETRY_AFTER = (429, 503)


class ErrorText(BaseModel):
    """The error in words: what is wrong, where, and what to do."""

    message: str


class Error(BaseModel):
    """The answer to a request that was not served."""

    error: ErrorText


class Health(BaseModel):
    """The state of the server, and which layers of the sandbox work; `sandboxed` if they suffice in public.

    `sandboxed` is null while no worker of a fleet is known. "starting" while a program would wait for the process that
    starts programs; `keeps_lessons` if collected lessons are kept for links, and `keeps_runs` if recorded runs are;
    `short_links` if the page's button for links has runs kept; `hosted` if there are /privacy and /terms to be read.
    """

    status: Literal["ok", "starting"]
    version: str
    sandboxed: bool | None
    keeps_lessons: bool
    keeps_runs: bool
    short_links: bool
    hosted: bool
    layers: dict[str, bool]


class Example(BaseModel):
    """An example program."""

    name: str
    title: str
    summary: str
    source: str


class Op(BaseModel):
    """An op of the engine: its formulas in LaTeX and its sentences by the input that the gradient is for.

    `elementwise`: an element of its result depends on one element of each input.  `conjugates`: where the values in its
    formulas are complex, their conjugates are meant.
    """

    name: str
    grad_fn: str | None
    symbol: str | None
    elementwise: bool
    latex: dict[str, str]
    conjugates: bool
    summary: dict[str, str]


class LimitsInForce(BaseModel):
    """The limits in force, as server/backscope_server/operations/README.md describes the settings of the same names."""

    wall_seconds: float
    pause_seconds: float
    place_seconds: float
    unwatched_seconds: float
    cpu_seconds: int
    memory_bytes: int
    output_bytes: int
    events: int
    log_bytes: int
    event_bytes: int
    source_bytes: int
    trace_bytes: int
    running: int
    waiting: int
    address_programs: int
    address_waiting: int
    address_starts: int


class Started(BaseModel):
    """The id of a session."""

    session: str


class SessionStatus(BaseModel):
    """The state of a session; `place` is its place in line while it waits."""

    session: str
    status: Literal["waiting", "running", "ok", "error", "stopped", "limit", "cut"]
    events: int
    place: int | None = None


class Values(BaseModel):
    """Elements in row-major order, their shape, and that of the `whole` tensor; complex ones are pairs.

    `source` says where they come from: the log of the run, or a run of the program up to that event.
    """

    seq: int
    source: Literal["log", "run"]
    whole: list[int]
    shape: list[int]
    dtype: str
    values: list[float | int | str | list[float | int | str]]


class Answered(BaseModel):
    """The answer to a debugger command in a program that was run again."""

    seq: int
    answer: dict[str, Any]


class Subject(BaseModel):
    """The subject of a question: a tensor or a node by its identity in the events; with neither, the run."""

    tensor: int | None = None
    node: int | None = None


class Question(BaseModel):
    """A question, and the key that requests its answer."""

    key: str
    text: str
    about: Subject


class Questions(BaseModel):
    """The questions about a subject, the most useful first."""

    questions: list[Question]


class Evidence(BaseModel):
    """A fact that an answer is based on, with its event and its number if it has them."""

    text: str
    line: int | None = None
    node: int | None = None
    tensor: int | None = None
    value: int | float | Literal["NaN", "Infinity", "-Infinity"] | None = None
    file: int | None = None


class Diagnosis(BaseModel):
    """The answer to a question: the cause, the lines, nodes and tensors involved, the fix, and a wrong fix."""

    cause: str
    fix: str
    lines: list[int]
    nodes: list[int]
    tensors: list[int]
    wrong_fix: str | None = None
    evidence: list[Evidence] = []
    files: list[int] = []


def encoded(content: object) -> Response:
    """Return an answer with the engine's structs as JSON."""
    return Response(msgspec.json.encode(content), media_type="application/json")


class TraceFile(StreamingResponse):
    """A `.backscope` file; if it cannot be sent to its end, the connection is reset: a part must not pass as whole."""

    media_type = "application/octet-stream"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the file."""
        try:
            await super().__call__(scope, receive, send)
        except (NotKept, Problem):  # The run has been removed meanwhile, or the server stops.
            connection: GuardedConnection = scope["state"]["connection"]
            connection.reset()
            while (await receive())["type"] != "http.disconnect":
                pass


class LessonPage(Response):
    """The page of a lesson: a file to be kept, never shown as a page of the server's own."""

    media_type = "application/octet-stream"


class CurveStream(StreamingResponse):
    """Lines of JSON: `{"points":[[expression,seq,number,text],...],"seq","last"}`; last `{"done"}` or `{"refusal"}`.

    From the event `seq` of a point on, the expression of that number has this value: a number, a text, or null and null
    where it has none yet.  `{"unusable":[[expression,reason],...]}` comes before where some are none.  `seq` beside the
    points is how far the run has come, of `last`.
    """

    media_type = "application/x-ndjson"


_BINARY = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}

CURVE_STREAM: dict[str, Any] = {
    "description": "The curves, in lines of JSON.",
    "content": {"application/x-ndjson": {"schema": {"type": "string"}}},
}
STOP_STREAM: dict[str, Any] = {
    "description": "The stops, in lines of JSON: each with its event, the ids of its breakpoints, and the value there.",
    "content": {"application/x-ndjson": {"schema": {"type": "string"}}},
}
LESSON_PAGE: dict[str, Any] = {"description": "The page, in one HTML file.", "content": _BINARY}
TRACE_FILE: dict[str, Any] = {"description": "The trace file.", "content": _BINARY}
TRACE_BODY: dict[str, Any] = {"requestBody": {"required": True, "content": _BINARY}}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the error answers with these statuses, for the description of a route."""
    retry = {"headers": {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}}}
    return {
        status: {"model": Error, "description": _MEANING[status], **(retry if status in _WITH_RETRY_AFTER else {})}
        for status in statuses
    }


def json_body(model: type[BaseModel]) -> dict[str, Any]:
    """Return the description of a JSON body, for a route that reads its body itself."""
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": model.model_json_schema()}}}}
