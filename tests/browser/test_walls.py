"""Protects the word to people whose system has no walls around programs: it is on the page, and only there."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

NOTICE = "Not sandboxed"


def test_a_page_says_that_programs_have_no_walls(page: Page, server_with) -> None:  # type: ignore[no-untyped-def]
    page.goto(server_with(sandbox="limited").address)
    expect(page.get_by_text(NOTICE)).to_be_visible()
    expect(page.get_by_role("textbox", name="Program")).to_be_visible()


def test_a_page_with_walls_says_nothing(open_page: Callable[[str], Page]) -> None:
    page = open_page("")
    expect(page.get_by_role("button", name="Play the backward pass")).to_be_visible()
    expect(page.get_by_text(NOTICE)).to_have_count(0)
