"""Protects editors that are attached to a run of a page's server: both sides share the debugger."""

from __future__ import annotations

import http.server
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from dap_client import Client, Refusal
from websockets.sync.client import ClientConnection

PROGRAM = """import torch

w = torch.tensor([2.0], requires_grad=True)
for i in range(6):
    loss = (w * w).sum()
    loss.backward()
    w.grad = None
print("over")
"""


class Page:
    """A page that runs a program, or follows a run."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.events: list[dict[str, Any]] = []
        self.answers: list[dict[str, Any]] = []
        self.shared: list[int] = []
        self.session = ""

    def take(self) -> None:
        message = json.loads(self.socket.recv(timeout=60))
        self.events += message.get("events", ())
        self.session = message.get("session", self.session)
        if "answer" in message:
            self.answers.append(message)
        for notice in message.get("notices", ()):
            if notice["kind"] == "breakpoints":
                self.shared = [one["line"] for one in notice["terminal"]]

    def send(self, command: str, **fields: Any) -> None:
        self.socket.send(json.dumps({"command": command, **fields}))

    def pauses(self, count: int) -> dict[str, Any]:
        """Wait until the program has stopped so many times; return the last stop."""
        while len(stops := [event for event in self.events if event["kind"] == "paused"]) < count:
            self.take()
        return stops[-1]

    def sees(self, *lines: int) -> None:
        """Wait until these are the lines of the editor's breakpoints."""
        while self.shared != list(lines):
            self.take()


@pytest.fixture
def editor(client: Client) -> Client:
    client.ask("initialize", adapterID="backscope")
    return client


def attach(editor: Client, server: Any, page: Page, **options: Any) -> None:
    editor.ask("attach", url=f"{server.url}/?token={server.token or ''}#run={page.session}&at=3", **options)
    editor.event("initialized")


