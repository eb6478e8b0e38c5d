"""The REST half of the API: sessions, traces, examples, the op catalogue, limits."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse

from backscope import trace
from backscope.ops.all import catalogue
from backscope_server import __version__, example, recording
from backscope_server.errors import Problem
from backscope_server.request import ProgramRequest, body, parse, program_body
from backscope_server.session.admission import NotATrace
from backscope_server.session.pool import Pool, PoolFull
from backscope_server.session.session import Session
from backscope_server.settings import Settings

router = APIRouter(prefix="/api")

_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]


def pool_of(request: Request) -> Pool:
    """The pool of the application that a request came to."""
    pool: Pool = request.app.state.pool
    return pool


def settings_of(request: Request) -> Settings:
    """The settings of the application that a request came to."""
    settings: Settings = request.app.state.settings
    return settings


def _session(request: Request, identity: str) -> Session:
    session = pool_of(request).find(identity)
    if session is None:
        raise Problem(404, unknown(identity))
    return session


def unknown(identity: str) -> str:
    """That there is no such session."""
    return (
        f"There is no session {identity[:40]!r}. It has ended and was forgotten, or never was; run the program again."
    )


def _standing(session: Session) -> dict[str, Any]:
    return {"session": session.id, "status": session.status, "events": session.log.last + 1}


@router.get("/health")
def health() -> dict[str, str]:
    """That the server answers, and its version."""
    return {"status": "ok", "version": __version__}


@router.get("/examples")
def examples() -> list[dict[str, str]]:
    """The example programs, the default first."""
    return [
        {"name": item.name, "title": item.title, "summary": item.summary, "source": item.source}
        for item in example.load()
    ]


@router.get("/ops")
def op_catalogue() -> JSONResponse:
    """The op catalogue."""
    return JSONResponse(catalogue())


@router.get("/limits")
def limits(request: Request) -> dict[str, int | float]:
    """The limits in force."""
    settings = settings_of(request)
    return {
        "wall_seconds": settings.wall_seconds,
        "cpu_seconds": settings.cpu_seconds,
        "memory_bytes": settings.memory_bytes,
        "output_bytes": settings.output_bytes,
        "events": settings.events,
        "log_bytes": settings.log_bytes,
        "source_bytes": settings.source_bytes,
        "trace_bytes": settings.trace_bytes,
        "running": settings.running,
    }


@router.post("/sessions", status_code=201)
async def run(request: Request) -> dict[str, str]:
    """Run a program."""
    source_bytes = settings_of(request).source_bytes
    text = await body(request, program_body(source_bytes), "The program")
    program = parse(ProgramRequest, text).program(source_bytes)
    try:
        return {"session": pool_of(request).start(program).id}
    except PoolFull as error:
        raise Problem(429, str(error)) from None


@router.get("/sessions/{identity}")
async def standing(request: Request, identity: str) -> dict[str, Any]:
    """How a session stands."""
    session = _session(request, identity)
    session.noticed()
    return _standing(session)


@router.post("/sessions/{identity}/stop")
async def stop(request: Request, identity: str) -> dict[str, Any]:
    """Stop a run and wait until it is over; nothing happens where it is already."""
    session = _session(request, identity)
    session.stop()
    await session.over()
    return _standing(session)


@router.delete("/sessions/{identity}", status_code=204)
async def remove(request: Request, identity: str) -> Response:
    """Stop a session and forget it."""
    pool_of(request).remove(_session(request, identity))
    return Response(status_code=204)


@router.get("/sessions/{identity}/trace")
async def download(request: Request, identity: str) -> Response:
    """The trace file of a session that is over."""
    session = _session(request, identity)
    if session.running:
        raise Problem(409, "The program is still running. Save its trace when it has finished, or stop it first.")
    content = await run_in_threadpool(recording.pack, session.log.lines)
    name = f"{session.id}.backscope"
    return Response(
        content,
        media_type="application/octet-stream",
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


@router.post("/traces", status_code=201)
async def upload(request: Request) -> dict[str, str]:
    """Open a trace file as a finished session."""
    settings = settings_of(request)
    content = await body(request, settings.trace_bytes, "The trace")
    try:
        lines, status = await run_in_threadpool(
            recording.unpack, content, events=settings.events, nbytes=settings.log_bytes
        )
    except (NotATrace, trace.TraceError) as error:
        raise Problem(422, str(error)) from None
    session = Session.recorded(lines, status)
    pool_of(request).add(session)
    return {"session": session.id}


@router.api_route("", methods=_METHODS)
@router.api_route("/{path:path}", methods=_METHODS)
async def nothing(path: str = "") -> None:
    """Everything else under /api is an error, not the page."""
    raise Problem(404, f"There is nothing at /api/{path[:80]}.")
