"""Finds the parts of a lesson in the page."""

from __future__ import annotations

from playwright.sync_api import FrameLocator, Locator, Page

PHONE: dict[str, object] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
"""The options of a browser context that is a phone."""


def lesson(page: Page) -> Locator:
    """Return the room of the lesson."""
    return page.get_by_role("region", name="Learn")


def check(page: Page) -> Locator:
    """Return the button that checks an answer, wherever it is."""
    return page.get_by_role("button", name="Check", exact=True)


def said(page: Page | FrameLocator) -> Locator:
    """Return the live region that screen readers announce: the open page of the lesson, then the verdict."""
    return page.get_by_test_id("lesson-said")


def slide_said(page: Page) -> Locator:
    """Return the live region that screen readers announce while slides are shown: the slide, then the verdict."""
    return page.get_by_test_id("slide-said")
