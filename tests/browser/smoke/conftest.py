"""The browsers that the paths of a reader are walked in, and the server that they open."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Playwright

sys.path.insert(0, str(Path(__file__).parent))

import webkit
from page_server import Server
from tab import PlaywrightTab, Tab

WIDTH, HEIGHT = 1280, 800

NO_FIREFOX = (
    "There is no Firefox: apt-get install firefox-esr, or playwright install firefox, or set BACKSCOPE_FIREFOX to the "
    "path of one."
)


def _firefox(playwright: Playwright, folder: Path) -> Browser:
    """Start Firefox: the one that BACKSCOPE_FIREFOX names, else the system's, else Playwright's.

    Any but Playwright's own is driven by WebDriver BiDi, through a relay.
    """
    own = Path(playwright.firefox.executable_path)
    named = os.environ.get("BACKSCOPE_FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")
    if (named is None or Path(named) == own) and own.exists():
        return playwright.firefox.launch()
    if named is None:
        (pytest.fail if os.environ.get("BACKSCOPE_NEEDS_BROWSERS") else pytest.skip)(NO_FIREFOX)
    relay = folder / "firefox"
    relay.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{Path(__file__).with_name("firefox_relay.py")}" "$@"\n')
    relay.chmod(0o755)
    variables = {**os.environ, "BACKSCOPE_FIREFOX": named}
    return playwright.firefox.launch(channel="moz-firefox", executable_path=relay, env=variables)


@pytest.fixture(scope="session", params=["chromium", "firefox", "webkit"])
def tab(
    request: pytest.FixtureRequest, playwright_driver: Playwright, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Tab]:
    """A tab of each browser; WebKit is left out, visibly, where its driver is not installed."""
    if request.param == "webkit":
        if lacking := webkit.missing():
            pytest.skip(f"WebKit is not tested, {lacking} is missing: {webkit.INSTALL}")
        with closing(webkit.WebKit()) as driver, closing(driver.tab(WIDTH, HEIGHT)) as window:
            yield window
        return
    if request.param == "firefox":
        browser = _firefox(playwright_driver, tmp_path_factory.mktemp("firefox"))
    else:
        browser = request.getfixturevalue("chromium")()
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT})
    yield PlaywrightTab(context.new_page())
    context.close()
    if request.param == "firefox":
        browser.close()


@pytest.fixture(scope="session")
def open_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose runs may be shown in pages of any origin."""
    made = Server(tmp_path_factory.mktemp("open") / "server.log", BACKSCOPE_EMBED_FROM="*")
    made.start()
    yield made
    made.stop()


@pytest.fixture
def page_of_run(tab: Tab, open_server: Server) -> Tab:
    """The page with the first example, which has run."""
    tab.open(f"{open_server.address}/?token={open_server.token}#example=01_first_backward")
    tab.see("button", "^Play the backward pass$")
    tab.errors()
    return tab
