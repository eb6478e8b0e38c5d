"""Starts sessions for the API; raises the Problem that the client gets if a program cannot be started."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from fastapi import FastAPI

from backscope_server.access.address_limits import AddressLimits
from backscope_server.errors import Problem
from backscope_server.operations.metrics import Metrics
from backscope_server.operations.switch import Switch
from backscope_server.session.program import Program
from backscope_server.session.results import Leads, digest
from backscope_server.session.session import Session
from backscope_server.session.sessions import Opening, PoolFull, Sessions, TooManyPrograms
from backscope_server.settings import Settings

_BUSY_SECONDS = 60
_ENDS_SECONDS = 10


async def count_start(app: FastAPI, address: str, many: int = 1) -> None:
    """Count starts for an address: of programs, or of a trace that is opened or packed; at most all of a minute.

    Raises: Problem 429 where there were too many, here or at all gateways of a fleet together.
    """
    limits: AddressLimits = app.state.address_limits
    await limits.start(address, many)


def check_open(app: FastAPI) -> None:
    """Raises: Problem 503 while the server starts no programs."""
    switch: Switch = app.state.switch
    if (reason := switch.refusal) is not None:
        raise Problem(503, reason, retry_after=_BUSY_SECONDS)


async def start(
    app: FastAPI,
    address: str,
    program: Program,
    *,
    key: str | None = None,
    opening: Opening = (),
    fresh: bool = False,
) -> Session:
    """Start a program for an address, or queue it; return the session of an earlier start with the same `key`.

    If the program gets no commands and is not to be run afresh, a recording of it, or a finished run where the server
    keeps these, is returned, and nothing is started.

    Raises: Problem 429, 503.
    """
    sessions: Sessions = app.state.sessions
    settings: Settings = app.state.settings
    metrics: Metrics = app.state.metrics
    alike = not opening and not fresh
    result = digest(program, settings.limits()) if settings.cache and alike else None
    with places():
        known = await sessions.known(program, key, recorded=alike, result=result)
        if known is not None:
            metrics.count("starts_total", answered="earlier")
            return known

    async def begin() -> Session:
        try:
            check_open(app)
            await count_start(app, address)
            with places():
                session = await sessions.start(program, address, key=key, opening=opening, result=result)
        except Problem as problem:
            metrics.count("refused_total", status=str(problem.status))
            raise
        metrics.count("starts_total", answered="run")
        metrics.follow(session)
        return session

    if result is None:
        return await begin()
    leads: Leads = app.state.leads
    session, is_finished = await leads.start(result, begin)
    if is_finished:
        with places():
            again = await sessions.known(program, None, recorded=True, result=result)
        if again is None:
            return await begin()
        metrics.count("starts_total", answered="earlier")
        return again
    return session


def admit_replay(app: FastAPI, address: str) -> None:
    """Take a place for a replay for an address, and count its start, here: a fleet counts it when it joins the line.

    Raises: Problem 429, 503.
    """
    sessions: Sessions = app.state.sessions
    check_open(app)
    with places():
        sessions.admit_replay(address)
    limits: AddressLimits = app.state.address_limits
    limits.start_here(address)


@contextlib.contextmanager
def places() -> Iterator[None]:
    """Raise the Problem that the client gets where there is no place: 429, 503."""
    try:
        yield
    except TooManyPrograms as error:
        raise Problem(429, str(error), retry_after=_ENDS_SECONDS) from None
    except PoolFull as error:
        raise Problem(503, str(error), retry_after=_BUSY_SECONDS) from None
