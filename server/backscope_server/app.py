"""The application: settings, sandbox and sessions put together behind one ASGI app."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from backscope_server import __version__, page, recording, rest, stream
from backscope_server.access import Access
from backscope_server.errors import Problem, error_response
from backscope_server.sandbox.launcher import Launcher, SandboxError
from backscope_server.session.pool import Pool
from backscope_server.session.session import Session
from backscope_server.settings import Settings


def create_app(settings: Settings | None = None, *, static: Path = page.FOLDER) -> FastAPI:
    """The server as an ASGI application; the sandbox is up as soon as the application has started.

    Raises, on start: SandboxError where no program could be run.
    """
    settings = settings or Settings()

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        launcher = Launcher()
        pool = Pool(
            launcher,
            settings.limits(),
            running=settings.running,
            kept=settings.kept,
            kept_bytes=settings.kept_bytes,
            unwatched_seconds=settings.unwatched_seconds,
        )
        try:
            await launcher.start()
        except SandboxError as error:
            app.state.failure = str(error)
            raise
        app.state.pool = pool
        for session in app.state.recorded:
            pool.add(session)
        try:
            yield
        finally:
            await pool.close()

    # No interactive API pages: they need inline scripts from elsewhere.
    app = FastAPI(title="Backscope", version=__version__, lifespan=lifespan, openapi_url=None)
    app.state.settings = settings
    app.state.recorded = []
    app.state.failure = None
    app.include_router(rest.router)
    app.include_router(stream.router)
    app.mount("/", page.Page(static))
    app.add_middleware(Access)

    @app.exception_handler(Problem)
    async def problem(_request: Request, error: Problem) -> Response:
        return error_response(error.status, error.message)

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> Response:
        return error_response(error.status_code, f"{request.method} {request.url.path[:100]}: {error.detail}.")

    @app.exception_handler(RequestValidationError)
    async def invalid(_request: Request, error: RequestValidationError) -> Response:
        return error_response(422, "; ".join(str(found["msg"]) for found in error.errors()) + ".")

    @app.exception_handler(Exception)
    async def broken(_request: Request, _error: Exception) -> Response:
        return error_response(500, "The server failed at this request; its log says why. Try again, or report it.")

    return app


def open_trace(app: FastAPI, path: Path) -> Session:
    """Have a trace file ready as a finished session when the application starts.

    Raises: NotATrace, TraceError, OSError.
    """
    settings: Settings = app.state.settings
    session = recording.session_of(path, events=settings.events, nbytes=settings.log_bytes)
    app.state.recorded.append(session)
    return session
