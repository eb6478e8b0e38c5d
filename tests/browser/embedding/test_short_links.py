"""Protects short links as people use them: made by the button, opened without running, run live, removed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from page_server import Server
from playwright.sync_api import Browser, Page, expect

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.fixture
def expected_console() -> list[str]:
    # A page may still ask about the run whose link it removes.
    return ["404", "410"]


def test_a_link_is_made_opened_run_live_and_removed(
    page: Page, browser: Browser, server_with: Callable[..., Server], tmp_path: Path
) -> None:
    server = server_with(shares=tmp_path)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(server.address)
    expect(page.get_by_role("button", name="Play the backward pass")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("8 of 14")).to_be_visible()
    page.get_by_role("button", name="Copy a link to this moment").click()
    expect(page.get_by_text("A short link to step 8 is copied.")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert re.fullmatch(re.escape(server.address) + r"/s/[A-Za-z0-9_-]{16}", link)

    other = browser.new_context(**PHONE)
    other.add_cookies(Server.cookies)
    phone = other.new_page()
    phone.goto(link)
    expect(phone.get_by_text("This is a recording: nothing has run here.")).to_be_visible()
    expect(phone.get_by_text("8 of 14")).to_be_visible()
    expect(phone.get_by_text("Remove the link")).not_to_be_attached()
    shared = link.rpartition("/")[2]
    phone.wait_for_url(re.compile(f"run={shared}"))
    for name in ("Copy a link to this moment", "Run live"):
        box = phone.get_by_role("button", name=name).bounding_box()
        assert box is not None
        assert box["height"] >= 43.5
    phone.get_by_role("button", name="Run live").click()
    expect(phone.get_by_text("This is a recording: nothing has run here.")).not_to_be_attached()
    phone.wait_for_url(re.compile(f"run=(?!{shared})"))
    expect(phone.get_by_text("8 of 14")).to_be_visible()

    page.goto(link)
    expect(page.get_by_text("This is a recording that you shared.")).to_be_visible()
    page.get_by_role("button", name="Remove the link").click()
    expect(page.get_by_text("The link is removed: nobody can open it any more.")).to_be_visible()
    answer = phone.goto(link)
    assert answer is not None and answer.status == 404
    other.close()


def test_on_ones_own_machine_the_link_has_the_program_and_nothing_is_kept(
    page: Page, server_with: Callable[..., Server], tmp_path: Path
) -> None:
    server = server_with(storage=tmp_path)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(server.address)
    expect(page.get_by_role("button", name="Play the backward pass")).to_be_visible()
    page.get_by_role("button", name="Copy a link to this moment").click()
    expect(page.get_by_text("The link to step 7 is copied.")).to_be_visible()
    assert "#example=" in page.evaluate("navigator.clipboard.readText()")
    assert not list((tmp_path / "shares").rglob("runs/*"))
    page.get_by_role("button", name="Export", exact=True).click()
    page.get_by_role("button", name="Keep the run and copy its link").click()
    expect(page.get_by_text("It is kept for 90 days")).to_be_visible()
    assert len(list((tmp_path / "shares").rglob("runs/*"))) == 1
