"""Protects lecture mode: moments are collected, ordered, played as slides, saved as a file and opened from a link."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from page_server import Server
from playwright.sync_api import Page, expect
from shown_lesson import said
from test_everyone import Checker, checker  # noqa: F401

from backscope_server.lessons import lesson_file
from backscope_server.lessons.lesson import ProgramBlock, StepBlock


def add(page: Page, number: int, sentence: str) -> None:
    """Add the moment that is shown, with a sentence."""
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("m")
    field = page.get_by_label(f"Sentence of moment {number}")
    expect(field).to_be_focused()
    field.fill(sentence)
    page.evaluate("document.activeElement.blur()")


def names(page: Page) -> list[str]:
    """Return the moments of the list in their order."""
    return [text.lstrip("0123456789") for text in page.locator("ol[aria-label=Moments] .name").all_inner_texts()]


def collect(page: Page) -> None:
    """Collect three moments of the first example, and bring the last one to the top by the keyboard."""
    expect(page.get_by_role("button", name="Play the backward pass")).to_be_visible()
    add(page, 1, "Both leaves are **ready**.")
    page.keyboard.press("End")
    add(page, 2, "")
    page.keyboard.press("ArrowLeft")
    add(page, 3, "The gradients have arrived.")
    page.get_by_label("Title").fill("Where gradients land")
    grip = page.get_by_label(re.compile("^Move moment 3:"))
    grip.focus()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_label(re.compile("^Move moment 2:"))).to_be_focused()
    page.get_by_role("button", name="Move moment 2 up").click()
    assert names(page)[0] == "after a pass"
    expect(page.get_by_role("status").filter(has_text="after a pass is moment 1 of 3 now.")).to_be_attached()


def test_moments_become_slides_a_file_and_a_link(
    open_page: Callable[..., Page],
    checker: Checker,  # noqa: F811
    tmp_path: Path,
) -> None:
    page = open_page("")
    collect(page)
    checker.check("moments are collected")
    with page.expect_download() as download:
        page.get_by_role("button", name="File", exact=True).click()
    assert download.value.suggested_filename == "where_gradients_land.md"
    path = tmp_path / "where_gradients_land.md"
    download.value.save_as(path)
    lesson = lesson_file.read(path)
    assert lesson.title == "Where gradients land"
    program, *steps = lesson.blocks
    assert isinstance(program, ProgramBlock)
    assert all(isinstance(step, StepBlock) for step in steps)
    assert [step.text for step in steps if isinstance(step, StepBlock)][:2] == [
        "The gradients have arrived.",
        "Both leaves are **ready**.",
    ]
    page.get_by_role("button", name="Play slides").click()
    expect(page.get_by_text("The gradients have arrived.").first).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".body strong")).to_have_text("ready")
    checker.check("a slide")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".body").get_by_text("The gradients have arrived.")).to_be_visible()
    link = page.url
    assert re.search(r"#lesson=-1[\w-]+", link)
    page.get_by_role("button", name="Close the lesson").click()
    expect(page.get_by_role("button", name="Play slides")).to_be_visible()
    assert len(names(page)) == 3

    page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.goto("about:blank")
    page.goto(link)
    expect(page.get_by_role("heading", name="Where gradients land")).to_be_visible()
    expect(page.get_by_role("button", name="Run and begin")).to_be_visible()
    assert page.evaluate("() => document.querySelector('.lesson')") is None
    checker.check("a link to a lesson")
    page.get_by_role("button", name="Run and begin").click()
    expect(page.get_by_text("The gradients have arrived.").first).to_be_visible()
    expect(page.get_by_text("The backward pass is done").first).to_be_visible()


def test_a_moment_is_dragged_removed_and_brought_back(open_page: Callable[..., Page]) -> None:
    page = open_page("")
    collect(page)
    before = names(page)
    grip = page.get_by_label(re.compile("^Move moment 1:"))
    grip.scroll_into_view_if_needed()
    box = grip.bounding_box()
    target = page.get_by_label("Sentence of moment 2").bounding_box()
    assert box and target
    page.mouse.move(box["x"] + 8, box["y"] + 12)
    page.mouse.down()
    page.mouse.move(box["x"] + 8, target["y"] + target["height"] - 2, steps=5)
    page.mouse.up()
    expect(page.get_by_role("status").filter(has_text="after a pass is moment 2 of 3 now.")).to_be_attached()
    assert names(page) == [before[1], before[0], before[2]]
    page.get_by_role("button", name="Remove moment 1").click()
    assert names(page) == [before[0], before[2]]
    page.get_by_role("button", name="Undo").click()
    assert names(page) == [before[1], before[0], before[2]]
    page.reload()
    expect(page.get_by_role("slider", name="Timeline")).not_to_have_attribute("aria-valuemax", "0")
    page.keyboard.press("m")
    expect(page.get_by_label("Sentence of moment 4")).to_be_visible()
    assert names(page)[:3] == [before[1], before[0], before[2]]


def test_a_moment_is_predicted_before_it_is_seen(open_page: Callable[..., Page]) -> None:
    page = open_page("")
    collect(page)
    first = page.locator("li[data-moment]").first
    first.get_by_role("button", name="Ask for a value first").click()
    first.get_by_label("An expression that readers predict").fill("w.grad")
    page.keyboard.press("Enter")
    expect(first).to_contain_text("Readers predict w.grad before they see this moment.")
    page.get_by_role("button", name="Move moment 1 down").click()
    page.get_by_role("button", name="Play slides").click()
    expect(said(page)).to_contain_text("Page 1 of 4")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".body").get_by_text("What will")).to_be_visible()
    answer = page.get_by_label("w.grad, your answer")
    answer.fill("3")
    answer.press("Enter")
    expect(page.locator(".body").get_by_text("The gradients have arrived.")).to_be_visible()
    expect(page.locator(".body").get_by_text("Right.")).to_be_visible()


def test_a_damaged_link_says_so(page: Page, server: Server) -> None:
    page.goto(f"{server.address}/#lesson=-1AAAA")
    expect(page.get_by_role("alert")).to_contain_text("The lesson in this link is damaged.")
    page.get_by_role("button", name="Close the lesson").click()
    expect(page.get_by_role("button", name="Play the backward pass")).to_be_visible()
