"""Protects a server from clients that use up its resources: it keeps its bounds and serves others meanwhile."""

from __future__ import annotations

import collections
import contextlib
import json
import logging
import socket
import struct
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from backscope.program import runner
from backscope.protocol import trace
from backscope_server.api import past

ORDINARY = "import torch\nx = torch.ones(3, requires_grad=True)\n(x * x).sum().backward()\n"
HOLDS = "import torch\nx = torch.arange(400.0)\nprint(x.sum())\n"

FORGES_ANSWERS = """\
import json, os
from backscope_server.sandbox import control, order_pipe
for kind in (control.Control, order_pipe.Lines):
    kind.pending = lambda self: False
buffer = b""
while True:
    buffer += os.read(3, 65536)
    while b"\\n" in buffer:
        line, _, buffer = buffer.partition(b"\\n")
        look = {"type": "str", "text": "x" * 200_000, "tensor": None, "value": None}
        answer = {"answer": "evaluated", "id": json.loads(line)["id"], "look": look, "output": ""}
        data = json.dumps(answer).encode() + b"\\n"
        while data:
            data = data[os.write(4, data):]
"""

FORGES_A_LOG = """\
import os, random
def write(data):
    while data:
        data = data[os.write(4, data):]
for seq in range(1, COUNT):
    name = random.randbytes(4000).hex()
    write(b'{"kind":"tensor_named","seq":%d,"line":1,"tensor":1,"name":"%b"}\\n' % (seq, name.encode()))
write(b'{"kind":"program_finished","seq":COUNT,"line":null,"status":"ok"}\\n')
while True: pass
"""


def forging(count: int) -> str:
    """Return a program that writes a log of so many events, 8 KB each, which do not compress well."""
    return FORGES_A_LOG.replace("COUNT", str(count))


def until(holds, seconds: float = 120) -> None:
    """Wait for a state."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "the state was not reached"
        time.sleep(0.02)


def client(server, address: str) -> httpx.Client:
    """Return a client that connects from another address of this machine."""
    transport = httpx.HTTPTransport(local_address=address)
    return httpx.Client(base_url=server.url, timeout=120, headers=server.headers, transport=transport)


def started(http: httpx.Client, source: str) -> str:
    answer = http.post("/api/sessions", json={"source": source})
    assert answer.status_code == 201, answer.text
    identity: str = answer.json()["session"]
    return identity


def over(http: httpx.Client, session: str) -> str:
    """Return the status of a run once it is over; "gone" if it has been removed."""
    found: list[str] = []

    def ended() -> bool:
        answer = http.get(f"/api/sessions/{session}")
        found.append("gone" if answer.status_code == 404 else answer.json()["status"])
        return found[-1] not in ("running", "waiting")

    until(ended)
    return found[-1]


def raw(server, address: str, request: str, version: str = "1.1") -> socket.socket:
    """Open a connection that has sent a request and reads nothing by itself."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.bind((address, 0))
    made.connect(("127.0.0.1", server.port))
    first, _, rest = request.partition("\n")
    token = server.headers["authorization"]
    made.sendall(
        f"{first} HTTP/{version}\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: {token}\r\n{rest}\r\n".encode()
    )
    return made


