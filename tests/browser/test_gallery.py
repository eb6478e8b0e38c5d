"""Protects: the gallery shows each example with a picture and opens it at the step that teaches."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

FOLDER = Path(__file__).parents[2] / "web" / "src" / "examples"
TOPICS = json.loads((FOLDER / "topics.json").read_text(encoding="utf-8"))
MOMENTS = json.loads((FOLDER / "moments.json").read_text(encoding="utf-8"))
LOADED = "(image) => image.decode().then(() => image.naturalWidth)"


def test_a_card_opens_the_step_that_it_shows(open_page: Callable[[str], Page]) -> None:
    page = open_page("#example=02_no_backward&at=0")
    page.get_by_role("button", name=re.compile("^Examples: ")).click()
    expect(page.get_by_role("combobox", name="Filter examples")).to_be_focused()
    cards = page.get_by_role("listbox", name="Examples")
    expect(cards.get_by_role("option", selected=True)).to_have_accessible_name(re.compile(r"\bopen\b"))
    for card in (
        cards.get_by_role("group", name="First steps").get_by_role("option").first,
        cards.get_by_role("option", name=re.compile("^Two paths")),
    ):
        card.scroll_into_view_if_needed()
        assert card.locator("img").evaluate(LOADED) == 448
    cards.get_by_role("option", name=re.compile("^Two paths")).click()
    expect(page.get_by_test_id("caption")).to_contain_text("The gradients of x add up: 3 + 4 = 7.")
    # By keys: from the open card to the one on its right.
    page.get_by_role("button", name=re.compile("^Examples: ")).click()
    expect(cards.get_by_role("option", selected=True)).to_have_accessible_name(re.compile("^Two paths"))
    page.keyboard.press("ArrowRight")
    expect(cards.get_by_role("option", selected=True)).to_have_accessible_name(re.compile("^A bias over four rows"))
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("caption")).to_contain_text("b was broadcast over 4 rows")
    # On a phone nothing is cut off, and a search finds.
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("button", name=re.compile("^Examples: ")).click()
    page.keyboard.type("truncated")
    expect(cards.get_by_role("option")).to_have_count(1)
    wide = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) == 0
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("caption")).to_contain_text("the gradient stops there")


def test_each_mechanism_says_so_at_its_step(open_page: Callable[[str], Page]) -> None:
    cards = [card for topic in TOPICS for card in topic["examples"] if "teaches" in card]
    assert len(cards) == 14
    for card in cards:
        page = open_page(f"#example={card['name']}&at={MOMENTS[card['name']]['at']}")
        expect(page.get_by_test_id("caption")).to_contain_text(card["moment"])
