"""The REST half of the API: sessions, traces, examples, the op catalogue, limits, and the description of all of it."""

from __future__ import annotations

import functools
from typing import Any

import msgspec
from fastapi import Request, Response
from starlette.responses import JSONResponse
from starlette.routing import Match

from backscope.ops.names.all import catalogue
from backscope.protocol import trace
from backscope_server import __version__
from backscope_server.access.room import Room
from backscope_server.api import (
    example,
    lecture_routes as lecture_routes,
    lesson_routes as lesson_routes,
    past,
    response_models,
    share_routes as share_routes,
    trace_download,
    why as why,
)
from backscope_server.api.description import describe
from backscope_server.api.lookup import Identity, session_of, sessions_of, settings_of, unknown, work_of
from backscope_server.api.request import ProgramRequest, arriving, parse
from backscope_server.api.start import count_start, places, start
from backscope_server.api.validated import UNCHANGED, validated
from backscope_server.errors import Problem
from backscope_server.session import trace_file
from backscope_server.session.admission import NotATrace
from backscope_server.session.session import Session

router = past.router
"""The router with the routes of the modules imported above, which come first: the last one here matches everything."""

_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"]


def _status(session: Session) -> response_models.SessionStatus:
    place = session.notices.place
    return response_models.SessionStatus.model_validate(
        {"session": session.id, "status": session.status, "events": session.log.last + 1, "place": place}
    )


@functools.cache
def _encoded_catalogue() -> bytes:
    """Return the op catalogue as JSON; all answers share these bytes."""
    return bytes(JSONResponse(catalogue()).body)


@router.get("/openapi.json", response_model=dict[str, Any])
def description(request: Request) -> JSONResponse:
    """Return this description of the API."""
    return JSONResponse(describe(request.app))


@router.get("/health", response_model=response_models.Health)
def health(request: Request) -> response_models.Health:
    """Return the state of the server: whether programs start at once, and which layers of the sandbox work."""
    found = sessions_of(request).readiness
    settings = settings_of(request)
    keeps_runs = request.app.state.shares is not None
    return response_models.Health(
        status="ok" if found.ready else "starting",
        version=__version__,
        sandboxed=found.sandboxed,
        keeps_lessons=request.app.state.lectures is not None,
        keeps_runs=keeps_runs,
        # On one's own machine nothing is kept unless it is asked for, by a setting or in the page.
        short_links=keeps_runs and settings.shares != "auto",
        hosted=settings.public or bool(settings.pages_folder),
        layers=found.layers,
    )


@router.get("/examples", response_model=list[response_models.Example], responses=UNCHANGED)
def examples(request: Request) -> Response:
    """Return the example programs, the default first."""
    return validated(request, msgspec.json.encode(example.load()))


@router.get("/ops", response_model=list[response_models.Op], responses=UNCHANGED)
def op_catalogue(request: Request) -> Response:
    """Return the op catalogue."""
    return validated(request, _encoded_catalogue())


@router.get("/limits", response_model=response_models.LimitsInForce)
def limits(request: Request) -> response_models.LimitsInForce:
    """Return the limits in force."""
    settings = settings_of(request)
    given = {name: getattr(settings, name) for name in response_models.LimitsInForce.model_fields if name != "running"}
    return response_models.LimitsInForce(running=settings.places, **given)


@router.post(
    "/sessions",
    status_code=201,
    response_model=response_models.Started,
    responses=response_models.problems(408, 413, 422, 503),
    openapi_extra=response_models.json_body(ProgramRequest),
)
async def run(request: Request) -> response_models.Started:
    """Run a program, or queue it."""
    settings = settings_of(request)
    async with arriving(request, settings.program_body_bytes, "The program") as text:
        wanted = parse(ProgramRequest, text)
        program = wanted.program(settings.source_bytes)
    session = await start(request.app, request.state.address, program, fresh=wanted.fresh)
    return response_models.Started(session=session.id)


@router.get(
    "/sessions/{identity}",
    response_model=response_models.SessionStatus,
    response_model_exclude_none=True,
    responses=response_models.problems(404, 410),
)
async def session_status(request: Request, identity: Identity) -> response_models.SessionStatus:
    """Return the state of a session."""
    session = await session_of(request, identity)
    session.restart_unwatched_clock()
    return _status(session)


@router.post(
    "/sessions/{identity}/stop",
    response_model=response_models.SessionStatus,
    response_model_exclude_none=True,
    responses=response_models.problems(404, 410),
)
async def stop(request: Request, identity: Identity) -> response_models.SessionStatus:
    """Stop a run and wait until it is over; does nothing for a finished run."""
    session = await session_of(request, identity)
    session.stop()
    await session.over()
    return _status(session)


@router.delete(
    "/sessions/{identity}", status_code=204, response_class=Response, responses=response_models.problems(404)
)
async def remove(request: Request, identity: Identity) -> Response:
    """Stop a session and remove it, wherever it is kept."""
    if not await sessions_of(request).remove(identity):
        raise Problem(404, unknown(identity))
    return Response(status_code=204)


@router.get(
    "/sessions/{identity}/trace",
    response_class=response_models.TraceFile,
    responses={200: response_models.TRACE_FILE, **response_models.problems(404, 409, 410)},
)
async def download(request: Request, identity: Identity) -> Response:
    """Download the trace file of a finished session."""
    session = await session_of(request, identity)
    if session.running:
        raise Problem(409, "The program is still running. Save its trace when it has finished, or stop it first.")
    address: str = request.state.address
    await count_start(request.app, address)  # It is as much to send as a program's events.
    unread: Room = request.app.state.unread
    await request.state.until_sent.enter_async_context(unread.held(address, trace_download.UNREAD_BYTES))
    session.log.lines.packed_blocks(0, 1)  # Raises NotKept for a run that was removed, before the answer begins.
    name = f"{session.id}.backscope"
    return response_models.TraceFile(
        trace_download.blocks(session.log),
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


@router.post(
    "/traces",
    status_code=201,
    response_model=response_models.Started,
    responses=response_models.problems(408, 413, 422),
    openapi_extra=response_models.TRACE_BODY,
)
async def upload(request: Request) -> response_models.Started:
    """Open a trace file as a finished session."""
    settings = settings_of(request)
    await count_start(request.app, request.state.address)
    address: str = request.state.address
    async with arriving(request, settings.trace_bytes, "The trace") as content:
        try:
            work = work_of(request)
            lines, status = await work.do(address, trace_file.unpack, content, settings.limits(), work.yield_thread)
        except (NotATrace, trace.TraceError) as error:
            raise Problem(422, str(error)) from None
    session = Session.recorded(lines, status)
    with places():
        await sessions_of(request).add(session, address)
    return response_models.Started(session=session.id)


@router.api_route("", methods=_METHODS, include_in_schema=False)
@router.api_route("/{path:path}", methods=_METHODS, include_in_schema=False)
async def nothing(request: Request, path: str = "") -> None:
    """Answer any other path under /api with an error, not with the page."""
    allowed = {
        method
        for route in router.routes
        if route.matches(request.scope)[0] is Match.PARTIAL
        for method in getattr(route, "methods", None) or ()
    }
    if allowed:
        methods = ", ".join(sorted(allowed))
        raise Problem(405, f"{request.method} is not possible at /api/{path[:80]}. Use {methods}.", allow=methods)
    raise Problem(404, f"There is nothing at /api/{path[:80]}.")
