"""Gateways and workers as processes, and clients of them."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from redis_server import RedisServer
from websockets.sync.client import ClientConnection, connect

ROOT = Path(__file__).resolve().parents[3]
_ADDRESS = re.compile(rb"http://127\.0\.0\.1:(\d+)/")


def until(condition: Callable[[], object]) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "the condition was not met within 60 s"
        time.sleep(0.02)


class Member:
    """A gateway or a worker."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, *, is_worker: bool) -> None:
        self.process = process
        self.is_worker = is_worker
        self.port = port
        self.http = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60)

    def connect(self, path: str) -> ClientConnection:
        # Without a bound it reads, and answers pings, also while the test waits for something else.
        return connect(f"ws://127.0.0.1:{self.port}{path}", max_size=None, max_queue=None)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(60)

    def terminate(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    def run(self, source: str, **more: Any) -> Client:
        """Run a program, and return the client that follows it."""
        return Client(self, order={"command": "run", "source": source, **more})

    def follow(self, session: str, after: int = -1) -> Client:
        return Client(self, session=session, after=after)

    def events(self, session: str) -> list[str]:
        with self.follow(session) as client:
            client.to_end()
            return client.events

    def health(self) -> dict[str, Any]:
        found: dict[str, Any] = self.http.get("/api/health").json()
        return found


class Client:
    """Follows a session; `events` are the lines of its log as they came."""

    def __init__(
        self, member: Member, *, order: dict[str, Any] | None = None, session: str = "", after: int = -1
    ) -> None:
        self.answers: list[dict[str, Any]] = []
        self.notices: list[dict[str, Any]] = []
        self.events: list[str] = []
        self.after = after
        self.end: dict[str, Any] | None = None
        self._closing = contextlib.ExitStack()
        if order is not None:
            self.socket = self._closing.enter_context(member.connect("/api/run"))
            self.socket.send(json.dumps(order))
            first = json.loads(self.socket.recv(timeout=60))
            assert "session" in first, first
            self.session: str = first["session"]
        else:
            self.session = session
            path = f"/api/sessions/{session}/events?after={after}"
            self.socket = self._closing.enter_context(member.connect(path))

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_error: object) -> None:
        self._closing.close()

    def send(self, **command: Any) -> None:
        self.socket.send(json.dumps(command))

    def receive(self, timeout: float = 60) -> None:
        """Take the next message."""
        message = json.loads(self.socket.recv(timeout=timeout))
        for event in message.get("events", ()):
            assert event["seq"] == self.after + 1, "an event is missing or doubled"
            self.after += 1
            self.events.append(json.dumps(event))
        if "answer" in message:
            self.answers.append(message)
        if "notices" in message:
            self.notices = message["notices"]
        if "end" in message:
            self.end = message

    def until(self, condition: Callable[[], object]) -> None:
        while not condition():
            assert self.end is None, "the run is over"
            self.receive()

    def until_kind(self, kind: str, count: int = 1) -> dict[str, Any]:
        """Take messages until that many events of a kind have come, and return the last of them."""
        opening = f'{{"kind": "{kind}"'

        def found() -> list[str]:
            return [line for line in self.events if line.startswith(opening)]

        self.until(lambda: len(found()) >= count)
        event: dict[str, Any] = json.loads(found()[count - 1])
        return event

    def answer(self, identity: int) -> dict[str, Any]:
        self.until(lambda: any(one["id"] == identity for one in self.answers))
        return next(one for one in self.answers if one["id"] == identity)

    def to_end(self) -> None:
        while self.end is None:
            self.receive()


class FleetProcesses:
    """A Redis, and the gateways and workers on it."""

    def __init__(self, redis: RedisServer, **settings: Any) -> None:
        self.redis = redis
        self.settings = {"fleet_lease_seconds": 1, **settings}
        self.members: list[Member] = []

    def start(self, *arguments: str, **settings: Any) -> Member:
        """Start a command of the server, and wait until it says its address."""
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT / "engine"), str(ROOT / "server")]),
            "BACKSCOPE_STORAGE": "off",
            "BACKSCOPE_TOKEN": "off",
            **{f"BACKSCOPE_{name.upper()}": str(value) for name, value in {**self.settings, **settings}.items()},
        }
        command = [sys.executable, "-m", "backscope_server", *arguments, "--port", "0"]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)
        assert process.stdout is not None
        said = process.stdout.readline()
        found = _ADDRESS.search(said)
        assert found, said
        self.members.append(Member(process, int(found[1]), is_worker=arguments[0] == "worker"))
        return self.members[-1]

    def gateway(self, **settings: Any) -> Member:
        return self.start("serve", "--no-browser", "--fleet", self.redis.url, **settings)

    def worker(self, **settings: Any) -> Member:
        return self.start("worker", self.redis.url, **settings)

    def workers(self, count: int) -> list[Member]:
        """Return so many workers, of those that are there and new ones; others are stopped."""
        there = [one for one in self.members if one.is_worker and one.process.poll() is None]
        for one in there[count:]:
            one.terminate()
        return [*there[:count], *(self.worker() for _ in range(count - len(there)))]

    def running(self) -> Member:
        """Return the worker that runs a program, once one does."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            for member in self.members:
                if member.is_worker and member.process.poll() is None and member.health()["running"]:
                    return member
            time.sleep(0.02)
        raise AssertionError("no worker runs a program")

    def close(self) -> None:
        for member in self.members:
            member.http.close()
            with contextlib.suppress(ProcessLookupError):
                member.process.kill()
            member.process.wait(60)
            if member.process.stdout is not None:
                member.process.stdout.close()
