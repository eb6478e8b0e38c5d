"""The run that a page shows: its timeline, and the wait for its end."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect


def slider(page: Page) -> Locator:
    """Return the timeline."""
    return page.get_by_role("slider", name="Timeline")


def ended(page: Page) -> None:
    """Wait until the page shows a run that is over, whole."""
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible(timeout=60_000)
    # Before the first run nothing is busy either.
    expect(slider(page)).not_to_have_attribute("aria-valuemax", "0", timeout=60_000)
    expect(slider(page)).to_have_attribute("aria-busy", "false", timeout=60_000)
