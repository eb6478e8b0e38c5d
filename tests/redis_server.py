"""A Redis of the tests: its own process, folder and port."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import socket
import subprocess
import time
from pathlib import Path

MISSING = (
    "The tests of the fleet need redis-server: install it (apt-get install redis-server), or name one in "
    "BACKSCOPE_REDIS_SERVER."
)


def program() -> str:
    """Return the path of redis-server; raises LookupError where there is none."""
    found = os.environ.get("BACKSCOPE_REDIS_SERVER") or shutil.which("redis-server") or shutil.which("valkey-server")
    if found is None:
        raise LookupError(MISSING)
    return found


def free_port() -> int:
    """Return a port that nobody has: below those that the system gives to connections, which could take it first."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as taken, contextlib.suppress(OSError):
            taken.bind(("127.0.0.1", port))
            return port


class RedisServer:
    """A server that can be stopped, killed and started again, with its data if `durable`."""

    def __init__(self, folder: Path, *options: str, durable: bool = False) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._options = ["--appendonly", "yes" if durable else "no", "--save", "", *options]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [program(), "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder)]
        self._process = subprocess.Popen([*command, *self._options], stdout=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while time.monotonic() < end:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1) as asking:
                asking.sendall(b"PING\r\n")
                if asking.recv(64).startswith((b"+PONG", b"-NOAUTH")):
                    return
            assert self._process.poll() is None, "redis-server has ended"
            time.sleep(0.02)
        raise AssertionError("redis-server does not answer")

    def __enter__(self) -> RedisServer:
        self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()

    @property
    def pid(self) -> int | None:
        """The id of its process."""
        return None if self._process is None else self._process.pid

    def used_bytes(self) -> int:
        """Return the memory that it uses."""
        with socket.create_connection(("127.0.0.1", self.port), 10) as asking, asking.makefile("rb") as answer:
            asking.sendall(b"INFO memory\r\n")
            while not (line := answer.readline()).startswith(b"used_memory:"):
                assert line, "redis-server has ended"
            return int(line.partition(b":")[2])

    def stop(self, *, kill: bool = False) -> None:
        """End it."""
        if self._process is not None:
            (self._process.kill if kill else self._process.terminate)()
            self._process.wait(60)
            self._process = None
