"""The servers that browser tests open pages of, in a process of their own or in that of the tests."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from contextlib import AbstractContextManager
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any, ClassVar

from playwright.sync_api import BrowserContext

from backscope_server.access.token import Token
from backscope_server.settings import Settings

REPOSITORY = Path(__file__).parents[2]
START_SECONDS = 240


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class Quiet(SimpleHTTPRequestHandler):
    """A web server that says nothing."""

    def log_message(self, *args: object) -> None:
        """Nothing."""


class Server:
    """A Backscope server on a free port of this machine; the pages of all tests have its cookie.

    `variables`: its settings.
    """

    contexts: ClassVar[list[BrowserContext]] = []
    cookies: ClassVar[list[Any]] = []

    def __init__(self, log: Path, **variables: str) -> None:
        self.port = _free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.token = secrets.token_urlsafe()
        self.headers = {"Authorization": f"Bearer {self.token}"}
        self.log = log
        self.variables = variables
        self.process: subprocess.Popen[bytes] | None = None
        cookie = {"name": f"backscope-{self.port}", "value": Token(self.token).cookie, "url": self.address}
        self.cookies.append({**cookie, "httpOnly": True, "sameSite": "Strict"})
        for context in self.contexts:
            context.add_cookies(self.cookies[-1:])

    def get(self, path: str) -> bytes:
        """Return the body of the answer to a GET request with the server's token.

        Raises: OSError, also where no answer comes.
        """
        asked = urllib.request.Request(self.address + path, headers=self.headers)
        with urllib.request.urlopen(asked, timeout=START_SECONDS) as answer:
            found: bytes = answer.read()
        return found

    def start(self) -> None:
        """Start the server and wait until it answers.

        Raises: RuntimeError with its output where it ends or never answers.
        """
        command = [sys.executable, "-m", "backscope_server", "serve", "--no-browser", "--port", str(self.port)]
        paths = [str(REPOSITORY / "engine"), str(REPOSITORY / "server"), os.environ.get("PYTHONPATH", "")]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "BACKSCOPE_TOKEN": self.token,
            **self.variables,
        }
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(command, stdout=output, stderr=output, env=environment, cwd=self.log.parent)
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.address}/api/health", timeout=1):
                    return
            except OSError:
                time.sleep(0.05)
        self.stop()
        raise RuntimeError(f"The server did not start:\n{self.log.read_text(errors='replace')}")

    def stop(self) -> None:
        """End the server and wait until it has ended."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None


class Guest(Server):
    """A server in the process of the tests, ready at once: for tests that neither kill it nor look at its process.

    `lessons`: the path of lessons that it previews.
    """

    def __init__(
        self,
        serving: Callable[..., AbstractContextManager[Any]],
        log: Path,
        lessons: Path | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(log)
        self.serving = serving(Settings(token=self.token, **settings), port=self.port, lessons=lessons)

    def start(self) -> None:
        """Start the server."""
        self.serving.__enter__()

    def stop(self) -> None:
        """End the server and wait until it has ended."""
        self.serving.__exit__(None, None, None)
