"""The real server and a real Chromium for the browser tests; a page that fails the test when it logs an error."""

from __future__ import annotations

import base64
import json
import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error as PlaywrightError,
    Page,
    Playwright,
    expect,
    sync_playwright,
)

# Beside this file, and beside the tests of all suites.
sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from accessibility import Checker
from dropping import DROP
from file_seconds import SECONDS, FileSeconds
from hung_test import HungTest
from page_server import Guest, Quiet, Server

FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Pictures look alike on every machine, whatever its settings for fonts and colours.
    "--font-render-hinting=none",
    "--disable-lcd-text",
    "--force-color-profile=srgb",
    # A name for tests of what a page says that is not on the reader's own machine.
    "--host-resolver-rules=MAP lessons.backscope.test 127.0.0.1",
]
if os.geteuid() == 0:
    # Chromium does not sandbox itself for root.
    FLAGS.append("--no-sandbox")

expect.set_options(timeout=30_000)

WHOLE_RUN = 120_000
"""Milliseconds that a whole run may take on a machine with much else to do."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that writes SECONDS anew."""
    parser.addoption("--write-seconds", action="store_true", help=f"write how long each file takes to {SECONDS.name}")


def pytest_configure(config: pytest.Config) -> None:
    """Fail tests that hang; measure the time of each file with --write-seconds."""
    config.pluginmanager.register(HungTest())
    if config.getoption("--write-seconds"):
        config.pluginmanager.register(FileSeconds())


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


