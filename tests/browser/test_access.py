"""Protects what a reader meets at the door: the token, the line, limits that are near, and refusals in plain words."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from websockets.sync.client import connect

ENDLESS = "import time\nwhile True:\n    time.sleep(0.01)\n"


@pytest.fixture
def expected_console() -> list[str]:
    # A server that a test started is gone before its page is.
    return ["401 (Unauthorized)", "403 (Forbidden)", "ERR_CONNECTION_REFUSED"]


def asked(server: Any, path: str, body: object = None, method: str | None = None) -> dict[str, str]:
    """Return the answer of a server's API to a client other than the page."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(server.address + path, data, server.headers, method=method)
    with urllib.request.urlopen(request) as answer:
        found: dict[str, str] = json.load(answer)
    return found


def occupy(server: Any) -> str:
    """Starts a program that runs until it is stopped."""
    return asked(server, "/api/sessions", {"source": ENDLESS})["session"]


def stop(server: Any, session: str) -> None:
    asked(server, f"/api/sessions/{session}/stop", method="POST")


def finished(page: Page) -> None:
    """Waits until a run has ended and its steps are there."""
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible(timeout=30_000)
    timeline = page.get_by_role("slider", name="Timeline")
    expect(timeline).not_to_have_attribute("aria-valuemax", "0")
    expect(timeline).to_have_attribute("aria-busy", "false")


def type_program(page: Page, source: str) -> None:
    page.get_by_role("textbox", name="Program").click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(source)


def test_the_address_with_the_token_lets_in_and_loses_it(browser: Browser, server: Any) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{server.address}/?token={server.token}#example=03_cube")
    finished(page)
    assert "token" not in page.url
    expect(page).to_have_url(re.compile("example=03_cube"))
    assert page.evaluate("document.cookie") == ""
    page.reload()
    finished(page)
    context.close()


@pytest.mark.parametrize("width", [1440, 390])
def test_without_the_token_the_page_says_how_to_get_in(browser: Browser, server: Any, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 844})
    page = context.new_page()
    page.goto(f"{server.address}/#example=03_cube")
    expect(page.get_by_role("heading", name="This page needs the server's token")).to_be_visible()
    field = page.get_by_role("textbox", name="Token")
    expect(field).to_be_focused()
    page.keyboard.type("not the token")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("not the token of this server")
    assert "token=" not in page.url
    field.fill(f"{server.address}/?token={server.token}")
    page.get_by_role("button", name="Open", exact=True).click()
    finished(page)
    expect(page).to_have_url(re.compile("example=03_cube"))
    context.close()


def test_a_page_waits_in_line_moves_up_and_runs(page: Page, guest_with: Callable[..., Any]) -> None:
    server = guest_with(running=1)
    first, second = occupy(server), occupy(server)
    page.goto(server.address)
    expect(page.get_by_text("Your program is 2nd in line.")).to_be_visible()
    stop(server, first)
    expect(page.get_by_text("Your program is next in line.")).to_be_visible()
    expect(page.get_by_text("The graph appears here once the program runs.")).to_be_visible()
    stop(server, second)
    finished(page)
    expect(page.get_by_text("in line")).to_have_count(0)


def test_the_line_can_be_left_and_the_last_run_stays(page: Page, guest_with: Callable[..., Any]) -> None:
    server = guest_with(running=1)
    page.goto(server.address)
    finished(page)
    occupied = occupy(server)
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("Your program is next in line.")).to_be_visible()
    page.get_by_role("button", name="Leave the line").click()
    expect(page.get_by_text("You left the line.")).to_be_visible()
    finished(page)
    other = occupy(server)
    assert asked(server, f"/api/sessions/{other}")["place"] == 1
    for session in (other, occupied):
        stop(server, session)


def test_a_full_line_is_told(page: Page, guest_with: Callable[..., Any]) -> None:
    server = guest_with(running=1, waiting=0)
    occupy(server)
    page.goto(server.address)
    notice = page.get_by_text("The server is busy: a program is running. Try again in a minute.")
    expect(notice).to_contain_text(re.compile(r"This page tries again by itself in \d+ s\."))
    page.get_by_role("button", name="Do not wait").click()
    expect(notice).to_have_count(0)
    expect(page.get_by_text("You left the line. Run takes a new place.")).to_be_visible()


def test_too_many_starts_are_told_and_the_last_run_stays(page: Page, guest_with: Callable[..., Any]) -> None:
    server = guest_with(address_starts=1)
    page.goto(server.address)
    finished(page)
    page.get_by_role("button", name="Run", exact=True).click()
    notice = page.get_by_text(re.compile(r"yours has started as many. Run again in \d+ s."))
    expect(notice).to_contain_text(re.compile(r"This page tries again by itself in \d+ s\."))
    page.get_by_role("button", name="Do not wait").click()
    finished(page)


def test_a_program_that_is_too_long_is_told(page: Page, guest_with: Callable[..., Any]) -> None:
    server = guest_with(source_bytes=2000)
    page.goto(server.address)
    finished(page)
    type_program(page, "x = 1\n" * 400)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("The program has 2,400 bytes; this server runs 2,000 bytes at most.")).to_be_visible()


def test_the_time_limit_is_announced_before_it_strikes(page: Page, guest_with: Callable[..., Any]) -> None:
    server = guest_with(wall_seconds=10, notice_seconds=5)
    page.goto(server.address)
    finished(page)
    type_program(page, "import time\nprint('begun')\n" + ENDLESS)
    page.keyboard.press("Control+Enter")
    notice = page.get_by_text(re.compile(r"This run ends in [1-5] s: the time limit of 10 s."))
    expect(notice).to_be_visible(timeout=20_000)
    finished(page)
    expect(notice).to_have_count(0)
    expect(page.get_by_role("log", name="Console")).to_contain_text("begun")


def test_a_paused_run_asks_whether_somebody_is_there_and_is_kept(page: Page, guest_with: Callable[..., Any]) -> None:
    server = guest_with(pause_seconds=16, notice_seconds=8)
    with connect(f"ws://127.0.0.1:{server.port}/api/run", additional_headers=server.headers) as socket:
        socket.send(json.dumps({"command": "run", "source": "print('paused before this')\n", "pause": True}))
        session = json.loads(socket.recv(timeout=120))["session"]
        page.goto(f"{server.address}/?session={session}")
        notice = page.get_by_text(re.compile(r"Still there\? This run has been paused for a while and ends in \d s."))
        expect(notice).to_be_visible(timeout=30_000)
        page.get_by_role("button", name="Keep it").click()
        expect(notice).to_have_count(0)
        assert asked(server, f"/api/sessions/{session}")["status"] == "running"
        expect(notice).to_be_visible(timeout=30_000)
        expect(notice).to_have_count(0, timeout=30_000)
    assert asked(server, f"/api/sessions/{session}")["status"] == "limit"


def test_a_wrong_name_gets_a_page(page: Page, server: Any) -> None:
    """The browser resolves this name to this machine, as any name that is registered for its address."""
    expected = f"http://rebound.localhost:{server.port}/"
    response = page.goto(expected)
    assert response is not None
    assert response.status == 403
    expect(page.get_by_role("heading", name="This address is not served")).to_be_visible()
