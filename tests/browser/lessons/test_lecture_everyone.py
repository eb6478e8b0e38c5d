"""Protects collected lessons for everyone: by the keyboard alone, and slides with questions on a phone."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from accessibility import Checker
from lecture_sheet import HOST, incompressible, open_sheet
from lectures import lecture, packed
from page_server import Server
from playwright.sync_api import Locator, Page, expect
from shown_lesson import PHONE, slide_said

MOST_TABS = 120


def tab_to(page: Page, wanted: Locator, key: str = "Tab") -> None:
    """Press Tab until something has the keyboard."""
    for _ in range(MOST_TABS):
        if wanted.evaluate("(element) => element === document.activeElement"):
            return
        page.keyboard.press(key)
    pytest.fail(f"{wanted} is not reached by {key}")


def test_moments_are_collected_ordered_asked_about_and_played_by_the_keyboard_alone(
    open_page: Callable[[str], Page],
) -> None:
    page = open_page("")
    expect(page.get_by_role("button", name="Play the backward pass")).to_be_visible()
    page.keyboard.press("m")
    first = page.get_by_label("Sentence of moment 1")
    expect(first).to_be_focused()
    page.keyboard.type("Both leaves are ready.")
    # Escape leaves the field, so that keys mean the page again.
    page.keyboard.press("Escape")
    expect(first).not_to_be_focused()
    page.keyboard.press("End")
    page.keyboard.press("m")
    second = page.get_by_label("Sentence of moment 2")
    expect(second).to_be_focused()
    page.keyboard.type("The gradient has landed.")

    tab_to(page, page.get_by_label("Title"), "Shift+Tab")
    page.keyboard.type("Where gradients land")
    items = page.locator("li[data-moment]")
    tab_to(page, items.last.get_by_role("button", name="Ask for a value first"))
    page.keyboard.press("Enter")
    expect(items.last.get_by_label("An expression that readers predict")).to_be_focused()
    page.keyboard.type("w.grad")
    page.keyboard.press("Enter")
    expect(items.last).to_contain_text("Readers predict w.grad")
    tab_to(page, page.get_by_label("Move moment 2:"), "Shift+Tab")
    page.keyboard.press("ArrowUp")
    expect(items.first).to_contain_text("Readers predict w.grad")
    expect(page.get_by_label("Move moment 1:")).to_be_focused()
    page.keyboard.press("End")
    expect(items.last).to_contain_text("Readers predict w.grad")

    tab_to(page, page.get_by_role("button", name="Play slides"))
    page.keyboard.press("Enter")
    expect(slide_said(page)).to_contain_text("Slide 1 of 3. Both leaves are ready.")
    page.keyboard.press("ArrowRight")
    expect(slide_said(page)).to_contain_text("Slide 2 of 3. Question: ")
    tab_to(page, page.get_by_label("w.grad, your answer"))
    page.keyboard.type("4")
    page.keyboard.press("Enter")
    expect(slide_said(page)).to_contain_text("Not quite.")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    expect(slide_said(page)).to_contain_text("Right.")
    # Escape leaves the field, where it has the keyboard, and then the slides.
    page.keyboard.press("ArrowRight")
    if page.evaluate("document.activeElement?.tagName") == "INPUT":
        page.keyboard.press("Escape")
        page.keyboard.press("ArrowRight")
    expect(slide_said(page)).to_contain_text("Slide 3 of 3.")
    page.keyboard.press("ArrowLeft")
    expect(slide_said(page)).to_contain_text("Right.")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Play slides")).to_be_focused()
    expect(items).to_have_count(2)


@pytest.mark.parametrize("context_options", [PHONE])
def test_a_slide_that_asks_is_for_everyone_on_a_phone(
    page: Page,
    server: Server,
    checker: Checker,
) -> None:
    page.goto(f"{server.address}/#lesson={packed(lecture())}")
    page.get_by_role("button", name="Run and begin").tap()
    expect(slide_said(page)).to_contain_text("Slide 1 of 4.")
    checker.check("a slide on a phone")
    page.get_by_role("button", name="Next").tap()
    field = page.get_by_label("w.grad, your answer")
    expect(field).to_be_in_viewport(ratio=1)
    checker.check("a question on a phone")
    field.fill("4")
    field.press("Enter")
    expect(slide_said(page)).to_contain_text("Not quite.")
    checker.check("a wrong answer on a phone")
    field.fill("3")
    field.press("Enter")
    expect(slide_said(page)).to_contain_text("Right.")
    checker.check("a right answer on a phone")


def test_the_sheet_outlasts_a_window_that_gets_narrow(
    open_page: Callable[[str], Page],
) -> None:
    page = open_page("")
    page.keyboard.press("m")
    page.get_by_label("Sentence of moment 1").fill("Both leaves are ready.")
    page.get_by_role("button", name="Share", exact=True).click()
    sheet = page.get_by_role("dialog", name="Share this lesson")
    expect(sheet).to_be_visible()
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 844})
        expect(page.get_by_role("group", name="Rooms")).to_have_count(1 if width == 390 else 0)
        expect(sheet).to_be_visible()
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.get_by_label("Sentence of moment 1")).to_be_visible()
    expect(sheet).to_have_count(0)


def test_a_server_that_keeps_no_lessons_says_so_before_it_is_asked(
    page: Page, guest_with: Callable[..., Server], expected_console: list[str]
) -> None:
    # Without https, browsers ignore these headers.
    expected_console += ["Cross-Origin-Opener-Policy", "Origin-Agent-Cluster"]
    server = guest_with(public_host=HOST)
    page.goto(f"http://{HOST}:{server.port}/?token={server.token}")
    expect(page.get_by_role("button", name="Play the backward pass")).to_be_visible()
    long = [{**lecture()["moments"][0], "text": incompressible(number, 1999)} for number in range(9)]
    page.evaluate("(text) => localStorage.setItem('backscope.lecture', text)", json.dumps(lecture(moments=long)))
    page.reload()
    expect(page.get_by_role("button", name="Play the backward pass")).to_be_visible()
    page.keyboard.press("m")
    sheet = open_sheet(page)
    expect(sheet).to_contain_text("This server keeps no lessons: where the link does not arrive whole, send a file.")
    expect(sheet.get_by_role("button", name="Keep it and make a link")).to_have_count(0)
    expect(sheet.get_by_label("The link to the lesson")).to_be_visible()
    expect(sheet).to_contain_text("In the link itself")
