"""A client of `backscope dap`: it sends what an editor sends."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Any

PATIENCE = 60


class Refusal(Exception):
    """The error for a request that was refused; the text is the reason."""


class Client:
    """An editor: sends requests, waits for their responses, and keeps the events."""

    def __init__(self, folder: Path, port: int | None = None) -> None:
        """Start an adapter, or connect to the program that listens on a port."""
        self.process: subprocess.Popen[bytes] | None = None
        if port is None:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "backscope_server", "dap"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=folder,
                env={**os.environ},
            )
            assert self.process.stdin is not None and self.process.stdout is not None
            self._outgoing: IO[bytes] = self.process.stdin
            self._stream: IO[bytes] = self.process.stdout
        else:
            self.connection = socket.create_connection(("127.0.0.1", port))
            self._outgoing, self._stream = self.connection.makefile("wb"), self.connection.makefile("rb")
        self.folder = folder
        self.port = port
        self.printed: list[dict[str, Any]] = []
        self.seen: list[dict[str, Any]] = []
        self._seq = 0
        self._responses: dict[int, dict[str, Any]] = {}
        self._incoming: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._events: list[dict[str, Any]] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        stream = self._stream
        while header := stream.readline():
            length = int(header.removeprefix(b"Content-Length: "))
            stream.readline()
            self._incoming.put(json.loads(stream.read(length)))
        self._incoming.put(None)

    def send(self, command: str, **arguments: Any) -> int:
        """Send a request; return its seq."""
        self._seq += 1
        body = json.dumps({"seq": self._seq, "type": "request", "command": command, "arguments": arguments}).encode()
        self._outgoing.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._outgoing.flush()
        return self._seq

    def _take(self) -> None:
        message = self._incoming.get(timeout=PATIENCE)
        assert message is not None, "the adapter has ended"
        if message["type"] == "response":
            self._responses[message["request_seq"]] = message
        else:
            self.seen.append(message)
            (self.printed if message["event"] == "output" else self._events).append(message)

    def response(self, seq: int) -> dict[str, Any]:
        """Wait for the response to a request; return its body."""
        while seq not in self._responses:
            self._take()
        found = self._responses.pop(seq)
        if not found["success"]:
            raise Refusal(found["message"])
        body: dict[str, Any] = found["body"]
        return body

    def ask(self, command: str, **arguments: Any) -> dict[str, Any]:
        """Send a request and return the body of its response."""
        return self.response(self.send(command, **arguments))

    def event(self, *names: str) -> dict[str, Any]:
        """Wait for the next event of these names; return it."""
        while True:
            for at, event in enumerate(self._events):
                if event["event"] in names:
                    return self._events.pop(at)
            self._take()

    def stop(self) -> dict[str, Any]:
        """Wait until the program has stopped; return the body of the event."""
        body: dict[str, Any] = self.event("stopped")["body"]
        return body

    def output(self, category: str = "stdout") -> str:
        """Return what has been printed so far."""
        return "".join(event["body"]["output"] for event in self.printed if event["body"]["category"] == category)

    def launch(self, source: str, *, name: str = "program.py", **options: Any) -> Path:
        """Launch a program that is written to a file; return its path, before its first line."""
        path = self.folder / name
        path.write_text(source)
        self.ask("initialize", adapterID="backscope")
        self.ask("launch", program=str(path), **options)
        self.event("initialized")
        return path

    def attach(self) -> None:
        """Attach to a program that runs, before breakpoints are set."""
        self.ask("initialize", adapterID="backscope")
        self.ask("attach", port=0)
        self.event("initialized")

    def go(self, command: str = "continue", **arguments: Any) -> dict[str, Any]:
        """Go on, and return the body of the stop that follows."""
        self.ask(command, threadId=1, **arguments)
        return self.stop()

    def frames(self) -> list[dict[str, Any]]:
        """Return the stack, innermost first."""
        frames: list[dict[str, Any]] = self.ask("stackTrace", threadId=1)["stackFrames"]
        return frames

    def variables(self, reference: int, **part: Any) -> dict[str, dict[str, Any]]:
        """Return the variables inside of a reference, by name."""
        return {v["name"]: v for v in self.ask("variables", variablesReference=reference, **part)["variables"]}

    def scope(self, frame: int, name: str = "Locals") -> int:
        """Return the reference of a scope of a frame."""
        return next(s["variablesReference"] for s in self.ask("scopes", frameId=frame)["scopes"] if s["name"] == name)

    def close(self) -> int:
        """Disconnect; return the exit status of the adapter."""
        self.ask("disconnect")
        assert self.process is not None
        return self.process.wait(PATIENCE)

    def end(self) -> None:
        """End the adapter, if it has not ended, and close its streams."""
        if self.process is None:
            with contextlib.suppress(OSError):  # The program has closed it, or this was called before.
                self.connection.shutdown(socket.SHUT_RDWR)
            self._reader.join()
            self.connection.close()
        else:
            if self.process.poll() is None:
                self.process.kill()
            self.process.wait()
            self._reader.join()
        for stream in (self._outgoing, self._stream):
            stream.close()
