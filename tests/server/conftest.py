"""What the server's tests run on: the real sandbox with small limits, and the real server on a port of its own."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, ClassVar

import httpx
import pytest
import uvicorn
from fastapi import FastAPI
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from backscope_server import app
from backscope_server.app import create_app
from backscope_server.sandbox.launcher import Launcher
from backscope_server.sandbox.limits import Limits
from backscope_server.serve import configure, listen
from backscope_server.session.program import Program
from backscope_server.session.session import Session
from backscope_server.session.timing import Timing
from backscope_server.settings import Settings

SMALL = {
    "wall_seconds": 120,
    "cpu_seconds": 10,
    "memory_bytes": 256 << 20,
    "output_bytes": 200_000,
    "events": 20_000,
    "log_bytes": 8 << 20,
    "event_bytes": 1 << 20,
}


def events_of(session: Session) -> list[dict[str, Any]]:
    """The log of a session as JSON objects."""
    return [json.loads(line) for line in session.log.lines]


class Sandbox:
    """An event loop with a zygote; `finish` runs a program to its end."""

    def __init__(self, runner: asyncio.Runner, launcher: Launcher) -> None:
        self.runner = runner
        self.launcher = launcher

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        return self.runner.run(coroutine)

    async def start(self, source: str, timing: Timing | None = None, **limits: Any) -> Session:
        session = Session(timing)
        session.start(Program(source=source), Limits(**{**SMALL, **limits}), self.launcher)
        return session

    def finish(self, source: str, **limits: Any) -> Session:
        async def whole() -> Session:
            session = await self.start(source, **limits)
            await session.over()
            return session

        session: Session = self.run(whole())
        check_log(events_of(session), session.status)
        return session


def check_log(events: list[dict[str, Any]], status: str) -> None:
    """Assert what every finished log has: seq without gaps, one start, one end that agrees with the status."""
    assert [event["seq"] for event in events] == list(range(len(events)))
    assert [event["seq"] for event in events if event["kind"] == "program_started"] == [0]
    assert [event["seq"] for event in events if event["kind"] == "program_finished"] == [len(events) - 1]
    assert events[-1]["status"] == status


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with asyncio.Runner() as runner:
        launcher = Launcher()
        runner.run(launcher.start())
        yield Sandbox(runner, launcher)
        runner.run(launcher.close())


class Serving:
    """A server that is running: its address, a client for its API, and its WebSockets."""

    def __init__(self, app: FastAPI, server: uvicorn.Server, port: int) -> None:
        self.app = app
        self.server = server
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        token = app.state.token
        self.token: str | None = None if token is None else token.secret
        self.headers = {} if self.token is None else {"authorization": f"Bearer {self.token}"}
        self.http = httpx.Client(base_url=self.url, timeout=120, headers=self.headers)

    def connect(self, path: str, **options: Any) -> ClientConnection:
        options = {"additional_headers": self.headers, **options}
        return connect(f"ws://127.0.0.1:{self.port}{path}", max_size=None, **options)

    def start(self, source: str) -> str:
        answer = self.http.post("/api/sessions", json={"source": source})
        assert answer.status_code == 201, answer.text
        session: str = answer.json()["session"]
        return session

    def follow(self, session: str, after: int = -1) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Every event after `after`, and the message at the end."""
        with self.connect(f"/api/sessions/{session}/events?after={after}") as socket:
            return collect(socket)


def collect(socket: ClientConnection) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Events until the end message, and that message; asserts that the server then closes with 1000."""
    events: list[dict[str, Any]] = []
    while "end" not in (message := json.loads(socket.recv(timeout=120))):
        if "notices" not in message:  # On a slow machine a limit may be near.
            events += message["events"]
            assert message["last"] == events[-1]["seq"]
    with pytest.raises(ConnectionClosed) as closed:
        socket.recv(timeout=120)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1000
    return events, message


class Background:
    """An event loop in a thread of its own, in which servers live one after the other."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()

    def start(self, coroutine: Coroutine[Any, Any, Any]) -> Future[Any]:
        """Run a coroutine there."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop)

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(120)
        self.loop.close()


class OneZygote:
    """The launcher of all servers that need no other: a zygote takes seconds to start."""

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
        """It stays for the next server, which ends the programs of its own."""


@contextlib.contextmanager
def serving(settings: Settings, background: Background, **options: Any) -> Iterator[Serving]:
    app = create_app(settings, **options)
    listener = listen("127.0.0.1", 0)
    server = uvicorn.Server(configure(app, settings))
    started = threading.Event()
    served = background.start(_serve(server, listener, started))
    assert started.wait(120)
    try:
        found = Serving(app, server, listener.getsockname()[1])
        with found.http:
            yield found
    finally:
        server.should_exit = True
        served.result(120)
        listener.close()


async def _serve(server: uvicorn.Server, listener: Any, started: threading.Event) -> None:
    async def announce() -> None:
        while not server.started:
            await asyncio.sleep(0.005)
        started.set()

    announcing = asyncio.create_task(announce())
    await server.serve(sockets=[listener])
    announcing.cancel()


@pytest.fixture(scope="session")
def static(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built page, as small as one can be."""
    folder = tmp_path_factory.mktemp("static")
    (folder / "assets").mkdir()
    (folder / "index.html").write_text(
        '<!doctype html><title>Backscope</title><meta property="csp-nonce" nonce="BACKSCOPE_NONCE">'
    )
    (folder / "assets" / "index-abc.js").write_text("export {}")
    return folder


@pytest.fixture(scope="session")
def background() -> Iterator[Background]:
    made = Background()
    yield made
    made.close()


@pytest.fixture(scope="session")
def one_zygote(background: Background) -> Iterator[OneZygote]:
    made = OneZygote()
    yield made
    if made.launcher is not None:
        background.start(made.launcher.close()).result(120)


@pytest.fixture(scope="session")
def server(static: Path, background: Background, one_zygote: OneZygote) -> Iterator[Serving]:
    """A server with small limits that all tests share."""
    settings = Settings(**SMALL, running=50, source_bytes=50_000, trace_bytes=1 << 20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app, "Launcher", one_zygote)
        with serving(settings, background, static=static) as found:
            patch.undo()
            yield found


@pytest.fixture(scope="session")
def new_server(
    static: Path, background: Background, one_zygote: OneZygote
) -> Callable[..., contextlib.AbstractContextManager[Serving]]:
    """Starts a server of its own with these settings."""

    @contextlib.contextmanager
    def start(**settings: Any) -> Iterator[Serving]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(app, "Launcher", one_zygote)
            with serving(Settings(**{**SMALL, **settings}), background, static=static) as found:
                yield found

    return start


class NoSandbox:
    """Stands for the sandbox where no program is run: a zygote takes seconds to start."""

    versions: ClassVar[dict[str, str]] = {}
    layers: ClassVar[list[Any]] = []
    ready = True
    sandboxed = False

    def __init__(self, **_options: Any) -> None: ...

    async def start(self) -> None: ...

    async def close(self) -> None: ...


@pytest.fixture
def door(
    static: Path, background: Background, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., contextlib.AbstractContextManager[Serving]]:
    """Starts a server of its own that can do everything but run programs."""
    monkeypatch.setattr(app, "Launcher", NoSandbox)
    return lambda **settings: serving(Settings(**{**SMALL, **settings}), background, static=static)


@pytest.fixture(scope="session")
def log_of() -> Callable[[Session], list[dict[str, Any]]]:
    return events_of


@pytest.fixture(scope="session")
def until_end() -> Callable[[ClientConnection], tuple[list[dict[str, Any]], dict[str, Any]]]:
    return collect
