"""Fixtures of the server's tests: the real sandbox with small limits, and the real server on a port of its own."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, ClassVar

import httpx
import pytest
import uvicorn
from fastapi import FastAPI
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from backscope_server.sandbox.launcher import Launcher
from backscope_server.sandbox.limits import Limits
from backscope_server.session.program import Program
from backscope_server.session.session import Session
from backscope_server.session.timing import Timing
from backscope_server.settings import Settings

sys.path.insert(0, str(Path(__file__).parents[1]))  # What is beside the tests of all suites.

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
    """Return the log of a session as JSON objects."""
    return [json.loads(line) for line in session.log.lines]


class Sandbox:
    """An event loop with a zygote; `finish` runs a program to its end."""

    def __init__(self, runner: asyncio.Runner, launcher: Launcher) -> None:
        self.runner = runner
        self.launcher = launcher

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        return self.runner.run(coroutine)

    def limits(self, **changed: Any) -> Limits:
        """Return small limits, some of them changed."""
        return Limits(**{**SMALL, **changed})

    async def start(self, source: str, timing: Timing | None = None, **limits: Any) -> Session:
        session = Session(timing)
        session.start(Program(source=source), self.limits(**limits), self.launcher)
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
    """Assert what holds for every finished log: seq without gaps, one start, one end that agrees with the status."""
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
        # A client that does not read gets no answers to its pings.
        options = {"additional_headers": self.headers, "ping_timeout": None, **options}
        return connect(f"ws://127.0.0.1:{self.port}{path}", max_size=None, **options)

    def start(self, source: str) -> str:
        answer = self.http.post("/api/sessions", json={"source": source})
        assert answer.status_code == 201, answer.text
        session: str = answer.json()["session"]
        return session

    def follow(self, session: str, after: int = -1) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Return every event after `after`, and the message at the end."""
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


@pytest.fixture(scope="session")
def static(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a built page, as small as one can be."""
    folder = tmp_path_factory.mktemp("static")
    (folder / "assets").mkdir()
    (folder / "index.html").write_text(
        '<!doctype html><title>Backscope</title><meta property="csp-nonce" nonce="BACKSCOPE_NONCE">'
    )
    (folder / "assets" / "index-abc.js").write_text("export {}")
    return folder


Served = Callable[..., contextlib.AbstractContextManager[tuple[uvicorn.Server, FastAPI, int]]]


@contextlib.contextmanager
def with_client(starting: contextlib.AbstractContextManager[tuple[uvicorn.Server, FastAPI, int]]) -> Iterator[Serving]:
    with starting as (server, app, port):
        found = Serving(app, server, port)
        with found.http:
            yield found


@pytest.fixture(scope="session")
def implementation(request: pytest.FixtureRequest) -> Served:
    """Return what starts a server: one that runs programs itself, or, where a test says so, a fleet of its own."""
    name: str = getattr(request, "param", "embedded")
    found: Served = request.getfixturevalue("served" if name == "embedded" else "served_by_fleet")
    return found


@pytest.fixture(scope="session")
def served_by_fleet(
    serving: Any, background: Any, one_zygote: Any, redis_server: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """Return a function that starts a gateway and a worker, both in this process, on a Redis that all tests share."""
    redis = redis_server.RedisServer(tmp_path_factory.mktemp("redis"))
    redis.start()
    yield lambda settings, **options: serving.fleet(settings, background, one_zygote, redis.url, **options)
    redis.stop()


@pytest.fixture(scope="session")
def fleet_on(
    static: Path, serving: Any, background: Any, one_zygote: Any
) -> Callable[..., contextlib.AbstractContextManager[Serving]]:
    """Start a gateway and a worker in this process, on the Redis at an address, with these settings."""

    def start(redis: str, **settings: Any) -> contextlib.AbstractContextManager[Serving]:
        chosen = Settings(**{**SMALL, **settings})
        return with_client(serving.fleet(chosen, background, one_zygote, redis, static=static))

    return start


@pytest.fixture(scope="session")
def server(static: Path, implementation: Served) -> Iterator[Serving]:
    """A server with small limits that all tests share."""
    settings = Settings(**SMALL, running=50, source_bytes=50_000, trace_bytes=1 << 20)
    with with_client(implementation(settings, static=static)) as found:
        yield found


@pytest.fixture(scope="session")
def new_server(static: Path, implementation: Served) -> Callable[..., contextlib.AbstractContextManager[Serving]]:
    """Start a server of its own with these settings; `lessons` is the path of those that it previews."""

    def start(*, lessons: Path | None = None, **settings: Any) -> contextlib.AbstractContextManager[Serving]:
        return with_client(implementation(Settings(**{**SMALL, **settings}), static=static, lessons=lessons))

    return start


class NoSandbox:
    """Replaces the sandbox where no program is run, because a zygote takes seconds to start."""

    versions: ClassVar[dict[str, str]] = {}
    layers: ClassVar[list[Any]] = []
    ready = True
    sandboxed = False

    def __init__(self, **_options: Any) -> None: ...

    async def start(self) -> None: ...

    async def close(self) -> None: ...


@pytest.fixture
def door(static: Path, serving: Any, background: Any) -> Callable[..., contextlib.AbstractContextManager[Serving]]:
    """Start a server of its own that does everything but run programs."""

    def start(**settings: Any) -> contextlib.AbstractContextManager[Serving]:
        starting = serving.serving(Settings(**{**SMALL, **settings}), background, NoSandbox, static=static)
        return with_client(starting)

    return start


@pytest.fixture(scope="session")
def log_of() -> Callable[[Session], list[dict[str, Any]]]:
    return events_of


@pytest.fixture(scope="session")
def until_end() -> Callable[[ClientConnection], tuple[list[dict[str, Any]], dict[str, Any]]]:
    return collect
