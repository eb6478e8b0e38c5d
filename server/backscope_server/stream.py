"""The WebSocket half of the API: the events of a session as they come, from any point on, and commands back."""

from __future__ import annotations

import asyncio
import contextlib

from fastapi import APIRouter, WebSocket
from starlette.websockets import WebSocketDisconnect

from backscope_server.errors import Problem, error_body
from backscope_server.request import RunCommand, StopCommand, parse
from backscope_server.rest import unknown
from backscope_server.session.pool import Pool, PoolFull
from backscope_server.session.session import Session
from backscope_server.settings import Settings

router = APIRouter(prefix="/api")

BAD_REQUEST = 4400
UNKNOWN_SESSION = 4404
POOL_FULL = 4429
_CODES = {404: UNKNOWN_SESSION, 429: POOL_FULL}


async def _refuse(socket: WebSocket, problem: Problem) -> None:
    await socket.send_json(error_body(problem.message))
    # A close reason has 123 bytes at most.
    reason = problem.message.encode()[:123].decode("utf-8", "ignore")
    await socket.close(_CODES.get(problem.status, BAD_REQUEST), reason)


async def _command(socket: WebSocket) -> str:
    """The next text that the client sends.

    Raises: WebSocketDisconnect; Problem for a binary message.
    """
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1000))
    text: str | None = message.get("text")
    if text is None:
        raise Problem(422, "Commands are text messages with JSON in them; this one was binary.")
    return text


async def _obey(socket: WebSocket, session: Session) -> None:
    """Take commands until the client goes."""
    while True:
        parse(StopCommand, await _command(socket))
        session.stop()


async def _send(socket: WebSocket, session: Session, after: int, settings: Settings) -> None:
    """Send every event after `after`, the first batch at once, later ones a frame apart, then the end."""
    log = session.log
    loop = asyncio.get_running_loop()
    not_before = loop.time()
    sent = after
    while await log.beyond(sent):
        if (wait := not_before - loop.time()) > 0:
            await asyncio.sleep(wait)
        message, sent = log.batch(sent, events=settings.frame_events, nbytes=settings.frame_bytes)
        if sent > 0:  # The start of the program alone is nothing to look at: what follows it need not wait.
            not_before = loop.time() + settings.frame_seconds
        await socket.send_text(message.decode())  # Waits while the client does not read.
    await socket.send_json({"end": True, "last": log.last})
    await socket.close(1000)


async def _serve(socket: WebSocket, session: Session, after: int) -> None:
    """Send events and take commands at the same time until either side is done."""
    settings: Settings = socket.app.state.settings
    tasks = [
        asyncio.create_task(_send(socket, session, after, settings)),
        asyncio.create_task(_obey(socket, session)),
    ]
    with session.watched():
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException) and not isinstance(result, asyncio.CancelledError):
            raise result


def _position(text: str) -> int:
    try:
        after = int(text)
    except ValueError:
        after = -2
    if after < -1:
        raise Problem(422, f"after={text[:20]}: the seq of the last event that is known, or -1 for all of them.")
    return after


@router.websocket("/sessions/{identity}/events")
async def follow(socket: WebSocket, identity: str) -> None:
    """The events of a session after seq `after`."""
    pool: Pool = socket.app.state.pool
    await socket.accept()
    with contextlib.suppress(WebSocketDisconnect):
        try:
            session = pool.find(identity)
            if session is None:
                raise Problem(404, unknown(identity))
            await _serve(socket, session, _position(socket.query_params.get("after", "-1")))
        except Problem as problem:
            await _refuse(socket, problem)


@router.websocket("/run")
async def run(socket: WebSocket) -> None:
    """Run the program in the client's first message and send its events."""
    pool: Pool = socket.app.state.pool
    settings: Settings = socket.app.state.settings
    await socket.accept()
    with contextlib.suppress(WebSocketDisconnect):
        try:
            command = parse(RunCommand, await _command(socket))
            try:
                session = pool.start(command.program(settings.source_bytes))
            except PoolFull as error:
                raise Problem(429, str(error)) from None
            await socket.send_json({"session": session.id})
            await _serve(socket, session, -1)
        except Problem as problem:
            await _refuse(socket, problem)
