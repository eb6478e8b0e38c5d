"""The errors of the API, in JSON as {"error": {"message": what is wrong, where, and what to do}}."""

from __future__ import annotations

import contextlib
import math

from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

_UNREAD = (408, 413)
"""The status codes after which the rest of the body is not read."""

CLOSE_CODES = {
    401: 4401,
    404: 4404,
    410: 4404,
    408: 4408,
    413: 4413,
    429: 4429,
    503: 4503,
}
"""Close codes of a WebSocket by the status that a request would have got; others are 4400."""


class Problem(Exception):
    """The error for a request that cannot be served: an HTTP status and a text for people.

    `retry_after`: the seconds after which it may be served; `allow`: the methods that the path has.
    """

    def __init__(
        self, status: int, message: str, *, retry_after: float | None = None, allow: str | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.allow = allow
        self.retry_after = None if retry_after is None else whole_seconds(retry_after)


def whole_seconds(seconds: float) -> int:
    """Round a waiting time up to whole seconds, one at least."""
    return max(1, math.ceil(seconds))


def error_body(message: str, retry_after: int | None = None) -> dict[str, dict[str, str | int]]:
    """Return the JSON body of an error, with `retry_after` if no header carries it."""
    error: dict[str, str | int] = {"message": message}
    if retry_after is not None:
        error["retry_after"] = retry_after
    return {"error": error}


def error_response(status: int, message: str) -> JSONResponse:
    """Return an error as a response."""
    return JSONResponse(error_body(message), status_code=status)


def response(problem: Problem) -> JSONResponse:
    """Return a problem as a response."""
    answer = error_response(problem.status, problem.message)
    if problem.retry_after is not None:
        answer.headers["retry-after"] = str(problem.retry_after)
    if problem.allow is not None:
        answer.headers["allow"] = problem.allow
    if problem.status == 401:
        answer.headers["www-authenticate"] = 'Bearer realm="Backscope"'
    if problem.status in _UNREAD:
        answer.headers["connection"] = "close"
    return answer


async def close(socket: WebSocket, problem: Problem) -> None:
    """Send an error on an accepted WebSocket and close it; do nothing if its client has disconnected."""
    if socket.application_state is not WebSocketState.CONNECTED:
        return
    await socket.send_json(error_body(problem.message, problem.retry_after))
    # A close reason has 123 bytes at most.
    reason = problem.message.encode()[:123].decode("utf-8", "ignore")
    await socket.close(CLOSE_CODES.get(problem.status, 4400), reason)


async def refuse(scope: Scope, receive: Receive, send: Send, problem: Problem) -> None:
    """Accept a WebSocket only to send an error, and close it."""
    socket = WebSocket(scope, receive, send)
    with contextlib.suppress(WebSocketDisconnect):
        await socket.accept()
        await close(socket, problem)