def test_page_and_editor_share_breakpoints_and_stops(server: Any, editor: Client, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    with server.connect("/api/run") as socket:
        page = Page(socket)
        line = {"on": "line", "id": 1, "line": 7}
        page.send("run", source=PROGRAM, breakpoints=[line])
        assert page.pauses(1)["breakpoints"] == [1]
        attach(editor, server, page, program=str(path))
        [point] = editor.ask("setBreakpoints", source={"path": str(path)}, breakpoints=[{"line": 6}])["breakpoints"]
        assert point["verified"]
        editor.ask("configurationDone")
        assert editor.stop()["reason"] == "pause"
        assert editor.frames()[0]["line"] == 7, "where the page has it stopped"
        page.sees(6)
        # The editor goes on to its own breakpoint, and the page is there too.
        assert editor.go()["reason"] == "breakpoint"
        assert page.pauses(2)["line"] == 6
        assert editor.ask("evaluate", expression="i", frameId=editor.frames()[0]["id"])["result"] == "1"
        # The page goes on to its breakpoint, and the editor follows.
        page.send("resume", id=5)
        assert page.pauses(3)["line"] == 7
        editor.event("continued")
        assert editor.stop()["reason"] == "step"
        assert editor.frames()[0]["line"] == 7
        # The past is read by a run of the server's.
        editor.go("stepBack")
        assert editor.go("stepBack")["text"].startswith("MulBackward0 multiplies the incoming")
        frame = editor.frames()[0]
        assert editor.ask("evaluate", expression="i", frameId=frame["id"])["result"] == "1"
        # The page removes the editor's breakpoint, then the editor leaves; its run goes on.
        page.send("set_breakpoints", id=6, breakpoints=[], removed=[point["id"]])
        page.sees()
        editor.ask("disconnect")
        page.send("resume", id=7)
        while page.events[-1]["kind"] != "program_finished":
            page.take()
        assert page.events[-1]["status"] == "ok"


def test_editors_of_one_run_keep_their_own_breakpoints(server: Any) -> None:
    with server.connect("/api/run") as socket:
        page = Page(socket)
        page.send("run", source=PROGRAM, pause=True)
        page.pauses(1)
        path = f"/api/sessions/{page.session}/events?as=editor"
        with server.connect(path) as first:
            one = Page(first)
            one.send("set_breakpoints", id=1, breakpoints=[{"on": "line", "id": 5001, "line": 5}])
            page.sees(5)
            with server.connect(path) as second:
                another = Page(second)
                another.send("set_breakpoints", id=1, breakpoints=[{"on": "line", "id": 6001, "line": 6}])
                page.sees(5, 6)
                page.send("resume", id=2)
                assert page.pauses(2)["breakpoints"] == [5001]
                page.send("resume", id=3)
                assert page.pauses(3)["breakpoints"] == [6001]
            page.sees(5)
        page.sees()


def test_an_editor_that_leaves_takes_its_breakpoints_along(server: Any, editor: Client) -> None:
    with server.connect("/api/run") as socket:
        page = Page(socket)
        page.send("run", source=PROGRAM, pause=True)
        page.pauses(1)
        attach(editor, server, page)
        [source] = editor.ask("loadedSources")["sources"]
        assert Path(source["path"]).read_text() == PROGRAM, "a copy, where the editor names no file"
        editor.ask("setBreakpoints", source={"path": source["path"]}, breakpoints=[{"line": 6}])
        editor.ask("configurationDone")
        page.sees(6)
        editor.ask("disconnect")
        page.sees()
        page.send("resume", id=1)
        while page.events[-1]["kind"] != "program_finished":
            page.take()
        assert sum(event["kind"] == "paused" for event in page.events) == 1


def test_a_run_that_goes_on_is_followed_and_one_can_be_ended(server: Any, editor: Client) -> None:
    with server.connect("/api/run") as socket:
        page = Page(socket)
        page.send("run", source=PROGRAM.replace("range(6)", "iter(int, 1)"))
        while len(page.events) < 50:
            page.take()
        attach(editor, server, page)
        with pytest.raises(Refusal, match="The program is running"):
            editor.ask("stackTrace", threadId=1)
        editor.ask("configurationDone")
        editor.ask("pause", threadId=1)
        assert editor.stop()["reason"] == "pause"
        with pytest.raises(Refusal, match="run of a page"):
            editor.ask("restart")
        editor.ask("terminate")
        while page.events[-1]["kind"] != "program_finished":
            page.take()
        assert page.events[-1]["status"] == "stopped"


def test_what_cannot_be_attached_to_is_said(server: Any, editor: Client, tmp_path: Path) -> None:
    for asked, reason in (
        ({}, "`url` is to be the address of a page"),
        ({"url": "file:///x#run=a"}, "`url` is to be the address"),
        ({"url": "http://[::1#run=a"}, "`url` is to be the address"),
        ({"url": server.url}, "`session` is to be the id of a run"),
        ({"url": server.url, "session": "../x"}, "`session` is to be the id"),
        ({"url": server.url, "session": "nothing", "token": server.token}, "has no run nothing"),
        ({"url": "http://127.0.0.1:1/#run=a"}, "no server of Backscope that answers"),
    ):
        with pytest.raises(Refusal, match=reason):
            editor.ask("attach", **asked)
    session = server.start(PROGRAM)
    other = tmp_path / "other.py"
    other.write_text(PROGRAM.replace("2.0", "3.0"))
    with pytest.raises(Refusal, match=r"other.py is not the program of this run: line 3 differs"):
        editor.ask("attach", url=server.url, session=session, token=server.token, program=str(other))


class Other(http.server.BaseHTTPRequestHandler):
    """A server that answers every request in one way."""

    answer = b""

    def handle(self) -> None:
        self.rfile.readline()
        self.wfile.write(self.answer)

    def log_message(self, *_arguments: Any) -> None:
        pass


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"220 mail.example\r\n", "no server of Backscope that answers"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]", "no server of Backscope that answers"),
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "has no run a"),
        (
            b'HTTP/1.1 503 Busy\r\nConnection: close\r\n\r\n{"error": {"message": "Try again later."}}',
            "answers 503: Try again later.",
        ),
        (b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n", "answers 502: Bad Gateway"),
    ],
)
def test_a_server_that_does_not_give_the_run_is_said_to_be_so(editor: Client, answer: bytes, reason: str) -> None:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Given", (Other,), {"answer": answer})) as other:
        thread = threading.Thread(target=other.serve_forever)
        thread.start()
        try:
            with pytest.raises(Refusal, match=reason):
                editor.ask("attach", url=f"http://127.0.0.1:{other.server_port}/#run=a")
        finally:
            other.shutdown()
            thread.join()


def test_a_server_with_a_token_wants_it(new_server: Any, editor: Client) -> None:
    with new_server(token="secret-of-the-server") as server:
        session = server.start(PROGRAM)
        with pytest.raises(Refusal, match="The server requires its token"):
            editor.ask("attach", url=f"{server.url}/#run={session}")
        editor.ask("attach", url=f"{server.url}/?token=secret-of-the-server#run={session}")


def test_the_test_client_of_vscode_attaches(server: Any, node: Path, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    with server.connect("/api/run") as socket:
        page = Page(socket)
        page.send("run", source=PROGRAM, pause=True)
        page.pauses(1)
        url = f"{server.url}/?token={server.token or ''}#run={page.session}"
        script = [
            str(node),
            str(Path(__file__).with_name("vscode_attached_client.mjs")),
            sys.executable,
            url,
            str(path),
        ]
        done = subprocess.run(script, capture_output=True, text=True, timeout=300, check=False)
        assert done.stdout == "whole\n", done.stderr
        while page.events[-1]["kind"] != "program_finished":
            page.take()
        assert page.events[-1]["status"] == "stopped"
