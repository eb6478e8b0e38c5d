"""Protects against loss: processes killed at any time, clients that never read, folders that are removed.

Each log stays whole, each ending has its sentence, and nothing is left behind.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from backscope_server.api import page

TOKEN = "a-token-of-the-tests"
PRINTS = "for i in range(3000):\n    print('line', i)\n"
# The clock of a program does not advance while it sleeps, so it computes to take time.
ENDLESS = "x = 1\n\nwhile True:\n    print(x)\n    sum(range(500_000))\n"

needs_page = pytest.mark.skipif(not page.is_built(), reason="the page is not built here; tests/packaging builds it")


def send_only(server, path, receive=4096):
    """Open a WebSocket that is never read, with a small window, so that little fits into the system's buffers."""
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
    raw.connect(("127.0.0.1", server.port))
    key = "dGhlIHNhbXBsZSBub25jZQ=="
    token = server.headers["authorization"]
    raw.sendall(
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: {token}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    return raw


LOUD = "for i in range(20_000):\n    print('x' * 500)\n"
ROOMY = {"events": 200_000, "output_bytes": 1 << 28, "log_bytes": 1 << 28, "frame_bytes": 1 << 20}


def test_clients_that_never_read_are_dropped_and_may_resume(new_server):
    with new_server(**ROOMY, stalled_seconds=2) as server:
        session = server.start(LOUD)
        path = f"/api/sessions/{session}/events?after=-1"
        stuck = [send_only(server, path) for _ in range(20)]
        events, _ = server.follow(session)  # The run and another reader go on.
        assert events[-1]["status"] == "ok"
        until = time.monotonic() + 120
        while server.server.server_state.tasks and time.monotonic() < until:
            time.sleep(0.05)
        assert not server.server.server_state.tasks, "the server still waits for clients that do not read"
        assert server.follow(session, 5000)[0] == events[5001:]
        for raw in stuck:
            raw.close()


def test_the_cost_of_a_client_that_never_reads_is_bounded(new_server):
    with new_server(**ROOMY, stalled_seconds=60) as server:
        session = server.start(LOUD)
        server.follow(session)
        path = f"/api/sessions/{session}/events?after=-1"
        with contextlib.ExitStack() as stuck:
            for _ in range(10):
                stuck.enter_context(send_only(server, path))

            def held() -> list[int]:
                return [c.transport.get_write_buffer_size() for c in list(server.server.server_state.connections)]

            looks: list[int] = []

            def full() -> bool:
                """Return whether the bytes that wait in the server were equal at the last twenty looks."""
                looks.append(sum(held()))
                return looks[-1] > 0 and len(looks) >= 20 and len(set(looks[-20:])) == 1

            until(full)
            assert sum(held()) <= 10 * 2 * (1 << 20)  # A message each, not a log of ten megabytes each.


def test_a_slow_client_is_not_dropped(new_server):
    with new_server(**ROOMY, stalled_seconds=2, frame_seconds=0) as server:
        session = server.start(LOUD)
        server.follow(session)
        raw = send_only(server, f"/api/sessions/{session}/events?after=-1", receive=1 << 16)
        received = 0
        tail = b""
        while b'{"end":true' not in tail:
            data = raw.recv(1 << 17)
            assert data
            received += len(data)
            tail = (tail + data)[-200:]
            time.sleep(0.03)
        raw.close()
        assert received > 10_000_000


class Process:
    """`backscope serve` in a process of its own, with its data in a folder of the test."""

    def __init__(self, folder: Path, **settings: object) -> None:
        self.folder = folder
        settings = {"storage": folder, "token": TOKEN, **settings}
        self.settings = {f"BACKSCOPE_{name.upper()}": str(value) for name, value in settings.items()}
        self.port = 0
        self.headers = {"authorization": f"Bearer {TOKEN}"}
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "backscope_server", "serve", "--port", str(self.port), "--no-browser"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={
                **os.environ,
                "PYTHONUNBUFFERED": "1",
                "BACKSCOPE_STORAGE": str(self.folder),
                "BACKSCOPE_TOKEN": TOKEN,
                **self.settings,
            },
        )
        assert self.process.stdout is not None
        said = ""
        # A start that takes long says first what it does.
        for line in self.process.stdout:
            said += line
            if found := re.search(r"http://127.0.0.1:(\d+)", line):
                break
        else:
            raise AssertionError(said)
        self.port = int(found[1])
        self.http = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=120, headers=self.headers)

    def run(self, source: str) -> str:
        return str(self.http.post("/api/sessions", json={"source": source}).json()["session"])

    def count(self, session: str) -> int:
        return int(self.http.get(f"/api/sessions/{session}").json()["events"])

    def connect(self, path: str) -> ClientConnection:
        return connect(f"ws://127.0.0.1:{self.port}{path}", max_size=None, additional_headers=self.headers)

    def events(self, session: str, after: int = -1) -> tuple[list[dict[str, object]], dict[str, object]]:
        events: list[dict[str, object]] = []
        with self.connect(f"/api/sessions/{session}/events?after={after}") as opened:
            while "end" not in (message := json.loads(opened.recv(timeout=120))):
                events += message.get("events", [])
        return events, message

    def descendants(self) -> list[int]:
        assert self.process is not None
        found, frontier = [], [self.process.pid]
        while frontier:
            pid = frontier.pop()
            with contextlib.suppress(OSError):
                for task in Path(f"/proc/{pid}/task").iterdir():
                    children = [int(child) for child in (task / "children").read_text().split()]
                    found += children
                    frontier += children
        return found

    def end(self, number: signal.Signals) -> str:
        assert self.process is not None
        self.process.send_signal(number)
        return self.wait()

    def wait(self) -> str:
        assert self.process is not None
        said, _ = self.process.communicate(timeout=120)
        self.http.close()
        return said


