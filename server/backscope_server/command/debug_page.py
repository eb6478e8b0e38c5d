"""`backscope debug --page`: a server in this process, whose page is attached to the debugged program."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from collections.abc import Callable

import uvicorn
from fastapi import FastAPI

from backscope.protocol.commands import Answer, Breakpoint, Command
from backscope.runtime.page_folder import NOT_BUILT
from backscope_server.access.token import Token
from backscope_server.api import page
from backscope_server.api.app import create_app
from backscope_server.command.serve import address_of, configure, has_screen, listen, open_browser, page_url
from backscope_server.session.attached import AttachedSession
from backscope_server.session.notice import BreakpointsShared
from backscope_server.settings import Settings
from backscope_server.terminal.shared_process import NoPage, SharedProcess

NOT_ON_PYTORCH = (
    "The page has what the log has of this moment: values of the past are read in the terminal, "
    "with `back` and `print`."
)


class _Server(uvicorn.Server):
    """A server that says when it answers, and in which event loop."""

    def __init__(self, config: uvicorn.Config, settled: threading.Event) -> None:
        super().__init__(config)
        self.settled = settled
        self.loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start."""
        await super().startup(sockets)
        self.loop = asyncio.get_running_loop()
        self.settled.set()


class _Program:
    """The program, as its session commands it: answers come back to the thread of the server."""

    def __init__(self, process: SharedProcess, loop: asyncio.AbstractEventLoop) -> None:
        self._process = process
        self._loop = loop

    def command(self, command: Command, reply: Callable[[Answer], None]) -> None:
        """Pass a command on."""

        def answered(answer: Answer) -> None:
            self._loop.call_soon_threadsafe(reply, answer)

        self._process.command(command, answered)

    def kill(self) -> None:
        """End the program."""
        self._process.kill()


class DebugPage:
    """The page of a debugged program: its server starts with the first process; each process is a run of its own.

    `opened` gets the address of the page of each process.
    """

    def __init__(self, settings: Settings, opened: Callable[[str], None], *, browser: bool, torch: bool) -> None:
        self._settings = settings
        self._opened = opened
        self._browser = browser
        self._torch = torch
        self._app: FastAPI | None = None
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None
        self._session: AttachedSession | None = None
        self._waiting: list[bytes] = []
        self._lock = threading.Lock()
        self._base = ""

    def _start(self) -> asyncio.AbstractEventLoop:
        """Start the server, if it does not run; return its event loop.

        Raises: NoPage.
        """
        if self._server is not None and self._server.loop is not None:
            return self._server.loop
        if not page.is_built():
            raise NoPage(NOT_BUILT)
        self._app = app = create_app(self._settings)
        listener = listen(self._settings.host, 0)
        settled = threading.Event()
        self._server = server = _Server(configure(app, self._settings), settled)
        logging.getLogger("uvicorn.error").addFilter(lambda _record: server.started)

        def run() -> None:
            try:
                server.run(sockets=[listener])
            except (SystemExit, KeyboardInterrupt):
                pass
            finally:
                settled.set()

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()
        settled.wait()
        if server.loop is None or not server.started:
            raise NoPage(str(app.state.failure or "The server of the page did not start."))
        self._base = address_of(listener)
        return server.loop

    def began(self, process: SharedProcess) -> None:
        """Show a process that has been started.

        Raises: NoPage.
        """
        loop = self._start()
        not_rerun = NOT_ON_PYTORCH if self._torch else None

        async def make() -> AttachedSession:
            session = AttachedSession(_Program(process, loop), not_rerun)
            assert self._app is not None
            self._app.state.sessions.pool.add(session)
            return session

        self._session = session = asyncio.run_coroutine_threadsafe(make(), loop).result()
        assert self._app is not None
        token: Token | None = self._app.state.token
        secret = {} if token is None else {"token": token.secret}
        self._opened(page_url(self._base, session=session.id, **secret))
        if self._browser and has_screen():
            ticket = {} if token is None else {"ticket": token.ticket()}
            open_browser(page_url(self._base, session=session.id, **ticket))

    def received(self, line: bytes) -> None:
        """Add an event to the run of the page."""
        with self._lock:
            self._waiting.append(line)
            first = len(self._waiting) == 1
        if first:
            self._in_server(self._take)

    def shared(self, terminal: list[Breakpoint], removed: list[int]) -> None:
        """Show the breakpoints of the terminal; drop those of the page that were removed there."""
        self._in_server(lambda: self._share(BreakpointsShared(terminal, removed)))

    def ended(self) -> None:
        """Complete the run of the page."""
        self._in_server(self._end)

    def close(self) -> None:
        """Stop the server."""
        if self._server is not None and self._thread is not None:
            self._server.should_exit = True
            self._thread.join(5)

    def _in_server(self, do: Callable[[], None]) -> None:
        if self._server is not None and self._server.loop is not None and not self._server.loop.is_closed():
            self._server.loop.call_soon_threadsafe(do)

    def _share(self, notice: BreakpointsShared) -> None:
        if self._session is not None:
            self._session.notices.put(notice)

    def _take(self) -> None:
        with self._lock:
            lines, self._waiting = self._waiting, []
        if lines and self._session is not None:
            self._session.append(lines)

    def _end(self) -> None:
        self._take()
        if self._session is not None:
            self._session.ended()
