"""`backscope serve` and `backscope open`: find a free port, start the server, say where it is."""

from __future__ import annotations

import errno
import logging
import os
import socket
import sys
import threading
import webbrowser

import uvicorn
from fastapi import FastAPI

from backscope_server import page
from backscope_server.request import program_body
from backscope_server.settings import Settings

_PORTS = 50
"""How many ports after the wanted one are tried."""


class NoPort(RuntimeError):
    """No port to listen on; the text says what was tried."""


def _listen(host: str, port: int) -> socket.socket:
    family, kind, protocol, _name, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind, protocol)
    try:
        # A port that is only waiting out its last connections is free.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
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
    """A listening socket on this port, or on the next free one: asked for at a terminal, taken and said elsewhere.

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
    """True where a browser can be opened in front of somebody."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def address_of(listener: socket.socket) -> str:
    """The URL of a listening socket."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


class _Server(uvicorn.Server):
    """Says where it is once it answers."""

    def __init__(self, config: uvicorn.Config, url: str, browser: bool) -> None:
        super().__init__(config)
        self._url = url
        self._browser = browser

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then print the address and open it."""
        await super().startup(sockets)
        if not self.started:
            return
        print(f"Backscope is at {self._url}  (Ctrl-C to stop)", flush=True)
        if self._browser:  # In a thread: some browsers answer only when they are closed.
            threading.Thread(target=webbrowser.open, args=(self._url,), daemon=True).start()


def configure(app: FastAPI, settings: Settings) -> uvicorn.Config:
    """How the application is served: what is not compressed on loopback is sent sooner."""
    return uvicorn.Config(
        app,
        loop="asyncio",
        ws="websockets-sansio",
        ws_max_size=program_body(settings.source_bytes),
        ws_per_message_deflate=False,
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="on",
        timeout_graceful_shutdown=3,
    )


def serve(app: FastAPI, settings: Settings, *, browser: bool, at: str = "") -> int:
    """Serve until interrupted; `at` is what follows the address in the URL that is opened.  Returns an exit status."""
    if not page.is_built():
        print(page.NOT_BUILT, file=sys.stderr, flush=True)
        return 1
    try:
        listener = listen(settings.host, settings.port)
    except NoPort as error:
        print(error, file=sys.stderr, flush=True)
        return 1
    with listener:
        server = _Server(configure(app, settings), address_of(listener) + at, browser and has_screen())
        # A start that fails is told in one sentence below, not with the framework's traceback.
        logging.getLogger("uvicorn.error").addFilter(lambda _record: server.started)
        try:
            server.run(sockets=[listener])
        except KeyboardInterrupt:
            return 0
    if app.state.failure is not None:
        print(app.state.failure, file=sys.stderr, flush=True)
        return 1
    return 0
