"""`backscope worker`: joins a fleet and runs its programs until it is stopped."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from backscope.runtime.extras import why_missing
from backscope_server import __version__
from backscope_server.command import survey
from backscope_server.command.progress import Progress
from backscope_server.command.serve import NoPort, address_of, allow_descriptors, listen
from backscope_server.operations import structured_log
from backscope_server.operations.metrics import Metrics
from backscope_server.operations.port import Answer, NoMetrics, serve_operations
from backscope_server.sandbox.launcher import Launcher, SandboxError
from backscope_server.session import memory
from backscope_server.session.sessions import NotStarted
from backscope_server.settings import Settings

_STOPPED = 128 + signal.SIGTERM
_NO_FLEET = "A worker needs the address of its fleet's Redis: backscope worker redis://HOST:PORT, or BACKSCOPE_FLEET."


def work(settings: Settings) -> int:
    """Work until interrupted; return the exit status."""
    if settings.log_format == "json":
        structured_log.begin()
    if not settings.fleet:
        print(_NO_FLEET, file=sys.stderr, flush=True)
        return 2
    if settings.public and (reason := survey.why_not_public(settings)) is not None:
        print(reason, file=sys.stderr, flush=True)
        return 1
    try:
        listener = listen(settings.host, settings.port)
    except NoPort as error:
        print(error, file=sys.stderr, flush=True)
        return 1
    allow_descriptors()
    with listener:
        try:
            return asyncio.run(_work(settings, listener))
        except (NotStarted, SandboxError, NoMetrics) as error:
            print(f"backscope: {error}", file=sys.stderr, flush=True)
            return 1


async def _work(settings: Settings, listener: socket.socket) -> int:
    """Raises: NotStarted, SandboxError."""
    if (missing := why_missing("A worker", "fleet")) is not None:
        raise NotStarted(missing)
    from backscope_server.fleet.worker import Worker

    memory.return_memory_soon()
    launcher = Launcher(**settings.launching())
    await launcher.start()
    try:
        with Progress() as progress:
            progress.begin("starting the process that programs are forked from")
            await launcher.settled()
        metrics = Metrics()
        worker = Worker(settings, launcher, metrics.ended)

        async def health(_request: Request) -> JSONResponse:
            found = worker.report
            status = "draining" if found.draining else "ok" if found.ready else "starting"
            return JSONResponse(
                {
                    "status": status,
                    "version": __version__,
                    "name": found.name,
                    "running": found.running,
                    "places": found.places,
                    "sandboxed": found.sandboxed,
                    "layers": found.layers,
                }
            )

        server = _Health(Starlette(routes=[Route("/api/health", health)]))
        stopped = asyncio.Event()
        signals: list[int] = []
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, _note, number, signals, stopped)
        await worker.begin()

        async def said() -> Answer:
            return 200, metrics.text(worker.measures())

        async def ready() -> Answer:
            return (200, "ready\n") if worker.report.ready else (503, "not ready\n")

        port = await serve_operations(settings.metrics_host, settings.metrics_port, said, ready)
        memory.freeze_objects()
        serving = asyncio.create_task(server.serve(sockets=[listener]), name="health")
        print(f"The worker {worker.name} runs programs; {address_of(listener)}api/health says how it is.", flush=True)
        try:
            await stopped.wait()
            print("The worker takes no more programs; those that it has end here or on another one.", flush=True)
            draining = asyncio.create_task(worker.drain())
            while not draining.done():
                stopped.clear()
                again = asyncio.create_task(stopped.wait())
                await asyncio.wait([draining, again], return_when=asyncio.FIRST_COMPLETED)
                again.cancel()
                if not draining.done() and len(signals) > 1:  # Whoever asks twice does not want to wait.
                    draining.cancel()
                    break
            await asyncio.gather(draining, return_exceptions=True)
        finally:
            await worker.close()
            if port is not None:
                await port.close()
            server.should_exit = True
            await serving
        return 0 if signals[0] == signal.SIGINT else _STOPPED
    finally:
        await launcher.close()


def _note(number: signal.Signals, signals: list[int], stopped: asyncio.Event) -> None:
    signals.append(number)
    stopped.set()


class _Health(uvicorn.Server):
    """A server that leaves the signals to the worker."""

    def __init__(self, app: Starlette) -> None:
        super().__init__(
            uvicorn.Config(
                app, log_level="warning", access_log=False, server_header=False, lifespan="off", limit_concurrency=64
            )
        )

    @contextlib.contextmanager
    def capture_signals(self):  # type: ignore[no-untyped-def]
        """Capture none."""
        yield