UPGRADE = (
    "\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)


def frame(text: str) -> bytes:
    """Encode a text message as a client sends it, with a mask of zeros."""
    data = text.encode()
    return b"\x81" + bytes([0x80 | len(data)]) + bytes(4) + data


def unread(server) -> int:
    """Return the bytes that wait for clients in the server's own buffers."""
    connections = list(server.server.server_state.connections)
    return sum(connection.transport.get_write_buffer_size() for connection in connections)


def test_unread_answers_are_bounded_and_freed(new_server):
    with (
        new_server(unread_bytes=1 << 21, stalled_seconds=60, socket_messages=10_000) as server,
        client(server, "127.0.0.2") as http,
    ):
        room = server.app.state.unread
        session = started(http, FORGES_ANSWERS)
        with contextlib.ExitStack() as stuck:
            path = f"/api/sessions/{session}/events?after=-1"
            sockets = [stuck.enter_context(raw(server, "127.0.0.2", f"GET {path}{UPGRADE}")) for _ in range(12)]
            for one in sockets:
                assert b"101 Switching" in one.recv(100)
            held: list[int] = []

            def ask() -> bool:
                """Send commands until the system buffers are full of answers and more wait in the server."""
                for one in sockets:
                    one.sendall(frame(json.dumps({"command": "evaluate", "id": len(held), "expression": "1"})))
                time.sleep(0.05)
                held.append(room._total)
                return len(held) > 10 and min(held[-5:]) > 0

            until(ask)
            assert max(held) <= 1 << 19  # The quarter of one address.
            assert unread(server) <= 12 * (1 << 17) + (1 << 19)
            # Who reads gets an answer to everything, if only that there was no room for it.
            with server.connect(f"/api/sessions/{session}/events?after=-1") as socket:
                socket.send(json.dumps({"command": "evaluate", "id": 99, "expression": "1"}))
                while "answer" not in (message := json.loads(socket.recv(timeout=120))):
                    pass
                assert message["id"] == 99
        until(lambda: room._total == 0)


def test_large_logs_cost_sessions_of_their_own_address_only(new_server):
    kept = 2 << 20
    with (
        new_server(kept_bytes=kept, storage="off", running=4) as server,
        client(server, "127.0.0.2") as hostile,
        client(server, "127.0.0.3") as other,
        client(server, "127.0.0.4") as ordinary,
    ):
        mine = [started(ordinary, f"{ORDINARY}# {number}") for number in range(3)]
        assert {over(ordinary, session) for session in mine} == {"ok"}
        sources = [f"{forging(400)}# {number}" for number in range(3)]
        started_runs = [(http, started(http, source)) for source in sources for http in (hostile, other)]
        ends = {over(http, session) for http, session in started_runs}
        assert ends & {"limit", "gone"}
        assert over(ordinary, started(ordinary, ORDINARY)) == "ok"
        assert {over(ordinary, session) for session in mine} == {"ok"}
        holdings = server.app.state.sessions.pool._holdings
        until(lambda: holdings.total <= kept)


def test_values_for_others_arrive_while_one_client_floods_with_requests(new_server, monkeypatch):
    going = threading.Event()
    read_elements = past.read_elements

    def slow(lines, seq, command, yield_thread):
        if command.tensor == 1000:
            going.wait(120)
        return read_elements(lines, seq, command, yield_thread)

    monkeypatch.setattr(past, "read_elements", slow)
    with new_server() as server, client(server, "127.0.0.2") as http, client(server, "127.0.0.3") as other:
        session, own = started(http, ORDINARY), started(other, HOLDS)
        over(http, session)
        over(other, own)

        def ask(_number: int) -> int:
            with client(server, "127.0.0.2") as flooding:
                body = {"seq": 1, "tensor": 1000}
                return flooding.post(f"/api/sessions/{session}/values", json=body).status_code

        with ThreadPoolExecutor(14) as pool:
            try:
                flood = [pool.submit(ask, number) for number in range(14)]
                until(lambda: server.app.state.work._pieces["127.0.0.2"] == 10)
                last = other.get(f"/api/sessions/{own}").json()["events"] - 1
                answer = other.post(f"/api/sessions/{own}/values", json={"seq": last, "tensor": 1})
                assert answer.status_code in (200, 409)
            finally:
                going.set()
        assert sorted({one.result() for one in flood}) == [409, 429]


def test_downloads_that_stall_are_dropped_and_hold_little(new_server):
    with (
        new_server(kept=1, storage="off", stalled_seconds=2, unread_bytes=8 << 20, log_bytes=1 << 25) as server,
        client(server, "127.0.0.2") as http,
        contextlib.ExitStack() as stuck,
    ):
        session = started(http, forging(2400))
        assert over(http, session) == "ok"
        log = server.app.state.sessions.pool.find(session).log
        for _ in range(4):
            stuck.enter_context(raw(server, "127.0.0.2", f"GET /api/sessions/{session}/trace\n"))
        until(lambda: unread(server) > 0)
        assert unread(server) <= 4 * (1 << 18)
        over(http, started(http, ORDINARY))  # Forgets the first one.
        assert log.nbytes == 0
        until(lambda: unread(server) == 0)
        until(lambda: server.app.state.unread._total == 0)


@pytest.mark.parametrize("version", ["1.1", "1.0"])
def test_the_download_of_a_removed_run_does_not_end_like_a_whole_one(new_server, caplog, version):
    with (
        new_server(kept=1, storage="off", stalled_seconds=60, log_bytes=1 << 25) as server,
        client(server, "127.0.0.2") as http,
    ):
        session = started(http, forging(2400))
        assert over(http, session) == "ok"
        log = server.app.state.sessions.pool.find(session).log
        with raw(server, "127.0.0.2", f"GET /api/sessions/{session}/trace\n", version) as reading:
            until(lambda: unread(server) > 0)
            over(http, started(http, ORDINARY))  # Forgets the first one.
            assert log.nbytes == 0
            with pytest.raises(ConnectionResetError):
                collections.deque(iter(lambda: reading.recv(1 << 16), b""), 0)
        until(lambda: server.app.state.unread._total == 0)
        assert http.get(f"/api/sessions/{session}/trace").status_code == 404
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_bodies_that_come_slowly_leave_room_for_others(new_server):
    lines: list[bytes] = []
    runner.run(ORDINARY + f"#{'x' * 40_000}", lambda batch: lines.extend(batch.splitlines()))
    recorded = trace.pack(lines)
    size = 1 << 18
    with (
        new_server(trace_bytes=size, arriving_bytes=4 * size, request_seconds=120) as server,
        contextlib.ExitStack() as stuck,
        client(server, "127.0.0.9") as http,
    ):
        for number in range(6):
            request = f"POST /api/traces\nContent-Length: {size}\r\n"
            stuck.enter_context(raw(server, f"127.0.0.{2 + number % 2}", request))
        room = server.app.state.arriving
        until(lambda: room._total == 2 * size)  # One of each address; the others wait.
        assert len(recorded) < size
        answer = http.post("/api/traces", content=recorded)
        assert answer.status_code == 201, answer.text


def test_clients_that_leave_are_no_failures(new_server):
    records: list[logging.LogRecord] = []
    handler = logging.Handler()
    handler.emit = records.append
    loggers = [logging.getLogger(name) for name in ("uvicorn.error", "asyncio", "backscope_server")]
    for logger in loggers:
        logger.addHandler(handler)
    try:
        with new_server(stalled_seconds=1) as server, client(server, "127.0.0.2") as http:
            session = started(http, "for i in range(2000):\n    print('x' * 90)\n")
            over(http, session)
            requests = [
                f"GET /api/sessions/{session}/events?after=-1{UPGRADE}",
                f"GET /api/run{UPGRADE}",
                f"GET /api/nothing{UPGRADE}",
                f"GET /api/sessions/{session}/trace\n",
                "GET /api/ops\n",
                f"GET /api/sessions/{session}/questions\n",
                "POST /api/traces\nContent-Length: 100000\r\n",
                "POST /api/sessions\nContent-Length: 100\r\n",
                f"POST /api/sessions/{session}/values\nContent-Length: 100\r\n",
                f"POST /api/sessions/{session}/ask\nContent-Length: 3\r\n\r\n{{}}\n",
            ]
            for request in requests * 2:
                made = raw(server, "127.0.0.2", request)
                # Closed at once, what is on its way is answered by a reset.
                made.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                made.close()
            until(lambda: len(server.server.server_state.tasks) == 0)
    finally:
        for logger in loggers:
            logger.removeHandler(handler)
    assert [record.getMessage() for record in records if record.exc_info] == []
