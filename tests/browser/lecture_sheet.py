"""What a person does to collect a lesson on the page and to give it away."""

from __future__ import annotations

import random
import string

from playwright.sync_api import Locator, Page, expect

HOST = "lessons.backscope.test"
"""A name of this machine that the page takes for another one's."""


def add(page: Page, number: int, sentence: str) -> None:
    """Add the moment that is shown, with a sentence."""
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("m")
    field = page.get_by_label(f"Sentence of moment {number}")
    expect(field).to_be_focused()
    field.fill(sentence)
    page.evaluate("document.activeElement.blur()")


def ask_first(page: Page) -> None:
    """Let readers predict w.grad before they see the first moment."""
    first = page.locator("li[data-moment]").first
    first.get_by_role("button", name="Ask for a value first").click()
    first.get_by_label("An expression that readers predict").fill("w.grad")
    page.keyboard.press("Enter")
    expect(first).to_contain_text("Readers predict w.grad before they see this moment.")


def open_sheet(page: Page) -> Locator:
    """Open the sheet that gives the lesson away, and return it."""
    page.get_by_role("button", name="Share", exact=True).click()
    sheet = page.get_by_role("dialog", name="Share this lesson")
    expect(sheet).to_be_visible()
    return sheet


def incompressible(seed: int, length: int) -> str:
    """Return a text of letters that hardly gets shorter in a link."""
    return "".join(random.Random(seed).choices(string.ascii_letters, k=length))
