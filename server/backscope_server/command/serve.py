"""`backscope serve` and `backscope open`: find a free port, start the server, print its address and open the page."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Mapping
from typing import cast
from urllib.parse import urlencode

import uvicorn
from fastapi import FastAPI

from backscope.runtime.page_folder import NOT_BUILT
from backscope_server.access.connection import Connections
from backscope_server.access.token import Token
from backscope_server.api import page
from backscope_server.operations import structured_log
from backscope_server.session.sessions import Sessions
from backscope_server.settings import Settings

_LAST_READ_SECONDS = 3.0
"""The time that pages get to read the ends of their runs when the server stops."""
_DESCRIPTORS = 65_536
_PORTS = 50
"""The number of ports after the wanted one that are tried."""


class NoPort(RuntimeError):
    """The error for no port to listen on; the text says which were tried."""


def _listen(host: str, port: int) -> socket.socket:
    family, kind, protocol, _name, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind, protocol)
    try:
        # A port with only closed connections in TIME_WAIT can be used; on Windows the option would share a used port.
        listener.setsockopt(socket.SOL_SOCKET, getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR), 1)
        listener.bind(address)
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    return listener


def _next_free(host: str, port: int) -> socket.socket:
    for candidate in range(port + 1, min(port + _PORTS, 65535) + 1):
        try:
            return _listen(host, candidate)
        except OSError:
            continue
    raise NoPort(f"Port {port} on {host} is in use, and so are the {_PORTS} after it. Choose one with --port.")


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on this port, or on the next free one; at a terminal the user is asked first.

    Raises: NoPort.
    """
    try:
        return _listen(host, port)
    except OSError as error:
        if error.errno == errno.EACCES:
            raise NoPort(
                f"Port {port} may be used by an administrator only. Choose one from 1024 up with --port."
            ) from None
        if error.errno != errno.EADDRINUSE:
            raise NoPort(f"Cannot listen on {host}, port {port}: {error.strerror or error}.") from None
    listener = _next_free(host, port)
    free = listener.getsockname()[1]
    said = f"Port {port} on {host} is in use by another program."
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print(f"{said} Using port {free}.", file=sys.stderr, flush=True)
        return listener
    if input(f"{said} Use port {free}? [Y/n] ").strip().lower() in ("", "y", "yes"):
        return listener
    listener.close()
    raise NoPort("Not started. Choose a port with --port.")


def has_screen() -> bool:
    """Return whether a browser can be opened on a screen."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""The hosts that listen on every address of this machine, each with a loopback address that reaches it."""


def address_of(listener: socket.socket) -> str:
    """Return the URL of a listening socket, as it can be opened on this machine."""
    host, port = listener.getsockname()[:2]
    host = _EVERYWHERE.get(host, host)
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def page_url(base: str, **fields: str) -> str:
    """Return the address that opens the page with these fields in its query."""
    return f"{base}?{urlencode(fields)}" if fields else base


def open_browser(url: str) -> None:
    """Open an address in the browser, in a thread: some browsers answer only when they are closed."""
    threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()


class _Server(uvicorn.Server):
    """A uvicorn server that prints its address once it answers, and ends all runs, with a reason, before it stops."""

    def __init__(
        self,
        config: uvicorn.Config,
        announcement: str,
        browse: str | None,
        app: FastAPI,
        when_ready: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self._when_ready = when_ready
        self._app = app
        self._announcement = announcement
        self._browse = browse

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then print the address and open it in a browser."""
        await super().startup(sockets)
        if not self.started:
            return
        self._when_ready()
        print(self._announcement, flush=True)
        if self._browse is not None:
            open_browser(self._browse)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop: end the runs first, so that their pages read how they ended, then connections, then the sandbox."""
        for server in self.servers:  # Nothing new may begin meanwhile.
            server.close()
        sessions: Sessions = self._app.state.sessions
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LAST_READ_SECONDS):
                await sessions.stop()
                # The last messages are sent; clients that do not read are not waited for.
                while self.server_state.tasks:
                    await asyncio.sleep(0.02)
        connections: Connections = self._app.state.connections
        connections.abort_stalled()
        await super().shutdown(sockets)


def configure(app: FastAPI, settings: Settings) -> uvicorn.Config:
    """Return the configuration for serving the application; on loopback without compression, which is faster."""
    connections: Connections = app.state.connections
    return uvicorn.Config(
        app,
        loop="asyncio",
        http=cast("type[asyncio.Protocol]", connections.protocol),  # uvicorn only calls it.
        ws="websockets-sansio",
        ws_max_size=settings.program_body_bytes,
        ws_ping_interval=None,  # A guarded connection pings by itself.
        ws_per_message_deflate=False,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # The access middleware reads them, as far as they are to be believed.
        lifespan="on",
        # Longer than clients keep an idle connection (httpx 5 s, aiohttp 15 s): no request meets one that closes.
        timeout_keep_alive=20,
        timeout_graceful_shutdown=3,
    )


def allow_descriptors() -> None:
    """Raise the limit on open files to the system's maximum: a paused run takes four, and 1,024 is a common limit."""
    try:
        import resource
    except ImportError:  # Windows has no such limit.
        return

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(ValueError, OSError):  # macOS reports an infinite limit and refuses to set it.
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def serve(
    app: FastAPI,
    settings: Settings,
    *,
    browser: bool,
    fields: Mapping[str, str] | None = None,
    fragment: str = "",
    when_ready: Callable[[], None] = lambda: None,
) -> int:
    """Serve until interrupted; return the exit status.

    The page's address has `fields` in its query, and a fragment; `when_ready` is called once the server answers.
    """
    if settings.log_format == "json":
        structured_log.begin()
    if not page.is_built():
        print(NOT_BUILT, file=sys.stderr, flush=True)
        return 1
    try:
        listener = listen(settings.host, settings.port)
    except NoPort as error:
        print(error, file=sys.stderr, flush=True)
        return 1
    allow_descriptors()
    with listener:
        base = address_of(listener)
        token: Token | None = app.state.token
        fields = fields or {}
        url = page_url(base, **fields, **({} if token is None else {"token": token.secret})) + fragment
        browse = page_url(base, **fields, **({} if token is None else {"ticket": token.ticket()})) + fragment
        said = f"Backscope is at {url}  (Ctrl-C to stop)"
        if listener.getsockname()[0] in _EVERYWHERE:
            said += "\nIt listens on every address of this machine: others open it by the machine's name or address."
        server = _Server(configure(app, settings), said, browse if browser and has_screen() else None, app, when_ready)
        # A start that fails prints one sentence below, not the framework's traceback.
        logging.getLogger("uvicorn.error").addFilter(lambda _record: server.started)
        try:
            server.run(sockets=[listener])
        except KeyboardInterrupt:
            return 0
        except SystemExit:  # Raised by the framework where a start fails.
            if app.state.failure is None:
                raise
    if app.state.failure is not None:
        print(app.state.failure, file=sys.stderr, flush=True)
        return 1
    return 0
