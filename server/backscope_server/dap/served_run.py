"""A run of a page's server that an editor is attached to, over the WebSocket that pages have."""

from __future__ import annotations

import json
import queue
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from http import HTTPStatus
from http.client import HTTPException
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection, connect

from backscope.protocol import commands as c, events as ev
from backscope_server.dap.requests import Attach
from backscope_server.terminal.debug_session import Impossible
from backscope_server.terminal.process import Process

MOST_BYTES = 64 << 20
"""The longest message of the server."""
_SECONDS = 20.0
_NO_ADDRESS = (
    "`url` is to be the address of a page, as http://127.0.0.1:8000/?token=TOKEN#run=ID; or `port` that of a program "
    "that `backscope debug --listen PORT` runs."
)
_NO_TOKEN = "The server requires its token: `token`, or `?token=` in the address that it printed."
_GOING = (c.Resume, c.Step)
_RESUMED = ev.opening(ev.Resumed)


class _Message(msgspec.Struct):
    """A message of the server that is no answer; those without events are not read."""

    events: list[msgspec.Raw] = []


class ServedRun:
    """A run by its server's address, token and id.

    Raises: Impossible where the address names none, or the server has it not.
    """

    def __init__(self, asked: Attach) -> None:
        try:
            given = urlsplit(asked.url or "")
        except ValueError:
            raise Impossible(_NO_ADDRESS) from None
        if given.scheme not in ("http", "https") or not given.netloc:
            raise Impossible(_NO_ADDRESS)
        named = parse_qs(given.query) | parse_qs(given.fragment)
        self.session = asked.session or (named.get("session") or named.get("run") or [""])[0]
        if not self.session.replace("-", "").replace("_", "").isalnum():
            raise Impossible("`session` is to be the id of a run: what the page's address has behind `run=`.")
        token = asked.token or named.get("token", [""])[0]
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._base = f"{given.scheme}://{given.netloc}"
        self.last = self._ask_last()

    def _ask_last(self) -> int:
        """Return the seq of the last event so far."""
        request = urllib.request.Request(f"{self._base}/api/sessions/{self.session}", headers=self._headers)
        try:
            with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
                return int(json.load(answer)["events"]) - 1
        except urllib.error.HTTPError as error:
            if error.code == HTTPStatus.UNAUTHORIZED:
                raise Impossible(_NO_TOKEN) from None
            if error.code == HTTPStatus.NOT_FOUND:
                raise Impossible(f"{self._base} has no run {self.session}.") from None
            raise Impossible(f"{self._base} answers {error.code}: {_message_of(error)}") from None
        except (OSError, HTTPException, ValueError, KeyError, TypeError) as error:
            raise Impossible(f"{self._base} is no server of Backscope that answers: {error}.") from None

    def follow(self, went_on: Callable[[], None]) -> ServedProcess:
        """Follow the run from its beginning; `went_on` is called when a page has it go on after what it has so far."""
        connection = self._connect(f"/api/sessions/{self.session}/events?as=editor")
        return ServedProcess(connection, self.last, went_on)

    def again(self, source: str, seed: int) -> ServedProcess:
        """Run the program again on the server, up to its first line."""
        connection = self._connect("/api/run")
        connection.send(json.dumps({"command": "run", "source": source, "seed": seed, "pause": True, "fresh": True}))
        return ServedProcess(connection, stops=True)

    def _connect(self, path: str) -> ClientConnection:
        address = f"ws{self._base.removeprefix('http')}{path}"
        try:
            return connect(address, additional_headers=self._headers, max_size=MOST_BYTES, open_timeout=_SECONDS)
        except (OSError, InvalidHandshake, TimeoutError) as error:
            raise Impossible(f"{self._base} does not answer: {error}.") from None


def _message_of(error: urllib.error.HTTPError) -> str:
    """Return what a server says of a request that it does not serve."""
    try:
        return str(json.load(error)["error"]["message"])
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        return error.reason


class ServedProcess(Process):
    """The program of a run, as a process of this machine is commanded; leaving it leaves it as it is.

    With `stops` the run is ended when it is left.  Events up to `known` have happened before.
    """

    def __init__(
        self,
        connection: ClientConnection,
        known: int = -1,
        went_on: Callable[[], None] = lambda: None,
        *,
        stops: bool = False,
    ) -> None:
        self.ended: int | None = None
        self._connection = connection
        self._known = known
        self._went_on = went_on
        self._stops = stops
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._count = 0
        self._turn = threading.Lock()
        self._open: set[int] = set()
        """The numbers of commands to go on that have no answer so far."""
        self._expected = 0
        """How often the program is to go on by such a command."""
        self._held: list[bytes] = []
        """Events after the program went on: they may arrive before the answer to the command, which is to be first."""
        threading.Thread(target=self._read, name="backscope-served", daemon=True).start()

    def send(self, command: Any) -> int:
        """Send a command, numbered; return its number."""
        with self._turn:
            number = self._count
            self._count += 1
            if isinstance(command, _GOING):
                self._open.add(number)
                self._expected += 1
        try:
            self._connection.send(c.encode(msgspec.structs.replace(command, id=number)).decode())
        except ConnectionClosed:
            pass  # The reader takes it that the run is over.
        return number

    def line(self) -> bytes | None:
        """Wait for the next line, an encoded event or answer, and return it; None when the run is over, or was left."""
        line = self._lines.get()
        if line is None:
            self._lines.put(None)
            self.ended = 0
        return line

    def next_event(self) -> ev.Event | None:
        """Wait for the next event; None when the run is over, or was left."""
        while (line := self.line()) is not None:
            if not line.startswith(c.ANSWER_OPENING):
                return ev.decode(line)
        return None

    def stop(self) -> None:
        """End the run."""
        try:
            self._connection.send('{"command":"stop"}')
        except ConnectionClosed:
            pass

    def end(self) -> None:
        """Leave the run."""
        if self._stops:
            self.stop()
        self._connection.close()
        self.ended = 0

    def kill(self) -> None:
        """Leave the run."""
        self.end()

    def interrupt(self) -> None:
        """Leave it to the server, which bounds the time of an expression."""

    def _read(self) -> None:
        try:
            for text in self._connection:
                message = text.encode() if isinstance(text, str) else text
                if message.startswith(c.ANSWER_OPENING):
                    self._answered(message)
                else:
                    self._take(msgspec.json.decode(message, type=_Message))
        except ConnectionClosed:
            pass
        finally:
            self._lines.put(None)

    def _answered(self, line: bytes) -> None:
        self._lines.put(line)
        answer = c.decode_answer(line)
        refused = False
        with self._turn:
            if answer.id not in self._open:
                return
            self._open.remove(answer.id)
            if isinstance(answer, c.Refused):
                # Where the page was faster, the program went on by the page's command.
                refused = self._expected == 0
                self._expected = max(0, self._expected - 1)
        for held in self._held:
            self._lines.put(held)
        self._held.clear()
        if refused:
            self._went_on()

    def _take(self, message: _Message) -> None:
        for raw in message.events:
            line = bytes(raw)
            if line.startswith(_RESUMED) and ev.decode(line).seq > self._known:
                with self._turn:
                    asked = self._expected > 0
                    self._expected -= asked
                if not asked:
                    self._went_on()
                elif self._open:
                    self._held.append(line)
                    continue
            if self._held:
                self._held.append(line)
            else:
                self._lines.put(line)
