"""The real server and a real Chromium for the browser tests; a page that fails the test when it logs an error."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, expect, sync_playwright

REPOSITORY = Path(__file__).parents[2]
START_SECONDS = 30
FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
if os.geteuid() == 0:
    # Chromium does not sandbox itself for root.
    FLAGS.append("--no-sandbox")

expect.set_options(timeout=10_000)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class Server:
    """A Backscope server on a free port of this machine."""

    def __init__(self, log: Path) -> None:
        self.port = _free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.log = log
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it and waits until it answers; raises RuntimeError with its output when it does not."""
        command = [sys.executable, "-m", "backscope_server", "serve", "--no-browser", "--port", str(self.port)]
        paths = [str(REPOSITORY / "engine"), str(REPOSITORY / "server"), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
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
        """Ends it and waits for its end."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The server that most tests share."""
    made = Server(tmp_path_factory.mktemp("server") / "server.log")
    made.start()
    yield made
    made.stop()


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """A server that a test may stop."""
    made = Server(tmp_path / "server.log")
    made.start()
    yield made
    made.stop()


@pytest.fixture(scope="session")
def playwright_driver() -> Iterator[Playwright]:
    """Playwright itself."""
    with sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="session")
def browser(playwright_driver: Playwright) -> Iterator[Browser]:
    """Chromium: the one that BACKSCOPE_CHROMIUM names, else Playwright's, else the system's."""
    named = os.environ.get("BACKSCOPE_CHROMIUM")
    bundled = Path(playwright_driver.chromium.executable_path)
    system = shutil.which("chromium") or shutil.which("google-chrome")
    executable = named or (str(bundled) if bundled.exists() else system)
    launched = playwright_driver.chromium.launch(executable_path=executable, args=FLAGS)
    yield launched
    launched.close()


@pytest.fixture
def context_options() -> dict[str, object]:
    """How a test's browser window is made; tests override what they need."""
    return {"viewport": {"width": 1440, "height": 900}, "color_scheme": "light"}


@pytest.fixture
def expected_console() -> list[str]:
    """Parts of the console errors that a test provokes on purpose."""
    return []


@pytest.fixture
def page(browser: Browser, context_options: dict[str, object], expected_console: list[str]) -> Iterator[Page]:
    """A page; the test fails when a script of it fails or logs an error."""
    context: BrowserContext = browser.new_context(**context_options)  # type: ignore[arg-type]
    made = context.new_page()
    errors: list[str] = []

    def logged(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            errors.append(f"{message.text} ({message.location.get('url')})")

    made.on("console", logged)
    made.on("pageerror", lambda error: errors.append(str(error)))
    yield made
    context.close()
    surprises = [error for error in errors if not any(part in error for part in expected_console)]
    assert surprises == []


@pytest.fixture
def open_page(page: Page, server: Server) -> Callable[[str], Page]:
    """Opens the page at a fragment and waits until its run has ended."""

    def opened(fragment: str = "") -> Page:
        page.goto(f"{server.address}/{fragment}")
        finished(page)
        return page

    return opened


def finished(page: Page) -> None:
    """Waits until a run has ended: Run is offered again and the timeline has steps."""
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()
    expect(timeline(page)).not_to_have_attribute("aria-valuemax", "0")


def timeline(page: Page):  # type: ignore[no-untyped-def]
    """The slider of the timeline."""
    return page.get_by_role("slider", name="Timeline")


@pytest.fixture
def run_program(page: Page, server: Server) -> Callable[[str], Page]:
    """Types a program into the editor and presses Ctrl+Enter, then waits for its end."""

    def ran(source: str, wait: bool = True) -> Page:
        if page.url == "about:blank":
            page.goto(server.address)
            finished(page)
        editor = page.get_by_role("textbox", name="Program")
        editor.click()
        page.keyboard.press("Control+a")
        page.keyboard.press("Delete")
        # As one insertion, so that the editor does not indent by itself.
        page.keyboard.insert_text(source)
        page.keyboard.press("Control+Enter")
        if wait:
            expect(page.get_by_text("Edited since this run")).to_have_count(0)
            finished(page)
        return page

    return ran


@pytest.fixture(scope="session")
def examples(server: Server) -> list[dict[str, str]]:
    """The examples that the server has."""
    with urllib.request.urlopen(f"{server.address}/api/examples") as answer:
        found: list[dict[str, str]] = json.load(answer)
    return found
