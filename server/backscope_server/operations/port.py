"""Serves metrics and health on a port of their own, apart from what clients reach."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

_REQUEST_SECONDS = 5.0
_MOST_BYTES = 1 << 14
TEXT = "text/plain; version=0.0.4; charset=utf-8"

Answer = tuple[int, str]
Route = Callable[[], Awaitable[Answer]]
"""Gives the status and the text of an answer."""

_STATUS = {200: "OK", 404: "Not Found", 405: "Method Not Allowed", 503: "Service Unavailable"}


class NoMetrics(RuntimeError):
    """The error for a port on which metrics cannot be served; the text says why."""


class Port:
    """Answers GET requests for a few paths, one a connection."""

    def __init__(self, routes: dict[str, Route]) -> None:
        self._routes = routes
        self._server: asyncio.Server | None = None

    async def start(self, host: str, port: int) -> int:
        """Listen, and return the port; raises OSError."""
        self._server = await asyncio.start_server(self._serve, host, port, limit=_MOST_BYTES)
        number: int = self._server.sockets[0].getsockname()[1]
        return number

    async def close(self) -> None:
        """Listen no more."""
        if self._server is not None:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, ValueError, TimeoutError, asyncio.IncompleteReadError):
            async with asyncio.timeout(_REQUEST_SECONDS):
                status, text = await self._answer((await reader.readuntil(b"\r\n\r\n")).partition(b"\r\n")[0])
                body = text.encode()
                head = f"HTTP/1.1 {status} {_STATUS[status]}\r\nContent-Type: {TEXT}\r\nContent-Length: {len(body)}"
                writer.write(f"{head}\r\nConnection: close\r\n\r\n".encode() + body)
                await writer.drain()
        writer.close()

    async def _answer(self, first: bytes) -> Answer:
        method, _, rest = first.decode("latin-1").partition(" ")
        route = self._routes.get(rest.partition(" ")[0].partition("?")[0])
        if method != "GET":
            return 405, "Only GET is possible here.\n"
        return (404, "There is /metrics, /live and /ready.\n") if route is None else await route()


async def serve_operations(host: str, port: int, metrics: Route, ready: Route) -> Port | None:
    """Serve `/metrics`, `/ready` and `/live` on a port; return what does, None for port 0.

    Raises: NoMetrics.
    """
    if not port:
        return None

    async def live() -> Answer:
        return 200, "alive\n"

    served = Port({"/metrics": metrics, "/ready": ready, "/live": live})
    try:
        await served.start(host, port)
    except OSError as error:
        raise NoMetrics(f"BACKSCOPE_METRICS_PORT: {host}, port {port}: {error.strerror or error}.") from None
    return served