@pytest.fixture
def guest_with(served: Callable[..., AbstractContextManager[Any]], tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts a server with these settings in this process."""
    with ExitStack() as stack:

        def start(**settings: Any) -> Server:
            made = Guest(served, tmp_path / "guest.log", **settings)
            made.start()
            stack.callback(made.stop)
            return made

        yield start


@pytest.fixture
def server_with(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts a server with these settings, as `backscope serve`."""
    made: list[Server] = []

    def start(**settings: object) -> Server:
        variables = {f"BACKSCOPE_{name.upper()}": str(value) for name, value in settings.items()}
        made.append(Server(tmp_path / f"server{len(made)}.log", **variables))
        made[-1].start()
        return made[-1]

    yield start
    for server in made:
        server.stop()


@pytest.fixture
def author(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """Somebody's own web server, on another origin, and the folder that it serves."""
    folder = tmp_path / "author"
    folder.mkdir()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{served.server_port}", folder
        served.shutdown()


@pytest.fixture(scope="session")
def playwright_driver() -> Iterator[Playwright]:
    """Playwright itself."""
    with sync_playwright() as driver:
        yield driver


def launch(playwright: Playwright) -> Browser:
    """Start Chromium: the one that BACKSCOPE_CHROMIUM names, else Playwright's, else the system's."""
    named = os.environ.get("BACKSCOPE_CHROMIUM")
    bundled = Path(playwright.chromium.executable_path)
    system = shutil.which("chromium") or shutil.which("google-chrome")
    executable = named or (str(bundled) if bundled.exists() else system)
    return playwright.chromium.launch(executable_path=executable, args=FLAGS)


class Chromium:
    """The Chromium of all tests; another one when it has ended."""

    def __init__(self, playwright: Playwright) -> None:
        self._playwright = playwright
        self._launched: Browser | None = None

    def __call__(self) -> Browser:
        if self._launched is None or not self._launched.is_connected():
            self._launched = launch(self._playwright)
        return self._launched

    def close(self) -> None:
        """Ends it."""
        if self._launched is not None:
            self._launched.close()


@pytest.fixture(scope="session")
def chromium(playwright_driver: Playwright) -> Iterator[Chromium]:
    """Gives the Chromium of all tests."""
    made = Chromium(playwright_driver)
    yield made
    made.close()


@pytest.fixture
def browser(chromium: Chromium) -> Browser:
    """The Chromium of all tests."""
    return chromium()


USUAL: dict[str, object] = {"viewport": {"width": 1440, "height": 900}, "color_scheme": "light"}

_FORGET = """async () => {
  localStorage.clear();
  sessionStorage.clear();
  for (const { name } of await indexedDB.databases()) indexedDB.deleteDatabase(name);
}"""


class Tab:
    """The tab that tests of the same window use one after the other: a new window is more work than most tests.

    Between them it stays on the server's site, at an `EMPTY` page: for another site Chromium starts another process,
    which has to compile the page's scripts again.
    """

    EMPTY = "/favicon.svg"

    def __init__(self, chromium: Chromium, server: Server, options: dict[str, object]) -> None:
        self.chromium = chromium
        self.server = server
        self.options = options
        self.page: Page | None = None

    def take(self) -> Page:
        """The tab, empty, with the cookies of every server."""
        if self.page is None:
            self.page = _window(self.chromium(), self.options)
            self.page.goto(self.server.address + self.EMPTY)
        return self.page

    def clean(self) -> None:
        """Takes back what a test did to it; a tab that does not answer any more is left for another one."""
        page = self.take()
        try:
            for other in page.context.pages:
                if other is not page:
                    other.close()
            page.unroute_all(behavior="ignoreErrors")
            page.emulate_media(
                color_scheme=self.options.get("color_scheme", "light"),  # type: ignore[arg-type]
                reduced_motion=self.options.get("reduced_motion", "null"),  # type: ignore[arg-type]
                contrast="null",
                forced_colors="null",
            )
            page.set_viewport_size(self.options.get("viewport", USUAL["viewport"]))  # type: ignore[arg-type]
            # A page of the same origin in which nothing writes after it was cleared.
            page.goto(self.server.address + self.EMPTY)
            page.evaluate(_FORGET)
            page.context.clear_cookies()
            page.context.add_cookies(Server.cookies)
        except PlaywrightError:
            self.close()

    def close(self) -> None:
        """Closes its window."""
        if self.page is not None:
            _close(self.page)
        self.page = None


def _window(browser: Browser, options: dict[str, object]) -> Page:
    context: BrowserContext = browser.new_context(**options)  # type: ignore[arg-type]
    context.add_cookies(Server.cookies)
    # As where a browser tells of no idle time: a rehearsed layout would be a quarter of all that a page's process does.
    context.add_init_script("delete globalThis.requestIdleCallback")
    Server.contexts.append(context)
    return context.new_page()


def _close(page: Page) -> None:
    Server.contexts.remove(page.context)
    page.context.close()


@pytest.fixture(scope="session")
def tabs(chromium: Chromium, server: Server) -> Iterator[Callable[[dict[str, object]], Tab]]:
    """The tab of a window that is made so."""
    made: dict[str, Tab] = {}

    def of(options: dict[str, object]) -> Tab:
        key = json.dumps(options, sort_keys=True)
        if key not in made:
            made[key] = Tab(chromium, server, options)
        return made[key]

    yield of
    for tab in made.values():
        tab.close()


@pytest.fixture
def context_options() -> dict[str, object]:
    """How a test's browser window is made; tests that override it alike share one."""
    return USUAL


@pytest.fixture
def expected_console() -> list[str]:
    """Parts of the console errors that a test provokes on purpose."""
    return []


@pytest.fixture
def page(
    tabs: Callable[[dict[str, object]], Tab], context_options: dict[str, object], expected_console: list[str]
) -> Iterator[Page]:
    """A page; the test fails when a script of it fails or logs an error."""
    tab = tabs(context_options)
    made = tab.take()
    errors: list[str] = []

    def logged(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            errors.append(f"{message.text} ({message.location.get('url')})")

    def failed(error: object) -> None:
        errors.append(str(error))

    made.on("console", logged)
    made.on("pageerror", failed)
    yield made
    made.remove_listener("console", logged)
    made.remove_listener("pageerror", failed)
    tab.clean()
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
    """Waits until a run has ended: Run is offered again, and the timeline has steps and gets no more of them."""
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible(timeout=WHOLE_RUN)
    expect(timeline(page)).not_to_have_attribute("aria-valuemax", "0")
    expect(timeline(page)).to_have_attribute("aria-busy", "false")


def timeline(page: Page):  # type: ignore[no-untyped-def]
    """The slider of the timeline."""
    return page.get_by_role("slider", name="Timeline")


@pytest.fixture
def run_program(page: Page, server: Server) -> Callable[[str], Page]:
    """Types a program into the editor and presses Ctrl+Enter, then waits for its end."""

    def ran(source: str, wait: bool = True) -> Page:
        if page.url.endswith(Tab.EMPTY):
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
    found: list[dict[str, str]] = json.loads(server.get("/api/examples"))
    return found


@pytest.fixture
def drop(page: Page) -> Callable[[str, bytes], None]:
    """Drops a file with this name and content on the page."""
    return lambda name, data: page.evaluate(DROP, [name, base64.b64encode(data).decode()])


@pytest.fixture
def recorded() -> list[bytes]:
    """The events of a recorded program, encoded."""
    return (Path(__file__).parents[1] / "golden" / "training.jsonl").read_bytes().splitlines()


@pytest.fixture
def checker(page: Page) -> Iterator[Checker]:
    """Looks for violations; the test fails at its end when there were some."""
    made = Checker(page)
    yield made
    assert made.found == []
