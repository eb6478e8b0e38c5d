"""Protects a whole server and its programs on a system without what Windows lacks, which bereft.py takes away."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from websockets.sync.client import ClientConnection, connect

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the place of Windows is taken by Linux")

SCRIPT = Path(__file__).with_name("bereft.py")
SETTINGS = {
    "BACKSCOPE_SANDBOX": "limited",
    "BACKSCOPE_WALL_SECONDS": "30",
    "BACKSCOPE_CPU_SECONDS": "60",
    "BACKSCOPE_UNWATCHED_SECONDS": "300",
}
BACKWARD = """import torch

x = torch.tensor([2.0, 3.0], requires_grad=True)
y = (x * x).sum()
y.backward()
print(x.grad)
"""
ENDLESS = "import torch\nn = 0\nprint('on')\nwhile True:\n    n += 1\n"


class Here:
    """A server in a process of its own."""

    def __init__(self, storage: Path, *script: str, **settings: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *(script or [str(SCRIPT)]), "serve", "--no-browser", "--port", "0"],
            env={**os.environ, **SETTINGS, **settings, "BACKSCOPE_STORAGE": str(storage)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        found = re.search(r"http://([\d.:]+)/\?token=(\S+)", said)
        assert found is not None, said + self.kill()
        self.at, self.token = found[1], found[2]
        self.headers = {"authorization": f"Bearer {self.token}"}
        self.http = httpx.Client(base_url=f"http://{self.at}", headers=self.headers, timeout=60)

    def kill(self) -> str:
        if hasattr(self, "http"):
            self.http.close()
        self.process.kill()
        return self.process.communicate()[1]

    @contextlib.contextmanager
    def run(self, source: str, **options: Any) -> Iterator[Page]:
        with connect(f"ws://{self.at}/api/run", additional_headers=self.headers, max_size=None) as socket:
            socket.send(json.dumps({"command": "run", "source": source, **options}))
            yield Page(socket)

    def finish(self, source: str) -> list[dict[str, Any]]:
        with self.run(source) as page:
            return page.end()


class Page:
    """The WebSocket of a run, and all messages that it received."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.session: str = json.loads(socket.recv(timeout=60))["session"]
        self.events: list[dict[str, Any]] = []
        self.answers: dict[int, dict[str, Any]] = {}
        self.over = False

    def until(self, seen: Callable[[], Any]) -> Any:
        """Read messages until a condition holds."""
        while not (found := seen()):
            assert not self.over, self.events[-3:]
            message = json.loads(self.socket.recv(timeout=60))
            self.events += message.get("events", [])
            if "answer" in message:
                self.answers[message["id"]] = message
            self.over = "end" in message
        return found

    def end(self) -> list[dict[str, Any]]:
        self.until(lambda: self.over)
        assert [event["seq"] for event in self.events] == list(range(len(self.events)))
        return self.events

    def event(self, kind: str, after: int = -1) -> dict[str, Any]:
        """Return the first event of a kind after an event."""
        found: dict[str, Any] = self.until(
            lambda: next((e for e in self.events if e["kind"] == kind and e["seq"] > after), None)
        )
        return found

    def ask(self, number: int, command: str, **fields: Any) -> dict[str, Any]:
        self.socket.send(json.dumps({"command": command, "id": number, **fields}))
        found: dict[str, Any] = self.until(lambda: self.answers.get(number))
        return found


def printed(events: list[dict[str, Any]]) -> str:
    return "".join(event["text"] for event in events if event["kind"] == "output_printed")


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("storage")


@pytest.fixture(scope="module")
def here(storage: Path) -> Iterator[Here]:
    found = Here(storage)
    yield found
    said = found.kill()
    assert "Traceback" not in said, said


def test_a_program_runs_to_its_end(here):
    with here.run(BACKWARD) as page:
        events = page.end()
    assert (events[-1]["status"], printed(events)) == ("ok", "tensor([4., 6.])\n")
    found = here.http.get(f"/api/sessions/{page.session}").json()
    assert found["status"] == "ok"


def test_health_reports_that_nothing_isolates_programs(here):
    health = here.http.get("/api/health").json()
    assert (health["sandboxed"], health["status"]) == (False, "ok")


def test_programs_lack_what_was_taken_away_too(here):
    source = (
        "import os, signal, select, sys\n"
        "print([hasattr(os, 'fork'), hasattr(signal, 'setitimer'), hasattr(select, 'poll'), sys.modules['fcntl']])\n"
        "try:\n    select.select([3], [], [], 0)\nexcept OSError as error:\n    print(error.errno)\n"
    )
    assert printed(here.finish(source)) == "[False, False, False, None]\n10038\n"