@pytest.fixture
def process(tmp_path):
    found = Process(tmp_path / "data", frame_bytes=1 << 20, output_bytes=1 << 28)
    found.start()
    yield found
    if found.process.poll() is None:
        found.end(signal.SIGKILL)


def until(condition, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.02)


def worked(pid):
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])
    return 0


def busiest(pids):
    """Return the process that computes, which has the program, not one that waits for the next."""
    before = {pid: worked(pid) for pid in pids}
    until(lambda: any(worked(pid) >= before[pid] + 20 for pid in pids))
    return max(pids, key=lambda pid: worked(pid) - before[pid])


def gone(pid):
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    return True


@needs_page
def test_a_killed_server_has_its_finished_runs_when_it_comes_back(process):
    whole = process.run(PRINTS)
    before, _ = process.events(whole)
    running = process.run(ENDLESS)
    part = process.folder / "runs" / f"{running}.part"
    until(part.exists)
    with process.connect(f"/api/sessions/{running}/events") as reader:
        seen = json.loads(reader.recv(timeout=120))["events"]
        while len(seen) <= 20:
            seen += json.loads(reader.recv(timeout=120))["events"]
        written = part.stat().st_size
        until(lambda: part.stat().st_size > written)
        children = process.descendants()
        assert len(children) >= 2
        process.end(signal.SIGKILL)
    until(lambda: all(gone(pid) for pid in children))
    process.start()
    assert process.events(whole)[0] == before
    assert process.events(whole, 1000)[0] == before[1001:]
    cut, end = process.events(running)
    assert cut[: len(seen)] == seen
    assert [event["seq"] for event in cut] == list(range(len(cut)))
    assert (cut[-1]["kind"], cut[-1]["status"]) == ("program_finished", "cut")
    # A client that has more events than were kept gets the end, not other events.
    assert process.events(running, len(cut) + 500) == ([], end)
    assert process.http.get(f"/api/sessions/{running}").json()["status"] == "cut"
    assert process.http.get(f"/api/sessions/{whole}/trace").status_code == 200


@needs_page
def test_a_stopped_server_ends_its_runs_with_an_error(process):
    loud = process.run(LOUD)
    before, _ = process.events(loud)
    running = [process.run(ENDLESS) for _ in range(3)]
    # Clients that never read, one of a run that is over and one of a run that is not.
    stuck = [send_only(process, f"/api/sessions/{one}/events?after=-1") for one in (loud, running[0])]
    events: list[dict[str, object]] = []
    with process.connect(f"/api/sessions/{running[1]}/events") as reader:
        until(lambda: process.count(running[1]) > 5)  # Its line is known then.
        children = process.descendants()
        process.process.send_signal(signal.SIGTERM)
        while "end" not in (message := json.loads(reader.recv(timeout=120))):
            events += message.get("events", [])
        with pytest.raises(ConnectionClosed) as closed:
            reader.recv(timeout=120)
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1000
    said = process.wait()
    for raw in stuck:
        raw.close()
    assert "Traceback" not in said
    assert (events[-2]["type"], events[-1]["status"]) == ("ServerStopped", "limit")
    assert "stopped while this program ran" in events[-2]["message"]
    assert events[-2]["line"] in (4, 5)
    until(lambda: all(gone(pid) for pid in children))
    process.start()
    assert process.events(loud)[0] == before
    for session in running:
        assert process.events(session)[0][-2]["type"] == "ServerStopped"


