"""Servers in the process of the tests: their event loop has a thread of its own, and they share one zygote."""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import secrets
import sys
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future
from typing import Any

import uvicorn
from fastapi import FastAPI

from backscope_server.api import app
from backscope_server.command.serve import configure, listen
from backscope_server.sandbox.launcher import Launcher
from backscope_server.settings import Settings


class Background:
    """An event loop in a thread of its own, in which servers run one after the other."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()

    def start(self, coroutine: Coroutine[Any, Any, Any]) -> Future[Any]:
        """Run a coroutine in this loop."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop)

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(120)
        self.loop.close()


class OneZygote:
    """A launcher that all servers share, because a zygote takes seconds to start."""

    def __init__(self) -> None:
        self.launcher: Launcher | None = None

    def __call__(self, *, limited: bool | None = None, public: bool = False, **options: Any) -> Any:
        if limited or public:
            return Launcher(limited=limited, public=public, **options)
        return self

    def __getattr__(self, name: str) -> Any:
        return getattr(self.launcher, name)

    async def start(self) -> None:
        if self.launcher is None:
            self.launcher = Launcher()
            await self.launcher.start()
        await self.launcher.settled()

    async def close(self) -> None:
        """Do nothing: the launcher is kept for the next server, which ends the programs of its own."""


@contextlib.contextmanager
def serving(
    settings: Settings, background: Background, launcher: Any, *, port: int = 0, **options: Any
) -> Iterator[tuple[uvicorn.Server, FastAPI, int]]:
    """Yield a server, its application and its port; `launcher` replaces the launcher's class."""
    made = app.create_app(settings, **options)
    listener = listen("127.0.0.1", port)
    server = uvicorn.Server(configure(made, settings))
    started = threading.Event()
    before, app.Launcher = app.Launcher, launcher
    try:
        served = background.start(_serve(server, listener, started))
        assert started.wait(120)
    finally:
        app.Launcher = before
    try:
        yield server, made, listener.getsockname()[1]
    finally:
        server.should_exit = True
        try:
            served.result(120)
        except TimeoutError:
            faulthandler.dump_traceback(sys.__stderr__)
            print(*map(_waits, asyncio.all_tasks(background.loop)), sep="\n")
            raise
        listener.close()


@contextlib.contextmanager
def fleet(
    settings: Settings, background: Background, launcher: Any, redis: str, **options: Any
) -> Iterator[tuple[uvicorn.Server, FastAPI, int]]:
    """Yield a gateway as `serving` does a server; a worker beside it runs its programs."""
    from backscope_server.fleet.worker import Worker

    prefix = f"test:{secrets.token_hex(6)}:"
    settings = settings.model_copy(update={"fleet": redis, "fleet_prefix": prefix, "fleet_lease_seconds": 2.0})
    made: list[Worker] = []

    async def begin() -> None:
        await launcher.start()
        made.append(Worker(settings, launcher))
        await made[0].begin()

    async def end() -> None:
        made[0].draining = True  # Its runs end at once.
        await made[0].close()

    background.start(begin()).result(120)
    try:
        with serving(settings, background, launcher, **options) as found:
            yield found
    finally:
        background.start(end()).result(120)


def _waits(task: asyncio.Task[Any]) -> str:
    """Return the stack of coroutines that a task waits in, from the outside in."""
    found, inner = [task.get_name()], task.get_coro()
    while (frame := getattr(inner, "cr_frame", None)) is not None:
        found.append(f"{frame.f_code.co_qualname}:{frame.f_lineno}")
        inner = inner.cr_await
    return " > ".join(found)


async def _serve(server: uvicorn.Server, listener: Any, started: threading.Event) -> None:
    async def announce() -> None:
        while not server.started:
            await asyncio.sleep(0.005)
        started.set()

    announcing = asyncio.create_task(announce())
    await server.serve(sockets=[listener])
    announcing.cancel()
