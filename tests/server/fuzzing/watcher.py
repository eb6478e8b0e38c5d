"""A client that follows a run, and asserts that what it receives is what the server may send."""

from __future__ import annotations

import contextlib
import json
import secrets
import time
from collections import Counter

from command_inputs import Frame
from measured_server import PATIENCE, Server
from websockets.exceptions import ConnectionClosed

from backscope.protocol import commands


class Watcher:
    """A client: keeps the messages that it receives, and asserts that each is one that the server may send."""

    def __init__(self, server: Server, path: str, log: dict[int, dict], after: int = -1) -> None:
        self.server = server
        self.log = log
        self.last = after
        self.sent: Counter[int] = Counter()
        self.answered: Counter[int] = Counter()
        self.done = False
        """True where the last answer says that its command was carried out."""
        self.paused = -1
        self.session = None
        self.error = None
        self.end = None
        self.code = None
        self.stack = contextlib.ExitStack()
        self.socket = self.stack.enter_context(server.connect(path))

    @property
    def open(self) -> bool:
        return self.code is None

    def read(self, until, what: str) -> None:
        """Take messages until something holds or the connection is closed."""
        deadline = time.monotonic() + PATIENCE
        while self.open and not until():
            try:
                text = self.socket.recv(timeout=max(0.0, deadline - time.monotonic()))
            except TimeoutError:
                raise AssertionError(f"no {what} within {PATIENCE:g} s") from None
            except ConnectionClosed as closed:
                self.code = 1006 if closed.rcvd is None else closed.rcvd.code
                return
            self.take(json.loads(text))

    def take(self, message) -> None:
        assert self.end is None, f"{message} after the end"
        if "events" in message:
            assert message["last"] == message["events"][-1]["seq"]
            for event in message["events"]:
                assert event["seq"] == self.last + 1
                self.last += 1
                if event["kind"] == "paused":
                    self.paused = self.last
                assert self.log.setdefault(self.last, event) == event
        elif "answer" in message:
            answer = commands.decode_answer(json.dumps(message))
            self.answered[answer.id] += 1
            self.done = isinstance(answer, commands.Done)
            assert self.answered[answer.id] <= self.sent[answer.id], f"{message} answers nothing"
            self.server.counted[f"answer {message['answer']}"] += 1
        elif "session" in message:
            assert self.session is None
            self.session = message["session"]
        elif "end" in message:
            assert message["last"] == max(self.log)
            assert self.last >= message["last"]
            self.end = message
        elif "error" in message:
            assert self.error is None
            self.error = message["error"]["message"]
            assert self.error
        else:
            assert set(message) == {"notices"}, message

    def send(self, text) -> bool:
        """Send a text or a frame; return whether the connection was still open."""
        try:
            if isinstance(text, Frame):
                self.socket.socket.sendall(text)
            else:
                self.socket.send(text)
        except (ConnectionClosed, OSError):
            self.read(lambda: False, "close")
            return False
        return True

    def command(self, command) -> None:
        self.sent[command["id"]] += 1
        self.server.counted["command"] += 1
        self.send(json.dumps(command))

    def await_answers(self) -> None:
        """Wait until each command has its answer; assert that those without one were sent to a run that has ended."""
        self.read(lambda: self.answered == self.sent or self.end is not None, "answer")
        if self.answered != self.sent:
            assert self.end is not None, f"sent {self.sent}, answered {self.answered}, closed with {self.code}"

    def cut(self, politely: bool) -> None:
        if not politely:
            with contextlib.suppress(OSError):
                self.socket.socket.shutdown(2)
        self.stack.close()
        self.code = self.code or 1000


class Run:
    """A run that was started: its watchers, and the log of the events that they received together."""

    def __init__(self) -> None:
        self.key = secrets.token_urlsafe(24)
        self.log: dict[int, dict] = {}
        self.watchers: list[Watcher] = []
        self.session = ""
        self.first: dict = {}
        self.removed = False