@needs_page
def test_a_killed_child_or_zygote_ends_runs_with_an_error_and_the_next_run_works(process):
    session = process.run(ENDLESS)
    until(lambda: process.count(session) > 20)
    child = busiest(process.descendants())
    os.kill(child, signal.SIGKILL)
    events, _ = process.events(session)
    assert events[-2]["kind"] == "error_raised"
    assert "killed the program" in events[-2]["message"]
    assert events[-2]["line"] in (4, 5)

    running = [process.run(ENDLESS) for _ in range(3)]
    until(lambda: all(process.count(one) > 5 for one in running))
    zygote = process.descendants()[0]
    os.kill(zygote, signal.SIGKILL)
    until(lambda: process.http.get("/api/health").json()["status"] == "starting")
    following = process.run("print(1)")
    with process.connect(f"/api/sessions/{following}/events") as reader:
        assert json.loads(reader.recv(timeout=120)) == {"notices": [{"kind": "starting"}]}
    for one in running:
        events, _ = process.events(one)
        assert "process that started it has died" in events[-2]["message"]
        assert events[-2]["line"] in (4, 5)
    assert process.events(following)[0][-1]["status"] == "ok"
    assert process.http.get("/api/health").json()["status"] == "ok"
    assert zygote not in process.descendants()


def test_a_run_that_cannot_be_kept_says_so_and_stays_open(new_server, tmp_path):
    with new_server(storage=str(tmp_path)) as server:
        (tmp_path / "runs").rename(tmp_path / "away")  # The disk is gone from under the server.
        session = server.start(PRINTS)
        events, end = server.follow(session)
        assert events[-1]["status"] == "ok"
        assert "could not be kept on disk" in end["unkept"]
        assert server.follow(session)[0] == events


def test_runs_that_left_the_memory_come_back_from_the_disk(new_server, tmp_path):
    with new_server(storage=str(tmp_path), kept=2) as server:
        sessions, logs = [], []
        for number in range(5):
            sessions.append(server.start(f"print({number})"))
            logs.append(server.follow(sessions[-1])[0])
        assert len(server.app.state.sessions.pool._sessions) <= 3
        assert [server.follow(session)[0] for session in sessions] == logs
        assert len(server.app.state.sessions.pool._sessions) <= 3
        server.http.delete(f"/api/sessions/{sessions[0]}")
        assert server.http.get(f"/api/sessions/{sessions[0]}").status_code == 404
        damaged = tmp_path / "runs" / f"{sessions[1]}.backscope"
        damaged.write_bytes(damaged.read_bytes()[:-20])
        answer = server.http.get(f"/api/sessions/{sessions[1]}")
        assert answer.status_code == 410
        assert "cut short" in answer.json()["error"]["message"]


@needs_page
def test_a_folder_that_cannot_be_used_is_reported_at_the_start(tmp_path):
    (tmp_path / "file").write_text("")
    done = subprocess.run(
        [sys.executable, "-m", "backscope_server", "serve", "--port", "0", "--no-browser"],
        env={**os.environ, "BACKSCOPE_STORAGE": str(tmp_path / "file")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "BACKSCOPE_STORAGE" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_empty_program_and_one_of_a_megabyte_run(new_server):
    with new_server(source_bytes=1 << 20, event_bytes=4 << 20) as server:
        events, _ = server.follow(server.start(""))
        assert (events[-1]["kind"], events[-1]["status"]) == ("program_finished", "ok")
        line = "x = 1  # " + "y" * 90 + "\n"
        source = line * ((1 << 20) // len(line))
        source += "#" * ((1 << 20) - len(source))
        events, _ = server.follow(server.start(source))
        assert events[0]["source"] == source
        assert events[-1]["status"] == "ok"
        answer = server.http.post("/api/sessions", json={"source": source + "#"})
        assert answer.status_code == 413
        assert "1,048,577 bytes" in answer.json()["error"]["message"]


def test_a_long_run_goes_end_to_end_on_the_defaults(new_server):
    defaults = {"events": 3_000_000, "log_bytes": 1 << 30, "output_bytes": 10 << 20, "wall_seconds": 600}
    with new_server(**defaults, cpu_seconds=300) as server:
        session = server.start("import torch\nx = torch.ones(())\nfor i in range(20_000):\n    x = x + 1\n")
        last = -1
        with server.connect(f"/api/sessions/{session}/events") as opened:
            while "end" not in (message := json.loads(opened.recv(timeout=60))):
                assert message["events"][0]["seq"] == last + 1
                last = message["last"]
        assert last > 20_000
        assert server.http.get(f"/api/sessions/{session}").json() == {
            "session": session,
            "status": "ok",
            "events": last + 1,
        }
