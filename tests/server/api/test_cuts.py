"""Protects against loss when connections are cut: a log arrives whole and once, and a program is started once."""

from __future__ import annotations

import contextlib
import io
import json
import random
import re
import secrets

import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import connect

from backscope.protocol import trace

PRINTS = "for i in range(3000):\n    print('line', i)\n"
# The clock of a program does not advance while it sleeps, so it computes to take time.
PACED = "for i in range(400):\n    print('line', i)\n    sum(range(200_000))\n"


class Reader:
    """A client that resumes after the last whole message, as the page does, and keeps the text of the events."""

    def __init__(self, port: int, headers: dict[str, str]) -> None:
        self.port = port
        self.headers = headers
        self.text: list[str] = []
        self.last = -1
        self.session: str | None = None
        self.key = secrets.token_urlsafe(24)
        self.connections = 0

    def read(self, source: str) -> None:
        """Run a program to its end, over as many connections as it takes."""
        command = json.dumps({"command": "run", "source": source, "key": self.key})
        while True:
            path = f"/api/sessions/{self.session}/events?after={self.last}" if self.session else "/api/run"
            self.connections += 1
            assert self.connections < 100
            with contextlib.suppress(ConnectionClosed, InvalidHandshake, OSError, EOFError):
                self._read_on(path, command)
                return

    def _read_on(self, path: str, command: str) -> None:
        address = f"ws://127.0.0.1:{self.port}{path}"
        with connect(address, max_size=None, open_timeout=120, additional_headers=self.headers) as socket:
            if self.session is None:
                socket.send(command)
            while not self._take(socket.recv(timeout=120)):
                pass

    def _take(self, message: str) -> bool:
        if message.startswith('{"events":['):
            body, _, last = message.removeprefix('{"events":[').rpartition('],"last":')
            first = int(re.search(r'"seq":(\d+)', body)[1])
            assert first == self.last + 1
            self.text.append(body)
            self.last = int(last.removesuffix("}"))
            return False
        found = json.loads(message)
        self.session = found.get("session", self.session)
        return "end" in found


@pytest.mark.parametrize("seed", range(3))
def test_a_connection_that_is_cut_twenty_times_loses_and_doubles_nothing(server, lossy, seed):
    chance = random.Random(seed)
    # From within the handshake to far into the stream: sizes of every order.
    cuts = [int(10 ** chance.uniform(0, 4.8)) for _ in range(20)]
    proxy = lossy(server.port, iter(cuts))
    reader = Reader(proxy.port, server.headers)
    reader.read(PRINTS)
    assert proxy.made == 20
    assert reader.connections > 20
    uncut = Reader(server.port, server.headers)
    uncut.session = reader.session
    uncut.read("")
    assert ",".join(reader.text) == ",".join(uncut.text)
    assert session_lines(server, reader.session) == json.loads(f"[{','.join(reader.text)}]")


def test_cuts_while_the_program_is_running(server, lossy):
    chance = random.Random(7)
    proxy = lossy(server.port, (chance.randint(200, 4000) for _ in range(20)))
    reader = Reader(proxy.port, server.headers)
    reader.read(PACED)
    assert proxy.made == 20
    uncut = Reader(server.port, server.headers)
    uncut.session = reader.session
    uncut.read("")
    assert ",".join(reader.text) == ",".join(uncut.text)


@pytest.mark.parametrize("cut", [0, 100, 130, 160, -1, -100, -320])
def test_a_start_that_is_sent_again_starts_the_program_once(server, lossy, cut):
    proxy = lossy(server.port, iter([cut]))
    reader = Reader(proxy.port, server.headers)
    reader.read("print(1)")
    assert proxy.made == 1
    assert json.loads(f"[{','.join(reader.text)}]")[-1]["status"] == "ok"
    started = [session.id for session in server.app.state.sessions.pool._sessions.values() if session.key == reader.key]
    assert started == [reader.session]


def session_lines(server, session):
    content = server.http.get(f"/api/sessions/{session}/trace").content
    return [json.loads(line) for line in trace.load(io.BytesIO(content))]
