"""Makes the ASGI application from the settings: sandbox, sessions, storage, access control and routes."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from backscope.runtime.extras import why_missing
from backscope_server import __version__
from backscope_server.access.address_limits import AddressLimits
from backscope_server.access.connection import Connections
from backscope_server.access.middleware import Access
from backscope_server.access.request_time import RequestTime
from backscope_server.access.room import Room
from backscope_server.access.token import Token
from backscope_server.access.work import Work
from backscope_server.api import example, legal_pages, page, rest, share_routes, stream
from backscope_server.api.card_picture import CardPictures
from backscope_server.api.lookup import unreachable_store
from backscope_server.api.tapes import Tapes
from backscope_server.errors import Problem, error_response, response
from backscope_server.lessons.preview import Preview
from backscope_server.lessons.sent_lessons import SentLessons
from backscope_server.lessons.shelf import Shelf
from backscope_server.operations import spans
from backscope_server.operations.metrics import Metrics
from backscope_server.operations.port import Answer, NoMetrics, Port, serve_operations
from backscope_server.operations.switch import Switch
from backscope_server.sandbox.launcher import Launcher, SandboxError
from backscope_server.session import memory, trace_file
from backscope_server.session.embedded import Embedded
from backscope_server.session.lines import NotKept
from backscope_server.session.pool import Pool
from backscope_server.session.program import Program
from backscope_server.session.results import Leads
from backscope_server.session.running import Runner
from backscope_server.session.session import Session
from backscope_server.session.sessions import NotStarted, Sessions
from backscope_server.settings import Settings
from backscope_server.storage.folder import Folder, StorageError
from backscope_server.storage.folder_objects import FolderObjects
from backscope_server.storage.lecture_storage import LECTURE, MOST_BYTES, LectureStorage
from backscope_server.storage.objects import Objects, Unreachable
from backscope_server.storage.run_storage import RunStorage
from backscope_server.storage.share_storage import Bounds, ShareStorage

logger = logging.getLogger(__name__)


def create_app(settings: Settings | None = None, *, static: Path = page.FOLDER, lessons: Path | None = None) -> FastAPI:
    """Return the server as an ASGI application; it starts the sandbox when it starts.

    `lessons` is the file or the folder of lessons that their author previews; Backscope's own are offered without.

    Raises, on start: SandboxError where no program could be run.
    """
    settings = settings or Settings()

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        memory.return_memory_soon()
        work = Work()
        tapes = Tapes(settings.why_bytes, settings.why_seconds, work)
        try:
            app.state.lectures = lectures = _lectures(settings)
            app.state.shares = shares = _shares(settings)
            app.state.card_pictures = pictures = None if shares is None else CardPictures(shares)
            sessions, runner = await (_gateway if settings.fleet else _embedded)(
                settings, tapes.forget, app.state.recorded, metrics.ended
            )
            address_limits.shared = sessions.counts
            port = await _operations(app, sessions)
        except (SandboxError, StorageError, NotStarted, NoMetrics) as error:
            app.state.failure = str(error)
            raise
        app.state.sessions = sessions
        if shares is not None:
            shares.start()
        limits = settings.limits()
        app.state.shelf = shelf = Shelf(runner, limits) if lessons is None else Preview(runner, limits, lessons)
        app.state.sent = SentLessons(runner, limits)
        app.state.tapes = tapes
        app.state.work = work
        if settings.public:
            sessions.record([Program(source=item.source) for item in example.load()])
        memory.freeze_objects()
        try:
            yield
        finally:
            if port is not None:
                await port.close()
            await shelf.close()
            await sessions.close()
            metrics.close()
            work.close()
            if lectures is not None:
                lectures.close()
            if pictures is not None:
                await pictures.close()
            if shares is not None:
                shares.close()

    # No interactive API pages: they need inline scripts from elsewhere.
    app = FastAPI(
        title="Backscope",
        version=__version__,
        lifespan=lifespan,
        openapi_url=None,  # rest.py serves it, documented like everything else.
        redirect_slashes=False,
    )
    token = None if settings.secret is None else Token(settings.secret)
    app.state.settings = settings
    app.state.token = token
    app.state.address_limits = address_limits = AddressLimits(settings)
    app.state.arriving = Room(settings.arriving_bytes)
    app.state.connections = Connections(settings, app.state.arriving)
    app.state.unread = Room(settings.unread_bytes)
    app.state.leads = Leads()
    app.state.metrics = metrics = Metrics(spans.begin())
    app.state.switch = switch = Switch(settings.closed_file, settings.deny_file)
    app.state.recorded = []
    app.state.failure = None
    app.include_router(rest.router)
    app.include_router(stream.router)
    app.include_router(share_routes.cards)
    app.include_router(legal_pages.router)
    app.mount("/", page.Page(static))
    app.add_middleware(Access, settings=settings, token=token, switch=switch, limits=address_limits)
    app.add_middleware(RequestTime)

    @app.exception_handler(Problem)
    async def problem(_request: Request, error: Problem) -> Response:
        return response(error)

    @app.exception_handler(NotKept)
    async def not_kept(_request: Request, error: NotKept) -> Response:
        return error_response(410, str(error))

    @app.exception_handler(Unreachable)
    async def unreachable(_request: Request, error: Unreachable) -> Response:
        return response(unreachable_store(error))

    @app.exception_handler(ClientDisconnect)
    async def left(_request: Request, _error: ClientDisconnect) -> Response:
        return Response(status_code=499)  # The client has left.

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> Response:
        answer = error_response(error.status_code, f"{request.method} {request.url.path[:100]}: {error.detail}.")
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(RequestValidationError)
    async def invalid(_request: Request, error: RequestValidationError) -> Response:
        return error_response(422, "; ".join(f"{found['loc'][-1]}: {found['msg']}" for found in error.errors()) + ".")

    @app.exception_handler(Exception)
    async def broken(_request: Request, _error: Exception) -> Response:
        return error_response(500, "The server failed at this request; its log says why. Try again, or report it.")

    return app


async def _embedded(
    settings: Settings,
    removed: Callable[[Session], None],
    recorded: list[Session],
    ended: Callable[[Session], None],
) -> tuple[Sessions, Runner]:
    """Return the sessions of a server that runs programs itself, and its sandbox.

    Raises: SandboxError, StorageError.
    """
    launcher = Launcher(**settings.launching())
    pool = Pool(
        launcher,
        settings.limits(),
        running=settings.places,
        waiting=settings.waiting,
        kept=settings.kept,
        kept_bytes=settings.kept_bytes,
        address_programs=settings.address_programs,
        address_waiting=settings.address_waiting,
        timing=settings.timing(),
        storage=_storage(settings),
        replays=settings.replays,
        replay_seconds=settings.replay_seconds,
        source_bytes=settings.source_bytes,
        removed=removed,
        ended=ended,
    )
    await launcher.start()
    if pool.storage is not None:
        pool.storage.start()
    for session in recorded:
        pool.add(session)
    return Embedded(pool), launcher


async def _gateway(
    settings: Settings,
    removed: Callable[[Session], None],
    recorded: list[Session],
    ended: Callable[[Session], None],
) -> tuple[Sessions, Runner]:
    """Return the sessions of a fleet, and what runs the programs of lessons there.

    Raises: NotStarted.
    """
    del ended  # Its workers count the ends of runs.
    if (missing := why_missing("A fleet", "fleet")) is not None:
        raise NotStarted(missing)
    from backscope_server.fleet.gateway import Gateway

    gateway = Gateway(settings, removed)
    await gateway.begin()
    for session in recorded:
        await gateway.add(session)
    return gateway, gateway.programs


async def _operations(app: FastAPI, sessions: Sessions) -> Port | None:
    """Serve metrics and health on their own port; return what does, None where that is not wanted.

    Raises: NoMetrics.
    """
    settings: Settings = app.state.settings
    metrics: Metrics = app.state.metrics
    connections: Connections = app.state.connections
    limits: AddressLimits = app.state.address_limits
    rooms: dict[str, Room] = {"arriving": app.state.arriving, "unread": app.state.unread}

    async def said() -> Answer:
        measures = {
            **await sessions.measures(),
            **{f'queue_bytes{{queue="{name}"}}': room.held_nbytes for name, room in rooms.items()},
            "connections": connections.many,
            "sockets": limits.sockets.total,
            "ready": float(sessions.readiness.ready),
        }
        return 200, metrics.text(measures)

    async def ready() -> Answer:
        return (200, "ready\n") if sessions.readiness.serves else (503, "not ready\n")

    return await serve_operations(settings.metrics_host, settings.metrics_port, said, ready)


def _storage(settings: Settings) -> RunStorage | None:
    """Return the store of finished runs; None if the default folder cannot be used; a configured one must be usable."""
    place = settings.storage_folder()
    if place is None:
        return None
    try:
        return RunStorage(Folder(place, kept=settings.storage_kept, nbytes=settings.storage_bytes))
    except StorageError as error:
        if settings.storage != "auto":
            raise
        logger.warning("%s Until then runs are gone when the server stops.", error)
        return None


def _lectures(settings: Settings) -> LectureStorage | None:
    """Return the store of collected lessons: as many as runs, beside them, and None where `_storage` gives None.

    Raises: StorageError.
    """
    place = settings.storage_folder()
    if place is None:
        return None
    kept = settings.storage_kept
    nbytes = min(settings.storage_bytes, kept * MOST_BYTES)
    try:
        folder = Folder(place, kept=kept, nbytes=nbytes, name="lectures", finished=LECTURE)
    except StorageError:
        if settings.storage != "auto":
            raise
        return None
    with contextlib.suppress(OSError), folder.lock():
        folder.clear_drafts()
    return LectureStorage(folder)


def _shares(settings: Settings) -> ShareStorage | None:
    """Return the store of shared runs; None where runs are not kept for links.

    Raises: StorageError.
    """
    place = settings.shares_place()
    if place is None:
        return None
    objects: Objects
    if isinstance(place, str):
        if (missing := why_missing("A store that speaks S3", "fleet")) is not None:
            raise StorageError(missing)
        from backscope_server.storage.s3_objects import S3Objects

        objects = S3Objects(place, settings.share_endpoint, settings.share_region)
    else:
        try:
            objects = FolderObjects(place / "shares")
        except StorageError:
            if settings.shares != "auto":
                raise
            return None
    bounds = Bounds(
        seconds=settings.share_seconds,
        kept=settings.share_kept,
        nbytes=settings.share_bytes * settings.share_kept,
        of_address=settings.address_shares,
        bytes_of_address=settings.address_share_bytes,
    )
    return ShareStorage(objects, bounds)


def open_trace(app: FastAPI, path: Path) -> Session:
    """Have the application open a trace file as a finished session when it starts.

    Raises: NotATrace, TraceError, OSError.
    """
    settings: Settings = app.state.settings
    session = trace_file.session_of(path, settings.limits())
    app.state.recorded.append(session)
    return session
