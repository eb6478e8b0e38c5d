"""The router of the REST API, and the look-ups that its routes share: session, sessions, settings."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, FastAPI, Path, Request

from backscope_server.access.work import Work
from backscope_server.api import response_models
from backscope_server.errors import Problem
from backscope_server.sandbox.limits import Limits
from backscope_server.session.session import Session
from backscope_server.session.sessions import NoPlace, Sessions
from backscope_server.settings import Settings
from backscope_server.storage.folder import StorageError
from backscope_server.storage.objects import Unreachable
from backscope_server.storage.share_storage import ShareStorage

router = APIRouter(prefix="/api", responses=response_models.problems(400, 401, 403, 429))
"""The REST half of the API: each part of it puts its routes here."""

_BUSY_SECONDS = 5
_UNREACHABLE_SECONDS = 60

Identity = Annotated[str, Path(description="The id of a session.")]


def sessions_of(request: Request) -> Sessions:
    """Return the sessions of a request's application."""
    sessions: Sessions = request.app.state.sessions
    return sessions


def settings_of(request: Request) -> Settings:
    """Return the settings of a request's application."""
    settings: Settings = request.app.state.settings
    return settings


def work_of(request: Request) -> Work:
    """Return the threads for slow work of a request's application."""
    work: Work = request.app.state.work
    return work


async def find_session(app: FastAPI, identity: str) -> Session:
    """Return the session with this id, from memory or from where it is stored; a shared run has its own id.

    Raises: Problem 404 where there is none, 410 where it cannot be read any more, 503.
    """
    sessions: Sessions = app.state.sessions
    shares: ShareStorage | None = app.state.shares
    settings: Settings = app.state.settings
    try:
        session = await sessions.open(identity)
        if session is None and shares is not None:
            session = await _opened(sessions, shares, identity, settings.limits())
    except StorageError as error:
        raise Problem(410, str(error)) from None
    except Unreachable as error:
        raise unreachable_store(error) from None
    except NoPlace as error:
        raise Problem(503, str(error), retry_after=_BUSY_SECONDS) from None
    if session is None:
        raise Problem(404, unknown(identity))
    return session


async def _opened(sessions: Sessions, shares: ShareStorage, identity: str, limits: Limits) -> Session | None:
    """Return a session with a shared run, None where there is none.

    Raises: StorageError, Unreachable, NoPlace.
    """
    found = await shares.open(identity, limits)
    if found is None:
        return None
    if sessions.find(identity) is None:  # Another request may have opened it meanwhile.
        await sessions.add(found, is_shared=True)
    return await sessions.open(identity)


async def session_of(request: Request, identity: str) -> Session:
    """Return the session that a request names; raises as find_session does."""
    return await find_session(request.app, identity)


def unreachable_store(error: Unreachable) -> Problem:
    """Return the problem of a request for shared runs that cannot be reached now."""
    return Problem(503, f"{error} Try again in a minute.", retry_after=_UNREACHABLE_SECONDS)


def unknown(identity: str) -> str:
    """Return the message for a session that does not exist."""
    return (
        f"There is no session {identity[:40]!r}. It has ended and was forgotten, or never was; run the program again."
    )