def test_an_endless_program_shows_itself_is_paused_looked_into_and_stopped(here):
    with here.run(ENDLESS) as page:
        page.event("output_printed")  # While it runs: nothing but the timer of a thread writes it.
        assert page.ask(1, "pause")["answer"] == "done"
        stopped = page.event("paused")
        assert stopped["line"] in (4, 5)
        first = int(page.ask(2, "evaluate", expression="n")["look"]["text"])
        page.ask(3, "resume")
        page.event("resumed", stopped["seq"])
        page.ask(4, "pause")
        page.event("paused", stopped["seq"])
        assert int(page.ask(5, "evaluate", expression="n")["look"]["text"]) > first
        page.socket.send(json.dumps({"command": "stop"}))
        assert page.end()[-1]["status"] == "stopped"


def test_steps_and_breakpoints(here):
    with here.run(BACKWARD, pause=True) as page:
        assert page.event("paused")["line"] == 1
        placed = page.ask(1, "set_breakpoints", breakpoints=[{"id": 1, "on": "op", "name": "MulBackward0"}])
        assert placed["answer"] == "breakpoints_set"
        before = page.events[-1]["seq"]
        page.ask(2, "step", to="line")
        line = page.event("paused", before)
        assert line["line"] == 3
        page.ask(3, "resume")
        node = page.event("paused", line["seq"])
        assert node["where"] == "before node"
        page.ask(4, "step", to="node")
        after = page.event("paused", node["seq"])
        assert after["node"] != node["node"]
        page.ask(5, "step", to="end")
        page.socket.send(json.dumps({"command": "resume", "id": 6}))
        assert printed(page.end()) == "tensor([4., 6.])\n"


def test_a_run_that_is_out_of_time_ends_at_its_line(tmp_path):
    short = Here(tmp_path, BACKSCOPE_WALL_SECONDS="8")
    try:
        events = short.finish(ENDLESS)
    finally:
        short.kill()
    assert (events[-1]["status"], events[-2]["type"]) == ("limit", "TimeLimitExceeded")
    assert events[-2]["line"] in (4, 5)


@pytest.mark.parametrize(
    ("source", "kind", "words"),
    [
        ("import os\nos._exit(3)\n", "ProgramDied", "exit status 3"),
        ("import ctypes\nctypes.string_at(0)\n", "ProgramDied", "crashed in native code"),
        ("while True:\n    print('A' * 60000)\n", "OutputLimitExceeded", "printed more"),
    ],
)
def test_a_process_that_dies_gives_the_reason(here, source, kind, words):
    events = here.finish(source)
    assert (events[-1]["status"], events[-2]["type"]) == ("limit", kind)
    assert words in events[-2]["message"]


def test_a_long_source_gets_through(here):
    assert printed(here.finish(f"x = '{'y' * 300_000}'\nprint(len(x))\n")) == "300000\n"


def test_values_of_the_past_are_read_by_running_again(here):
    with here.run("import torch\nx = torch.arange(1000.0)\nx.mul_(2)\nprint('end')\n") as page:
        events = page.end()
    made = next(event for event in events if event["kind"] in ("tensor_created", "op_applied"))
    tensor = (made["info"] if "info" in made else made["outputs"][0])["tensor"]
    body = {"seq": len(events) - 1, "tensor": tensor, "begin": [998], "end": [1000]}
    answer = here.http.post(f"/api/sessions/{page.session}/values", json=body)
    assert answer.status_code == 200, answer.text
    assert (answer.json()["source"], answer.json()["values"]) == ("run", [1996.0, 1998.0])


def test_a_server_that_was_killed_and_one_that_follows_keep_runs_and_token(tmp_path):
    first = Here(tmp_path)
    with first.run(BACKWARD) as page, first.run("print('on')\nwhile True: pass\n") as endless:
        page.end()
        endless.event("output_printed")
        kept, part = (tmp_path / "runs" / name for name in (f"{page.session}.backscope", f"{endless.session}.part"))
        while not kept.exists() or not part.exists() or not part.stat().st_size:
            time.sleep(0.05)
        programs = psutil.Process(first.process.pid).children()
    first.kill()
    assert programs and not psutil.wait_procs(programs, timeout=60)[1]  # They end with it.
    second = Here(tmp_path)
    try:
        assert second.token == first.token
        assert second.http.get(f"/api/sessions/{page.session}").json()["status"] == "ok"
        assert second.http.get(f"/api/sessions/{endless.session}").json()["status"] == "cut"
        assert not list(tmp_path.glob("runs/*.part"))
    finally:
        said = second.kill()
    assert "Traceback" not in said, said


def test_an_endless_program_ends_with_a_killed_server_where_pipes_can_be_watched_too(tmp_path):
    server = Here(tmp_path, "-m", "backscope_server")
    with server.run("print('on')\nwhile True: pass\n") as endless:
        endless.event("output_printed")
        programs = psutil.Process(server.process.pid).children()
    server.kill()
    assert programs and not psutil.wait_procs(programs, timeout=60)[1]
