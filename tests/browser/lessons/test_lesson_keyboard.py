"""Protects a lesson taken by keyboard and screen reader: where the keyboard is, what is announced, what is hidden."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from page_server import Server
from playwright.sync_api import Locator, Page, expect
from shown_lesson import PHONE, check, lesson, said

COLOURS = """(track, share) => {
  const { width, height } = track.querySelector('canvas');
  const from = Math.round(width * share);
  const copy = Object.assign(document.createElement('canvas'), { width, height });
  const context = copy.getContext('2d', { willReadFrequently: true });
  context.drawImage(track.querySelector('canvas'), 0, 0);
  const { data } = context.getImageData(from, 0, width - from, height);
  const colours = new Set();
  for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 255) colours.add(data.slice(at, at + 3).join());
  return colours.size;
}"""
"""Counts the colours that the timeline has right of a share of its width."""


def onward(page: Page, name: str = "Next") -> Locator:
    return lesson(page).get_by_role("button", name=name, exact=True)


def test_the_keyboard_is_where_the_reader_goes_on(open_page: Callable[[str], Page]) -> None:
    page = open_page("#lesson=01_graph")
    expect(said(page)).to_contain_text("Page 1 of 8")
    onward(page, "Begin").focus()
    page.keyboard.press("Enter")
    expect(onward(page)).to_be_focused()
    page.keyboard.press("Enter")

    # True or False is chosen: nothing else can be answered.
    options = lesson(page).get_by_role("group", name="Options")
    expect(options.get_by_role("radio", name="True")).to_be_focused()
    # Nothing is typed into an option: the page's keys mean the page, but for those that choose.
    page.keyboard.press("/")
    expect(page.get_by_role("textbox", name="Find on the stage")).to_be_focused()
    page.keyboard.press("Escape")
    options.get_by_role("radio", name="True").focus()
    expect(lesson(page).get_by_role("textbox")).to_have_count(0)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(said(page)).to_contain_text("Not quite. That would need an input that requires grad.")
    expect(options.get_by_role("radio", name="True")).to_be_focused()
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(said(page)).to_contain_text("Right. No input")
    expect(onward(page)).to_be_focused()
    page.keyboard.press("Enter")

    # The choice has its place on the stage.
    expect(options.get_by_role("radio", name="MulBackward0")).to_be_focused()
    stage = page.get_by_role("region", name="Stage")
    expect(stage.get_by_text(re.compile(r"^p\s+\?$"))).to_be_visible()
    page.keyboard.press("1")
    expect(stage.get_by_text(re.compile(r"^p\s+MulBackward0$"))).to_be_visible()
    page.keyboard.press("Enter")
    expect(onward(page)).to_be_focused()
    page.keyboard.press("Enter")
    expect(said(page)).to_contain_text("Page 5 of 8")
    page.keyboard.press("Enter")

    nodes = lesson(page).get_by_role("combobox")
    expect(nodes).to_be_focused()
    expect(nodes.get_by_role("option")).to_have_count(5)
    nodes.select_option(label="MulBackward0 of p")
    page.keyboard.press("Tab")
    expect(check(page)).to_be_focused()
    page.keyboard.press("Enter")
    expect(said(page)).to_contain_text("Not quite. That one was made first.")
    expect(nodes).to_be_focused()
    nodes.select_option(label="AddBackward0 of y")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(onward(page)).to_be_focused()
    page.keyboard.press("Enter")

    # Enter neither skips a change nor gives its solution.
    expect(lesson(page).get_by_role("button", name="Go to the code")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Program")).to_be_focused()
    # The verdict on what was run brings the keyboard back.
    page.keyboard.press("End")
    page.keyboard.insert_text("  # more")
    page.keyboard.press("Control+Enter")
    expect(said(page)).to_contain_text("Not yet.")
    expect(lesson(page).get_by_role("button", name="Go to the code")).to_be_focused()
    lesson(page).get_by_role("button", name="Show a solution").focus()
    page.keyboard.press("Enter")
    expect(said(page)).to_contain_text("Reached. A subtraction")
    expect(onward(page)).to_be_focused()
    page.keyboard.press("Enter")
    following = lesson(page).get_by_role("button", name="Next lesson")
    expect(following).to_be_focused()
    page.keyboard.press("Enter")
    expect(said(page)).to_contain_text("Page 1 of 10")
    expect(onward(page, "Begin")).to_be_focused()


def test_the_same_verdict_is_announced_again(open_page: Callable[[str], Page]) -> None:
    page = open_page("#lesson=02_chain_rule&page=4")
    field = page.get_by_label("x.grad, your answer")
    field.fill("998")
    field.press("Enter")
    verdict = said(page).filter(has_text="Not quite.")
    expect(verdict).to_be_attached()
    said(page).evaluate("""(region) => {
      globalThis.announced = [];
      new MutationObserver(() => globalThis.announced.push(region.textContent)).observe(region, {
        characterData: true, childList: true, subtree: true,
      });
    }""")
    field.fill("999")
    field.press("Enter")
    page.wait_for_function("() => globalThis.announced.at(-1)?.startsWith('Not quite.')")
    assert page.evaluate("() => globalThis.announced[0]") == ""


def test_the_timeline_shows_nothing_of_what_answers_an_open_question(open_page: Callable[[str], Page]) -> None:
    # The second pass ends in an error, which has a sign of its own.
    page = open_page("#lesson=08_saved_tensors&page=5")
    field = page.get_by_label("x.grad, your answer")
    expect(field).to_be_visible()
    track = page.get_by_role("slider", name="Timeline")
    expect(track).to_have_attribute("aria-valuetext", re.compile("^Step 6 of 9"))
    ahead = 0.75
    page.wait_for_function(f"() => ({COLOURS})(document.querySelector('[role=slider]'), {ahead}) === 1")
    field.fill("6")
    field.press("Enter")
    expect(said(page)).to_contain_text("Right. Still 6.")
    page.wait_for_function(f"() => ({COLOURS})(document.querySelector('[role=slider]'), {ahead}) > 2")


@pytest.fixture
def phone(page: Page, server: Server) -> Page:
    page.goto(f"{server.address}/#lesson=02_chain_rule&page=5")
    expect(said(page)).to_contain_text("Page 5 of 10")
    return page


@pytest.mark.parametrize("context_options", [PHONE])
def test_a_phone_keeps_the_field_in_view(phone: Page) -> None:
    field = phone.get_by_label("x.grad, your answer")
    field.tap()
    # As a browser does whose keyboard takes height from the page.
    phone.set_viewport_size({"width": 390, "height": 480})
    expect(field).to_be_in_viewport(ratio=1)
    expect(phone.get_by_role("slider", name="Timeline")).to_be_hidden()
    phone.keyboard.type("3")
    expect(check(phone)).to_be_in_viewport(ratio=1)
    phone.set_viewport_size({"width": 390, "height": 844})
    check(phone).tap()
    expect(said(phone)).to_contain_text("Not quite. That is what comes through b.")
    # The answer and what is said of it are in one view, with both ways on.
    why = lesson(phone).get_by_text("That is what comes through b.").last
    for part in (field, why, onward(phone, "Watch what happens")):
        expect(part).to_be_in_viewport(ratio=1)
