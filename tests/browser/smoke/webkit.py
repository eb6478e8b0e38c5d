"""WebKit by WebDriver: its driver, a display that is not seen, and a tab."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tab import Tab

DRIVER = "WebKitWebDriver"
INSTALL = "apt-get install webkit2gtk-driver xvfb"
START_SECONDS = 60

_KEYS = {"Control": "\ue009", "Shift": "\ue008", "Enter": "\ue007", "ArrowRight": "\ue014", "ArrowLeft": "\ue012"}
_KEYS |= {"Home": "\ue011", "End": "\ue010", "Delete": "\ue017", "Escape": "\ue00c", "\n": "\ue007", "Space": " "}
_KEYS |= {f"F{n}": chr(0xE030 + n) for n in range(1, 13)}
"""The characters that WebDriver has for keys."""


def missing() -> str:
    """Return what WebKit needs and this machine lacks; nothing where all is there."""
    needed = [DRIVER] if os.environ.get("DISPLAY") else [DRIVER, "Xvfb"]
    return ", ".join(name for name in needed if shutil.which(name) is None)


class WebKit:
    """WebKit's driver in a process of its own, on a display of its own where there is none."""

    def __init__(self) -> None:
        self._processes: list[subprocess.Popen[bytes]] = []
        variables = {**os.environ, "LIBGL_ALWAYS_SOFTWARE": "1", "GDK_BACKEND": "x11"}
        if not os.environ.get("DISPLAY"):
            variables["DISPLAY"] = self._display()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = int(free.getsockname()[1])
        self._processes.append(subprocess.Popen([DRIVER, f"--port={self._port}"], env=variables))
        end = time.monotonic() + START_SECONDS
        while True:
            try:
                self.call("GET", "/status")
                return
            except OSError:
                if time.monotonic() > end:
                    self.close()
                    raise
                time.sleep(0.05)

    def _display(self) -> str:
        """Start a display and return its name once it takes connections."""
        reading, writing = os.pipe()
        command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1600x1200x24", "-nolisten", "tcp"]
        self._processes.append(subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL))
        os.close(writing)
        with os.fdopen(reading) as number:
            return f":{number.readline().strip()}"

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Return the value that a command of WebDriver gives.

        Raises: RuntimeError with the error that the driver names.
        """
        data = None if body is None else json.dumps(body).encode()
        sent = urllib.request.Request(f"http://127.0.0.1:{self._port}{path}", data, method=method)
        try:
            with urllib.request.urlopen(sent, timeout=300) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.read().decode(errors='replace')[:2000]}") from None

    def tab(self, width: int, height: int) -> WebDriverTab:
        """Start the browser with a window of which a page has so much, in pixels."""
        made = WebDriverTab(self)
        inner = made.run("() => [innerWidth, innerHeight]")
        made.resize(width, 2 * height - inner[1] if inner[0] == width else height)
        return made

    def close(self) -> None:
        """End the driver and the display."""
        for process in reversed(self._processes):
            process.terminate()
            process.wait()


_DOWN, _UP = ({"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp"))


def _move(x: float, y: float) -> dict[str, Any]:
    return {"type": "pointerMove", "duration": 0, "origin": "viewport", "x": round(x), "y": round(y)}


class WebDriverTab(Tab):
    """The only tab of a session of WebDriver."""

    def __init__(self, browser: WebKit) -> None:
        self._browser = browser
        self._session = f"/session/{browser.call('POST', '/session', {'capabilities': {}})['sessionId']}"
        self._frame: Any = None

    def _call(self, path: str, **body: Any) -> Any:
        return self._browser.call("POST", f"{self._session}/{path}", body)

    def resize(self, width: int, height: int) -> None:
        """Give the window this size, in pixels."""
        self._call("window/rect", width=width, height=height)

    def open(self, address: str) -> None:
        self._call("url", url=address)

    def run(self, script: str, *values: Any) -> Any:
        return self._call("execute/sync", script=f"return ({script})(...arguments)", args=list(values))

    def click_at(self, x: float, y: float) -> None:
        if (frame := self._frame) is not None:
            self._call("frame", id=None)
            left, top = self.run("(frame) => { const { x, y } = frame.getBoundingClientRect(); return [x, y]; }", frame)
            x, y = x + left, y + top
        self._point([_move(x, y), _DOWN, _UP])
        if frame is not None:
            self._call("frame", id=frame)

    def drag(self, x: float, y: float, by: float) -> None:
        self._point([_move(x, y), _DOWN, *[_move(x + by * share / 5, y) for share in range(1, 6)], _UP])

    def _point(self, actions: list[dict[str, Any]]) -> None:
        pointer = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}
        self._call("actions", actions=[pointer])

    def press(self, key: str) -> None:
        names = [name for name in key.split("+") if name]
        keys = [_KEYS.get(name, name) for name in names]
        down = [{"type": "keyDown", "value": value} for value in keys]
        up = [{"type": "keyUp", "value": value} for value in reversed(keys)]
        self._call("actions", actions=[{"type": "key", "id": "keyboard", "actions": [*down, *up]}])

    def write(self, text: str) -> None:
        keys = [{"type": kind, "value": _KEYS.get(letter, letter)} for letter in text for kind in ("keyDown", "keyUp")]
        self._call("actions", actions=[{"type": "key", "id": "keyboard", "actions": keys}])

    @contextmanager
    def inside(self, host: str) -> Iterator[None]:
        self._frame = self.until("(host) => document.querySelector(host)?.shadowRoot?.querySelector('iframe')", host)
        self._call("frame", id=self._frame)
        yield
        self._call("frame", id=None)
        self._frame = None

    def errors(self) -> list[str]:
        return []

    def close(self) -> None:
        """End the browser."""
        self._browser.call("DELETE", self._session)
