"""ASGI middleware that calls the connection when a request begins and ends, which limits the time for the next one."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backscope_server.access.connection import GuardedConnection


class RequestTime:
    """The outermost layer of the application; connections without a guard, as in some tests, pass through."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; call `request_started` and `request_ended` of its connection around it."""
        connection: GuardedConnection | None = scope.get("state", {}).get("connection")
        if scope["type"] != "http" or connection is None:
            await self.app(scope, receive, send)
            return
        body_left = has_body(scope["headers"])
        ended = False

        async def received() -> Message:
            nonlocal body_left
            message = await receive()
            if message["type"] == "http.request" and not message.get("more_body"):
                body_left = False
            return message

        def end() -> None:
            nonlocal ended
            if not ended:
                ended = True
                connection.request_ended(body_left=body_left)

        async def sent(message: Message) -> None:
            await send(message)
            if message["type"] == "http.response.body" and not message.get("more_body"):
                end()

        connection.request_started()
        try:
            await self.app(scope, received, sent)
        finally:
            end()


def has_body(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Return whether a request with these headers has a body."""
    return any(
        name == b"transfer-encoding" or (name == b"content-length" and value.strip(b"0") != b"")
        for name, value in headers
    )
