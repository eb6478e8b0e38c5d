"""Protects: the page shows a lost connection and restores it, and keeps what arrived before a server ended."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect


@pytest.fixture
def expected_console() -> list[str]:
    return ["WebSocket connection", "ERR_CONNECTION_REFUSED", "Failed to load resource"]


def test_a_server_that_is_gone_leaves_the_run(page: Page, own_server) -> None:  # type: ignore[no-untyped-def]
    page.goto(own_server.address)
    slider = page.get_by_role("slider", name="Timeline")
    expect(page.get_by_role("button", name="Play the backward pass")).to_be_visible()
    own_server.stop()
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("caption")).not_to_be_empty()
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("The server cannot be reached")).to_be_visible()
    expect(slider).not_to_have_attribute("aria-valuemax", "0")
    own_server.start()
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible(timeout=30_000)
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("button", name="Play the backward pass")).to_be_visible(timeout=30_000)
